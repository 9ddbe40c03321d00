"""Statements about the simulated X: files, posts that show them, and searches that fail."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from found_footy.sim.script.draft import ClipDraft, Draft
from found_footy.sim.script.forms import form
from found_footy.sim.script.matches import Statement
from found_footy.sim.script.model import Host, Post, SearchBreaks, SearchFault
from found_footy.sim.script.values import ScriptError, Words, position, seconds, size, span, unquoted, word


def clip_of(draft: Draft, words: Words) -> None:
    goal = word(words, "incident_name")
    draft.home_of(goal)
    _clip(draft, words, "goal", goal=goal)


def clip_from(draft: Draft, words: Words) -> None:
    if words["parent"] not in [known.name for known in draft.clips]:
        raise ScriptError(f"no clip above is called {words['parent']}")
    _clip(draft, words, "copy", parent=words["parent"])


def clip_studio(draft: Draft, words: Words) -> None:
    _clip(draft, words, "studio")


def clip_blank(draft: Draft, words: Words) -> None:
    _clip(draft, words, "blank")


def _clip(draft: Draft, words: Words, kind: str, goal: str | None = None, parent: str | None = None) -> None:
    name = word(words, "clip")
    if name in [known.name for known in draft.clips]:
        raise ScriptError(f"a clip above is already called {name}")
    options = clip_options(words["more"] or "")
    draft.clips.append(ClipDraft(name, draft.line, goal, parent, kind, options))


def post(draft: Draft, words: Words) -> None:
    home = draft.home_of(word(words, "name"))
    _post(draft, words, Post("", "", "", home.id, after=words["name"], seconds=seconds(word(words, "seconds"))))


def post_at(draft: Draft, words: Words) -> None:
    _post(draft, words, Post("", "", "", draft.match.id, at=position(word(words, "position"))))


def _post(draft: Draft, words: Words, begun: Post) -> None:
    clip = word(words, "clip")
    if clip not in [known.name for known in draft.clips]:
        raise ScriptError(f"no clip above is called {clip}")
    draft.posts.append(
        replace(
            begun,
            author=word(words, "author"),
            text=unquoted(words["text"]),
            clip=clip,
            copies=int(words["copies"] or 1),
            id=unquoted(words["tweet"]) if words["tweet"] is not None else None,
        )
    )


def search(draft: Draft, words: Words) -> None:
    first, last = span(word(words, "polls"))
    wait = seconds(word(words, "seconds")) if words["seconds"] else 0.0
    draft.search_faults.append(SearchFault(first, last, SearchBreaks(word(words, "search_fault")), wait))


def _trim(text: str) -> dict[str, Any]:
    start, _, end = text.split()[1].partition("-")
    return {"start": seconds(start), "end": seconds(end)}


def _host(text: str) -> dict[str, Any]:
    answer, *wait = text.split()[1:]
    return {"host": Host(answer), "wait": seconds(wait[0]) if wait else 0.0}


_OPTION: dict[str, tuple[str, Callable[[str], dict[str, Any]]]] = {
    "<seconds>": (r"\d+(?:\.\d+)?s", lambda text: {"duration": seconds(text)}),
    "<width>x<height>": (r"\d+x\d+", lambda text: dict(zip(("width", "height"), size(text), strict=True))),
    "design <name>": (r"design\s+\w+", lambda text: {"design": text.split()[1]}),
    "angle <number>": (r"angle\s+\d+", lambda text: {"angle": int(text.split()[1])}),
    "seed <number>": (r"seed\s+\d+", lambda text: {"seed": int(text.split()[1])}),
    "fps <number>": (r"fps\s+\d+", lambda text: {"fps": int(text.split()[1])}),
    "minute <minute>": (r"minute\s+\d+(?:\+\d+)?", lambda text: {"minute": position(text.split()[1])}),
    "trim <from>s-<to>s": (r"trim\s+[\d.]+s-[\d.]+s", _trim),
    "crf <number>": (r"crf\s+\d+", lambda text: {"crf": int(text.split()[1])}),
    "speed <factor>": (r"speed\s+[\d.]+", lambda text: {"speed": float(text.split()[1])}),
    'stamp "<text>"': (r'stamp\s+"[^"]*"', lambda text: {"stamp": unquoted(text[5:].strip())}),
    "mirror": (r"mirror", lambda _: {"mirror": True}),
    "letterbox": (r"letterbox", lambda _: {"letterbox": True}),
    "portrait": (r"portrait", lambda _: {"portrait": True}),
    "filmed": (r"filmed", lambda _: {"filmed": True}),
    "host <answer> [<seconds>]": (
        rf"host\s+(?:{'|'.join(Host)})(?:\s+\d+(?:\.\d+)?s)?",
        _host,
    ),
}
OPTIONS = tuple(_OPTION)
_ANY = re.compile("|".join(rf"(?P<o{number}>{shape})(?=\s|$)" for number, (shape, _) in enumerate(_OPTION.values())))


def clip_options(text: str) -> dict[str, Any]:
    """The options behind a clip, in any order."""
    told: dict[str, Any] = {}
    readers = [read for _, read in _OPTION.values()]
    rest = text.strip()
    while rest:
        found = _ANY.match(rest)
        if found is None or found.lastgroup is None:
            raise ScriptError(f"a clip has no option `{rest}`; it has:\n  " + "\n  ".join(OPTIONS))
        told |= readers[int(found.lastgroup[1:])](found[0])
        rest = rest[found.end() :].strip()
    return told


STATEMENTS: tuple[Statement, ...] = (
    (form("clip <clip> of <incident_name> [<more>]"), clip_of),
    (form("clip <clip> from <parent> [<more>]"), clip_from),
    (form("clip <clip> studio [<more>]"), clip_studio),
    (form("clip <clip> blank [<more>]"), clip_blank),
    (form("post <seconds> after <name> by <author> [x<copies>] shows <clip> [id <tweet>] <text>"), post),
    (form("post at <position> by <author> [x<copies>] shows <clip> [id <tweet>] <text>"), post_at),
    (form("search <polls> <search_fault> [<seconds>]"), search),
)
