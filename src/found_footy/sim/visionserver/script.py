"""What the simulated model says, and the ways in which it fails."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """The five answers about one frame, under the names that the wire has."""

    SOCCER: Any = True
    SCREEN: Any = False
    CLOCK: Any = None
    ADDED: Any = None
    STOPPAGE_CLOCK: Any = None


class Mode(StrEnum):
    """How the server behaves. The first group still answers what was asked."""

    PLAIN = "plain"
    FENCED = "fenced"
    PROSE = "prose"
    LOOSE = "loose"
    ONE_PICTURE = "one_picture"

    LYING = "lying"
    """What is said of one picture is denied for the next, and not clear for the third."""
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


def lied(said: Said, turn: int) -> Said:
    """The truth, its opposite, or neither, in turns."""
    clock = "11:11" if said.CLOCK != "11:11" else "88:11"
    opposite = Said(SOCCER=not said.SOCCER, SCREEN=not said.SCREEN, CLOCK=clock)
    return (said, opposite, Said(SOCCER="perhaps", SCREEN="perhaps"))[turn % 3]


def as_object(said: Sequence[Said]) -> Json:
    return {f"frame_{index + 1}": asdict(one) for index, one in enumerate(said)}


def _plain(said: Sequence[Said]) -> str:
    return json.dumps(as_object(said))


def _prose(said: Sequence[Said]) -> str:
    return f"Sure! I looked at {{every}} frame carefully.\n\n{_plain(said)}\n\nLet me know if you need more."


def _loose(said: Sequence[Said]) -> str:
    """Lower-case names, words for booleans, a word for nothing."""
    words = {True: "yes", False: "NO", None: "N/A"}
    frames = {name: {key.lower(): words.get(value, value) for key, value in fields.items()}
              for name, fields in as_object(said).items()}  # fmt: skip
    return json.dumps(frames)


def _missing(said: Sequence[Said]) -> str:
    kept = {name: {"CLOCK": fields["CLOCK"], "SCREEN": False} for name, fields in as_object(said).items()}
    return json.dumps(kept)


def _wrong_types(said: Sequence[Said]) -> str:
    wrong = {name: {**fields, "SOCCER": "perhaps", "CLOCK": [34, 12]} for name, fields in as_object(said).items()}
    return json.dumps(wrong)


def _two_answers(said: Sequence[Said]) -> str:
    turned = [Said(SOCCER=not one.SOCCER, SCREEN=not one.SCREEN) for one in said]
    return f"Either {_plain(said)} or {_plain(turned)}"


def _twice_named(said: Sequence[Said]) -> str:
    return _plain(said).replace('"SOCCER": true', '"SOCCER": true, "SOCCER": false')


TEXTS: dict[Mode, Callable[[Sequence[Said]], str]] = {
    Mode.FENCED: lambda said: f"```json\n{_plain(said)}\n```",
    Mode.PROSE: _prose,
    Mode.LOOSE: _loose,
    Mode.NOT_JSON: lambda _: "SOCCER=yes SCREEN=no CLOCK=45:00",
    Mode.OTHER_LANGUAGE: lambda _: "这是一场足球比赛,时间显示为四十五分钟。{足球:是}",
    Mode.HUGE: lambda said: "goal " * 100_000 + _plain(said),
    Mode.MISSING_FIELDS: _missing,
    Mode.WRONG_TYPES: _wrong_types,
    Mode.OTHER_FRAMES: lambda said: _plain(said).replace("frame_", "image_"),
    Mode.TWO_ANSWERS: _two_answers,
    Mode.TWICE_NAMED: _twice_named,
    Mode.DEEP: lambda _: '{"a":' * 3_000,
    Mode.A_LIST: lambda said: json.dumps([[asdict(one)] for one in said]),
    Mode.CUT: lambda said: _plain(said)[:-20],
}


def text_of(mode: Mode, said: Sequence[Said]) -> str:
    return TEXTS.get(mode, _plain)(said)
