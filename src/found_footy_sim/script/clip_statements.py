"""Statements about the simulated X: files, posts that show them, and searches that fail."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from found_footy_sim.script.draft import ClipDraft, ScenarioDraft
from found_footy_sim.script.forms import compile_form
from found_footy_sim.script.match_statements import StatementRule
from found_footy_sim.script.model import SearchFault, SearchFaultKind, SimulatedPost, VideoHostAnswer
from found_footy_sim.script.values import (
    FormWords,
    ScriptError,
    parse_position,
    parse_seconds,
    parse_size,
    parse_span,
    require_word,
    strip_quotes,
)


def add_goal_clip(draft: ScenarioDraft, words: FormWords) -> None:
    goal = require_word(words, "incident_name")
    draft.find_match(goal)
    _add_clip(draft, words, "goal", goal=goal)


def add_derived_clip(draft: ScenarioDraft, words: FormWords) -> None:
    if words["parent"] not in [known.name for known in draft.clips]:
        raise ScriptError(f"no clip above is called {words['parent']}")
    _add_clip(draft, words, "copy", parent=words["parent"])


def add_studio_clip(draft: ScenarioDraft, words: FormWords) -> None:
    _add_clip(draft, words, "studio")


def add_blank_clip(draft: ScenarioDraft, words: FormWords) -> None:
    _add_clip(draft, words, "blank")


def _add_clip(
    draft: ScenarioDraft, words: FormWords, kind: str, goal: str | None = None, parent: str | None = None
) -> None:
    name = require_word(words, "clip")
    if name in [known.name for known in draft.clips]:
        raise ScriptError(f"a clip above is already called {name}")
    options = parse_clip_options(words["more"] or "")
    draft.clips.append(ClipDraft(name, draft.line, goal, parent, kind, options))


def add_post_after(draft: ScenarioDraft, words: FormWords) -> None:
    home = draft.find_match(require_word(words, "name"))
    _add_post(
        draft,
        words,
        SimulatedPost("", "", "", home.id, after=words["name"], seconds=parse_seconds(require_word(words, "seconds"))),
    )


def add_post_at(draft: ScenarioDraft, words: FormWords) -> None:
    _add_post(
        draft,
        words,
        SimulatedPost("", "", "", draft.current_match.id, at=parse_position(require_word(words, "position"))),
    )


def _add_post(draft: ScenarioDraft, words: FormWords, incomplete: SimulatedPost) -> None:
    clip = require_word(words, "clip")
    if clip not in [known.name for known in draft.clips]:
        raise ScriptError(f"no clip above is called {clip}")
    draft.posts.append(
        replace(
            incomplete,
            author=require_word(words, "author"),
            text=strip_quotes(words["text"]),
            clip=clip,
            copies=int(words["copies"] or 1),
            id=strip_quotes(words["tweet"]) if words["tweet"] is not None else None,
        )
    )


def add_search_fault(draft: ScenarioDraft, words: FormWords) -> None:
    first, last = parse_span(require_word(words, "polls"))
    wait = parse_seconds(require_word(words, "seconds")) if words["seconds"] else 0.0
    draft.search_faults.append(SearchFault(first, last, SearchFaultKind(require_word(words, "search_fault")), wait))


def _parse_trim(text: str) -> dict[str, Any]:
    start, _, end = text.split()[1].partition("-")
    return {"start": parse_seconds(start), "end": parse_seconds(end)}


def _parse_host(text: str) -> dict[str, Any]:
    answer, *wait = text.split()[1:]
    return {"host": VideoHostAnswer(answer), "wait": parse_seconds(wait[0]) if wait else 0.0}


_OPTION_FORMS: dict[str, tuple[str, Callable[[str], dict[str, Any]]]] = {
    "<seconds>": (r"\d+(?:\.\d+)?s", lambda text: {"duration": parse_seconds(text)}),
    "<width>x<height>": (r"\d+x\d+", lambda text: dict(zip(("width", "height"), parse_size(text), strict=True))),
    "design <name>": (r"design\s+\w+", lambda text: {"design": text.split()[1]}),
    "angle <number>": (r"angle\s+\d+", lambda text: {"angle": int(text.split()[1])}),
    "seed <number>": (r"seed\s+\d+", lambda text: {"seed": int(text.split()[1])}),
    "fps <number>": (r"fps\s+\d+", lambda text: {"fps": int(text.split()[1])}),
    "minute <minute>": (r"minute\s+\d+(?:\+\d+)?", lambda text: {"minute": parse_position(text.split()[1])}),
    "trim <from>s-<to>s": (r"trim\s+[\d.]+s-[\d.]+s", _parse_trim),
    "crf <number>": (r"crf\s+\d+", lambda text: {"crf": int(text.split()[1])}),
    "speed <factor>": (r"speed\s+[\d.]+", lambda text: {"speed": float(text.split()[1])}),
    'stamp "<text>"': (r'stamp\s+"[^"]*"', lambda text: {"stamp": strip_quotes(text[5:].strip())}),
    "mirror": (r"mirror", lambda _: {"mirror": True}),
    "letterbox": (r"letterbox", lambda _: {"letterbox": True}),
    "portrait": (r"portrait", lambda _: {"portrait": True}),
    "filmed": (r"filmed", lambda _: {"filmed": True}),
    "host <answer> [<seconds>]": (
        rf"host\s+(?:{'|'.join(VideoHostAnswer)})(?:\s+\d+(?:\.\d+)?s)?",
        _parse_host,
    ),
}
OPTION_TEXTS = tuple(_OPTION_FORMS)
_ANY_OPTION = re.compile(
    "|".join(rf"(?P<o{number}>{shape})(?=\s|$)" for number, (shape, _) in enumerate(_OPTION_FORMS.values()))
)


def parse_clip_options(text: str) -> dict[str, Any]:
    """Parse the options of a clip, in any order."""
    options: dict[str, Any] = {}
    readers = [read for _, read in _OPTION_FORMS.values()]
    rest = text.strip()
    while rest:
        found = _ANY_OPTION.match(rest)
        if found is None or found.lastgroup is None:
            raise ScriptError(f"a clip has no option `{rest}`; it has:\n  " + "\n  ".join(OPTION_TEXTS))
        options |= readers[int(found.lastgroup[1:])](found[0])
        rest = rest[found.end() :].strip()
    return options


CLIP_STATEMENTS: tuple[StatementRule, ...] = (
    (compile_form("clip <clip> of <incident_name> [<more>]"), add_goal_clip),
    (compile_form("clip <clip> from <parent> [<more>]"), add_derived_clip),
    (compile_form("clip <clip> studio [<more>]"), add_studio_clip),
    (compile_form("clip <clip> blank [<more>]"), add_blank_clip),
    (
        compile_form("post <seconds> after <name> by <author> [x<copies>] shows <clip> [id <tweet>] <text>"),
        add_post_after,
    ),
    (compile_form("post at <position> by <author> [x<copies>] shows <clip> [id <tweet>] <text>"), add_post_at),
    (compile_form("search <polls> <search_fault> [<seconds>]"), add_search_fault),
)
