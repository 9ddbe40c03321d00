"""Reading what a model wrote. It may be anything: what is not plainly an answer is unknown, never a no. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from found_footy.platform.errors import Malformed
from found_footy.vision.llm.prompt import FIELDS, frame_name
from found_footy.vision.verdict import FrameAnswer

_LONGEST = 20_000
_LONGEST_FIELD = 40
_MOST_OBJECTS = 50
_YES = frozenset({"true", "yes", "1"})
_NO = frozenset({"false", "no", "0"})
_NOTHING = frozenset({"", "null", "none", "n/a", "na", "-", "not visible", "unknown"})

Json = dict[str, Any]


class _Ambiguous(ValueError):
    """One name, two values."""


def parse_answers(system: str, text: str, times: Sequence[float]) -> list[FrameAnswer]:
    """One answer per frame, at `times`. A frame whose answer is missing or has a wrong type is left unknown;
    Malformed if there is no object that speaks of the frames, or more than one and they differ.
    """
    if len(text) > _LONGEST:
        raise Malformed(system, f"the model wrote {len(text)} characters")
    found: list[Json] = []
    for candidate in _objects(system, text):
        frames = _frames(candidate, len(times))
        if frames is not None and frames not in found:
            found.append(frames)
    if len(found) != 1:
        raise Malformed(system, f"the model's text has {len(found)} answers in it: {shown(text, 120)}")
    return [_answer(at, found[0].get(frame_name(index))) for index, at in enumerate(times)]


def _objects(system: str, text: str) -> Iterator[Json]:
    """Every JSON object in the text, with or without prose and fences around it."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    at, tries = text.find("{"), 0
    while at != -1 and tries < _MOST_OBJECTS:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except _Ambiguous as error:
            raise Malformed(system, f"the model contradicts itself: {error}") from error
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    """Names in lower case; the same name twice must have the same value."""
    result: Json = {}
    for name, value in pairs:
        folded = name.strip().lower()
        if folded in result and result[folded] != value:
            raise _Ambiguous(shown(name, _LONGEST_FIELD))
        result[folded] = value
    return result


def _frames(candidate: Json, count: int) -> Json | None:
    """The object by frames; one frame's fields may also stand alone."""
    names = {frame_name(index) for index in range(count)}
    if names & candidate.keys():
        return {name: value for name, value in candidate.items() if name in names}
    if count == 1 and {name.lower() for name in FIELDS} & candidate.keys():
        return {frame_name(0): candidate}
    return None


def _answer(at: float, fields: object) -> FrameAnswer:
    if not isinstance(fields, Mapping) or not {name.lower() for name in FIELDS} <= fields.keys():
        return FrameAnswer(at, note="fields are missing")
    soccer, screen = _boolean(fields["soccer"]), _boolean(fields["screen"])
    texts = [fields[name] for name in ("clock", "added", "stoppage_clock")]
    if soccer is None or screen is None or not all(text is None or isinstance(text, str) for text in texts):
        return FrameAnswer(at, note="fields have the wrong type")
    clock, added, stoppage = (_text(text) for text in texts)
    return FrameAnswer(at, soccer, screen, clock, added, stoppage)


def _boolean(value: object) -> bool | None:
    word = str(value).strip().lower() if isinstance(value, bool | str | int) else ""
    return True if word in _YES else False if word in _NO else None


def _text(value: str | None) -> str | None:
    if value is None or value.strip().lower() in _NOTHING:
        return None
    return shown(value.strip(), _LONGEST_FIELD)


def shown(text: str, most: int) -> str:
    """Safe to store and to show: bounded, printable, without halves of characters."""
    return "".join(char if char.isprintable() else " " for char in text[:most])
