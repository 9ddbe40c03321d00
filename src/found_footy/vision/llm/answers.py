"""Parses the text that a model wrote. What is not clearly an answer is unknown, never a no. Pure."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError

from found_footy.platform.errors import Malformed
from found_footy.platform.wire import WireModel
from found_footy.vision.llm.prompt import ANSWER_FIELDS, frame_name
from found_footy.vision.verdict import FrameReading

_MAX_TEXT_LENGTH = 20_000
_MAX_FIELD_LENGTH, _MAX_TEAMS_LENGTH = 40, 80
_MAX_JSON_OBJECTS = 50
_TRUE_WORDS = frozenset({"true", "yes", "1"})
_FALSE_WORDS = frozenset({"false", "no", "0"})
_NULL_WORDS = frozenset({"", "null", "none", "n/a", "na", "-", "not visible", "unknown"})

JsonObject = dict[str, Any]


def _parse_boolean(value: object) -> bool:
    word = str(value).strip().lower() if isinstance(value, bool | str | int) else ""
    if word not in _TRUE_WORDS | _FALSE_WORDS:
        raise ValueError("neither yes nor no")
    return word in _TRUE_WORDS


def _parse_text(value: object, max_length: int = _MAX_FIELD_LENGTH) -> object:
    if not isinstance(value, str):
        return value
    return None if value.strip().lower() in _NULL_WORDS else sanitize_text(value.strip(), max_length)


def _parse_teams(value: object) -> object:
    return _parse_text(value, _MAX_TEAMS_LENGTH)


_Boolean = Annotated[bool, BeforeValidator(_parse_boolean)]
_Text = Annotated[str | None, BeforeValidator(_parse_text)]
_Teams = Annotated[str | None, BeforeValidator(_parse_teams)]


class FrameAnswer(WireModel):
    """The answer for one frame. The names are those of the prompt's fields in lower case. Teams and score may be
    missing, for a prompt of one's own need not ask for them; each other field is required.
    """

    soccer: _Boolean
    screen: _Boolean
    clock: _Text
    added: _Text
    stoppage_clock: _Text
    teams: _Teams = None
    score: _Text = None


class _DuplicateKey(ValueError):
    """The same key with two different values."""


def parse_answers(system: str, text: str, times: Sequence[float]) -> list[FrameReading]:
    """Return one reading per frame, at `times`. A frame whose answer is missing or has a wrong type is left unknown.
    Raises Malformed if no JSON object describes the frames, or several do and differ.
    """
    if len(text) > _MAX_TEXT_LENGTH:
        raise Malformed(system, f"the model wrote {len(text)} characters")
    found: list[JsonObject] = []
    for candidate in _iter_json_objects(system, text):
        frames = _find_frames(candidate, len(times))
        if frames is not None and frames not in found:
            found.append(frames)
    if len(found) != 1:
        raise Malformed(system, f"the model's text has {len(found)} answers in it: {sanitize_text(text, 120)}")
    return [_parse_frame(at, found[0].get(frame_name(index))) for index, at in enumerate(times)]


def _iter_json_objects(system: str, text: str) -> Iterator[JsonObject]:
    """Yield every JSON object in the text, with or without prose and code fences around it."""
    decoder = json.JSONDecoder(object_pairs_hook=_reject_duplicate_keys)
    at, tries = text.find("{"), 0
    while at != -1 and tries < _MAX_JSON_OBJECTS:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except _DuplicateKey as error:
            raise Malformed(system, f"the model contradicts itself: {error}") from error
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Keys in lower case; a repeated key must have the same value."""
    result: JsonObject = {}
    for name, value in pairs:
        folded = name.strip().lower()
        if folded in result and result[folded] != value:
            raise _DuplicateKey(sanitize_text(name, _MAX_FIELD_LENGTH))
        result[folded] = value
    return result


def _find_frames(candidate: JsonObject, count: int) -> JsonObject | None:
    """Return the object keyed by frame; the fields of a single frame may also be at the top level."""
    names = {frame_name(index) for index in range(count)}
    if names & candidate.keys():
        return {name: value for name, value in candidate.items() if name in names}
    if count == 1 and {name.lower() for name in ANSWER_FIELDS} & candidate.keys():
        return {frame_name(0): candidate}
    return None


def _parse_frame(at: float, fields: object) -> FrameReading:
    try:
        answer = FrameAnswer.model_validate(fields)
    except ValidationError as error:
        incomplete = {"missing", "model_type"} & {one["type"] for one in error.errors(include_input=False)}
        return FrameReading(at, note=f"fields {'are missing' if incomplete else 'have the wrong type'}")
    return FrameReading(
        at,
        answer.soccer,
        answer.screen,
        answer.clock,
        answer.added,
        answer.stoppage_clock,
        teams=answer.teams,
        score=answer.score,
    )


def sanitize_text(text: str, max_length: int) -> str:
    """Make the text safe to store and to show: bounded, printable, without lone surrogates."""
    return "".join(char if char.isprintable() else " " for char in text[:max_length])
