"""Answers of the simulated model, and the ways in which they fail."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class SimulatedAnswer:
    """The answers about one frame, under their names on the wire."""

    SOCCER: Any = True
    SCREEN: Any = False
    CLOCK: Any = None
    ADDED: Any = None
    STOPPAGE_CLOCK: Any = None
    TEAMS: Any = None
    SCORE: Any = None


class VisionMode(StrEnum):
    """How the server behaves. The first group still answers the question."""

    PLAIN = "plain"
    FENCED = "fenced"
    PROSE = "prose"
    LOOSE = "loose"
    ONE_PICTURE = "one_picture"

    LYING = "lying"
    """Answers truthfully for one picture, the opposite for the next, and unclear for the third."""
    NOT_JSON = "not_json"
    OTHER_LANGUAGE = "other_language"
    HUGE = "huge"
    MISSING_FIELDS = "missing_fields"
    WRONG_TYPES = "wrong_types"
    OTHER_FRAMES = "other_frames"
    TWO_ANSWERS = "two_answers"
    TWICE_NAMED = "twice_named"
    DEEP = "deep"
    A_LIST = "a_list"
    CUT = "cut"
    SILENT = "silent"
    NO_CHOICES = "no_choices"

    HTML = "html"
    HALF_BODY = "half_body"
    FLOOD = "flood"
    SLOW = "slow"
    LOADING = "loading"
    BUSY = "busy"
    CRASHED = "crashed"
    NO_VISION = "no_vision"
    CONTEXT = "context"
    DENIED = "denied"
    NO_MODEL = "no_model"


def distort_answer(answer: SimulatedAnswer, number: int) -> SimulatedAnswer:
    """The truth, its opposite, or neither, in rotation."""
    clock = "11:11" if answer.CLOCK != "11:11" else "88:11"
    opposite = SimulatedAnswer(SOCCER=not answer.SOCCER, SCREEN=not answer.SCREEN, CLOCK=clock)
    return (answer, opposite, SimulatedAnswer(SOCCER="perhaps", SCREEN="perhaps"))[number % 3]


def to_frames_object(answers: Sequence[SimulatedAnswer]) -> Json:
    return {f"frame_{index + 1}": asdict(one) for index, one in enumerate(answers)}


def _plain_text(answers: Sequence[SimulatedAnswer]) -> str:
    return json.dumps(to_frames_object(answers))


def _prose_text(answers: Sequence[SimulatedAnswer]) -> str:
    return f"Sure! I looked at {{every}} frame carefully.\n\n{_plain_text(answers)}\n\nLet me know if you need more."


def _loose_text(answers: Sequence[SimulatedAnswer]) -> str:
    """Lower-case names, words for booleans, a word for null."""
    words = {True: "yes", False: "NO", None: "N/A"}
    frames = {
        name: {key.lower(): words.get(value, value) for key, value in fields.items()}
        for name, fields in to_frames_object(answers).items()
    }
    return json.dumps(frames)


def _missing_fields_text(answers: Sequence[SimulatedAnswer]) -> str:
    kept = {name: {"CLOCK": fields["CLOCK"], "SCREEN": False} for name, fields in to_frames_object(answers).items()}
    return json.dumps(kept)


def _wrong_types_text(answers: Sequence[SimulatedAnswer]) -> str:
    wrong = {
        name: {**fields, "SOCCER": "perhaps", "CLOCK": [34, 12]} for name, fields in to_frames_object(answers).items()
    }
    return json.dumps(wrong)


def _two_answers_text(answers: Sequence[SimulatedAnswer]) -> str:
    turned = [SimulatedAnswer(SOCCER=not one.SOCCER, SCREEN=not one.SCREEN) for one in answers]
    return f"Either {_plain_text(answers)} or {_plain_text(turned)}"


def _duplicate_key_text(answers: Sequence[SimulatedAnswer]) -> str:
    return _plain_text(answers).replace('"SOCCER": true', '"SOCCER": true, "SOCCER": false')


TEXT_BUILDERS: dict[VisionMode, Callable[[Sequence[SimulatedAnswer]], str]] = {
    VisionMode.FENCED: lambda answers: f"```json\n{_plain_text(answers)}\n```",
    VisionMode.PROSE: _prose_text,
    VisionMode.LOOSE: _loose_text,
    VisionMode.NOT_JSON: lambda _: "SOCCER=yes SCREEN=no CLOCK=45:00",
    VisionMode.OTHER_LANGUAGE: lambda _: "这是一场足球比赛,时间显示为四十五分钟。{足球:是}",
    VisionMode.HUGE: lambda answers: "goal " * 100_000 + _plain_text(answers),
    VisionMode.MISSING_FIELDS: _missing_fields_text,
    VisionMode.WRONG_TYPES: _wrong_types_text,
    VisionMode.OTHER_FRAMES: lambda answers: _plain_text(answers).replace("frame_", "image_"),
    VisionMode.TWO_ANSWERS: _two_answers_text,
    VisionMode.TWICE_NAMED: _duplicate_key_text,
    VisionMode.DEEP: lambda _: '{"a":' * 3_000,
    VisionMode.A_LIST: lambda answers: json.dumps([[asdict(one)] for one in answers]),
    VisionMode.CUT: lambda answers: _plain_text(answers)[:-20],
}


def build_text(mode: VisionMode, answers: Sequence[SimulatedAnswer]) -> str:
    return TEXT_BUILDERS.get(mode, _plain_text)(answers)
