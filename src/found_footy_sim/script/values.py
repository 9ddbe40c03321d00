"""Parses words of a statement into values. Every function takes text that has already matched its form."""

import re
from collections.abc import Mapping

from found_footy_sim.script.model import FeedPerson, FeedWindow, MatchPosition, PositionAnchor, WindowEdge

FormWords = Mapping[str, str | None]

_ANCHORED_POSITION = re.compile(r"(start|KO|HT|FT)([+-]\d+(?:\.\d+)?)?")
_NAMED_ID = re.compile(r'"([^"]*)"(?:\((\d+)\))?')


class ScriptError(ValueError):
    """A scenario that cannot be parsed; the message says where and why."""


def parse_position(text: str) -> MatchPosition:
    if anchored := _ANCHORED_POSITION.fullmatch(text):
        return MatchPosition(PositionAnchor(anchored[1]), offset=float(anchored[2] or 0))
    if text.startswith("P"):
        return MatchPosition(PositionAnchor.KICK, minute=int(text[1:]))
    minute, _, extra = text.partition("+")
    return MatchPosition(PositionAnchor.MINUTE, minute=int(minute), extra=int(extra) if extra else None)


def parse_edge(text: str) -> WindowEdge:
    if text.startswith("poll"):
        return WindowEdge(poll=int(text.split()[1]))
    return WindowEdge(position=parse_position(text))


def parse_span(text: str) -> tuple[int, int]:
    """`5` or `5-8`, both ends included."""
    first, _, last = text.partition("-")
    numbers = int(first), int(last or first)
    if not 1 <= numbers[0] <= numbers[1]:
        raise ScriptError(f"{text} is not a range: count from 1, the smaller number first")
    return numbers


def parse_poll_window(text: str) -> FeedWindow:
    first, last = parse_span(text)
    return FeedWindow(WindowEdge(poll=first), WindowEdge(poll=last))


def parse_person(text: str | None) -> FeedPerson:
    found = _NAMED_ID.fullmatch(text or "")
    if not found:
        return FeedPerson()
    return FeedPerson(found[1] or None, int(found[2]) if found[2] else None)


def parse_named_id(text: str) -> tuple[str, int]:
    """`"Liverpool"(40)`."""
    found = _NAMED_ID.fullmatch(text)
    if not found or not found[2]:
        raise ScriptError(f'{text} should be a quoted name with an id, such as "Liverpool"(40)')
    return found[1], int(found[2])


def strip_quotes(text: str | None) -> str:
    return (text or "").strip('"')


def parse_seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def parse_score(text: str) -> tuple[int | None, int | None]:
    """`2-1`, or `none` for a match that has no score."""
    if text == "none":
        return None, None
    home, _, away = text.partition("-")
    return int(home), int(away)


def parse_size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def require_word(words: FormWords, name: str) -> str:
    """Return the word of a placeholder that the form requires."""
    found = words[name]
    assert found is not None
    return found
