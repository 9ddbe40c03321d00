"""From written words to values. Every function here is given text that a form has already found well shaped."""

import re
from collections.abc import Mapping

from found_footy.sim.script.model import Anchor, Edge, Person, Position, Window

Words = Mapping[str, str | None]

_ANCHORED = re.compile(r"(start|KO|HT|FT)([+-]\d+(?:\.\d+)?)?")
_NAMED = re.compile(r'"([^"]*)"(?:\((\d+)\))?')


class ScriptError(ValueError):
    """A scenario that cannot be read; the message says where and why."""


def position(text: str) -> Position:
    if anchored := _ANCHORED.fullmatch(text):
        return Position(Anchor(anchored[1]), offset=float(anchored[2] or 0))
    if text.startswith("P"):
        return Position(Anchor.KICK, minute=int(text[1:]))
    minute, _, extra = text.partition("+")
    return Position(Anchor.MINUTE, minute=int(minute), extra=int(extra) if extra else None)


def edge(text: str) -> Edge:
    if text.startswith("poll"):
        return Edge(poll=int(text.split()[1]))
    return Edge(position=position(text))


def span(text: str) -> tuple[int, int]:
    """`5` or `5-8`, both ends included."""
    first, _, last = text.partition("-")
    numbers = int(first), int(last or first)
    if not 1 <= numbers[0] <= numbers[1]:
        raise ScriptError(f"{text} is not a range: count from 1, the smaller number first")
    return numbers


def polls(text: str) -> Window:
    first, last = span(text)
    return Window(Edge(poll=first), Edge(poll=last))


def person(text: str | None) -> Person:
    found = _NAMED.fullmatch(text or "")
    if not found:
        return Person()
    return Person(found[1] or None, int(found[2]) if found[2] else None)


def named(text: str) -> tuple[str, int]:
    """`"Liverpool"(40)`."""
    found = _NAMED.fullmatch(text)
    if not found or not found[2]:
        raise ScriptError(f'{text} should be a quoted name with an id, such as "Liverpool"(40)')
    return found[1], int(found[2])


def unquoted(text: str | None) -> str:
    return (text or "").strip('"')


def seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def score(text: str) -> tuple[int | None, int | None]:
    """`2-1`, or `none` for a match that has no score."""
    if text == "none":
        return None, None
    home, _, away = text.partition("-")
    return int(home), int(away)


def size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def word(words: Words, name: str) -> str:
    """A place that the form does not allow to be left out."""
    found = words[name]
    assert found is not None
    return found
