"""From text to a scenario, line by line. An error names its line; nothing else is raised."""

import re
from collections.abc import Iterator

from found_footy.sim.feed.timeline import check
from found_footy.sim.script import clips, effects, matches, scenes
from found_footy.sim.script.draft import Draft
from found_footy.sim.script.matches import Statement
from found_footy.sim.script.model import Scenario
from found_footy.sim.script.values import ScriptError

# Incidents come before effects: both may begin with `at`, and an incident's form is the narrower one.
STATEMENTS: tuple[Statement, ...] = (*matches.STATEMENTS, *clips.STATEMENTS, *effects.STATEMENTS)

# A comment is `#` with a blank (or nothing) behind it, outside quotes, so that #c8102e and "#LFC" are left alone.
_CODE = re.compile(r'(?:"[^"]*"|#(?=\S)|[^#"])*')


def parse(name: str, text: str) -> Scenario:
    """The scenario that `text` tells."""
    draft = Draft()
    for number, line in _lines(text):
        draft.line = number
        try:
            _read(draft, line)
        except ScriptError as error:
            raise ScriptError(f"{name}, line {number}: {error}") from None
    _make_clips(name, draft)
    return _finish(name, draft)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        code = _CODE.match(line)
        if code and (said := code[0].strip()):
            yield number, said


def _read(draft: Draft, line: str) -> None:
    for form, act in STATEMENTS:
        if found := form.match(line):
            act(draft, found.groupdict())
            return
    raise ScriptError(_misread(line))


def _misread(line: str) -> str:
    """The forms that begin like the line, or all first words if none does."""
    first = line.split(maxsplit=1)[0]
    near = [form.text for form, _ in STATEMENTS if form.text.split()[0] == first]
    if near:
        return f"`{line}` is not understood; expected\n  " + "\n  ".join(near)
    known = sorted({form.text.split()[0] for form, _ in STATEMENTS})
    return f"no statement begins with `{first}`; they begin with {', '.join(known)}"


def _make_clips(name: str, draft: Draft) -> None:
    for clip in draft.clips:
        try:
            draft.made.append(scenes.make(draft, clip))
        except ScriptError as error:
            raise ScriptError(f"{name}, line {clip.line}: {error}") from None


def _finish(name: str, draft: Draft) -> Scenario:
    if not draft.matches:
        raise ScriptError(f"{name}: a scenario needs at least one fixture")
    try:
        finished = tuple(match.finish() for match in draft.matches)
        for match in finished:
            check(match, draft.posts)
    except ScriptError as error:
        raise ScriptError(f"{name}: {error}") from None
    return Scenario(
        name, draft.about, draft.speed, draft.step, draft.limits, finished,
        tuple(draft.made), tuple(draft.posts), tuple(draft.listing_faults), tuple(draft.search_faults),
    )  # fmt: skip
