"""Parses a scenario, line by line. An error names its line; nothing else is raised."""

import re
from collections.abc import Iterator

from found_footy_sim.feed.timeline import check_match
from found_footy_sim.script import clip_builder, clip_statements, feed_statements, match_statements
from found_footy_sim.script.draft import ScenarioDraft
from found_footy_sim.script.match_statements import StatementRule
from found_footy_sim.script.model import Scenario
from found_footy_sim.script.values import ScriptError

# Incidents come before effects: both may begin with `at`, and an incident's form is the narrower one.
ALL_STATEMENTS: tuple[StatementRule, ...] = (
    *match_statements.MATCH_STATEMENTS,
    *clip_statements.CLIP_STATEMENTS,
    *feed_statements.FEED_STATEMENTS,
)

# A comment is `#` followed by a space (or nothing), outside quotes, so that #c8102e and "#LFC" are not comments.
_CODE_PATTERN = re.compile(r'(?:"[^"]*"|#(?=\S)|[^#"])*')


def parse_scenario(name: str, text: str) -> Scenario:
    """Parse `text` into a scenario."""
    draft = ScenarioDraft()
    for number, line in _iter_lines(text):
        draft.line = number
        try:
            _apply_statement(draft, line)
        except ScriptError as error:
            raise ScriptError(f"{name}, line {number}: {error}") from None
    _finish_clips(name, draft)
    return _finish_scenario(name, draft)


def _iter_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        code = _CODE_PATTERN.match(line)
        if code and (statement := code[0].strip()):
            yield number, statement


def _apply_statement(draft: ScenarioDraft, line: str) -> None:
    for form, act in ALL_STATEMENTS:
        if found := form.match_line(line):
            act(draft, found.groupdict())
            return
    raise ScriptError(_describe_unknown(line))


def _describe_unknown(line: str) -> str:
    """List the forms that begin like the line, or all first words if none does."""
    first = line.split(maxsplit=1)[0]
    near = [form.text for form, _ in ALL_STATEMENTS if form.text.split()[0] == first]
    if near:
        return f"`{line}` is not understood; expected\n  " + "\n  ".join(near)
    known = sorted({form.text.split()[0] for form, _ in ALL_STATEMENTS})
    return f"no statement begins with `{first}`; they begin with {', '.join(known)}"


def _finish_clips(name: str, draft: ScenarioDraft) -> None:
    for clip in draft.clips:
        try:
            draft.finished_clips.append(clip_builder.build_clip(draft, clip))
        except ScriptError as error:
            raise ScriptError(f"{name}, line {clip.line}: {error}") from None


def _finish_scenario(name: str, draft: ScenarioDraft) -> Scenario:
    if not draft.matches:
        raise ScriptError(f"{name}: a scenario needs at least one fixture")
    try:
        finished = tuple(match.finish() for match in draft.matches)
        for match in finished:
            check_match(match, draft.posts)
    except ScriptError as error:
        raise ScriptError(f"{name}: {error}") from None
    return Scenario(
        name,
        draft.about,
        draft.speed,
        draft.step,
        draft.limits,
        finished,
        tuple(draft.finished_clips),
        tuple(draft.posts),
        tuple(draft.listing_faults),
        tuple(draft.search_faults),
    )
