"""What a clip shows and how its file differs from another. The values here are the content key of a rendered file."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from json import dumps

# Part of every content key: raise it when the pictures change, so that old files are rendered anew.
LOOK = 4


class Show(StrEnum):
    GOAL = "goal"
    STUDIO = "studio"
    BLANK = "blank"


@dataclass(frozen=True)
class Club:
    short: str
    shirt: str
    shorts: str


@dataclass(frozen=True)
class Scene:
    """`clock` is the match second at the goal moment, which lies at `moment` of the clip's length.

    `regular` is the last regular minute of the running half (45, 90, 105, 120): after it the clock is in added time.
    """

    show: Show
    home: Club
    away: Club
    score: tuple[int, int] = (0, 0)
    scorer_home: bool = True
    clock: int = 1350
    regular: int = 45
    moment: float = 0.5
    duration: float = 10.0
    width: int = 640
    height: int = 360
    fps: int = 25
    seed: int = 1
    design: str = "bar"
    angle: int = 1


@dataclass(frozen=True)
class Change:
    """How a file is made from another one. The default is a plain re-encode: same pictures, other bytes."""

    start: float = 0.0
    end: float | None = None
    width: int | None = None
    height: int | None = None
    crf: int = 28
    fps: int | None = None
    speed: float = 1.0
    mirror: bool = False
    letterbox: bool = False
    portrait: bool = False
    filmed: bool = False
    stamp: str = ""


def content_key(scene: Scene, changes: tuple[Change, ...] = ()) -> str:
    """The name of the file that these values describe; equal values, equal name, equal bytes."""
    described = dumps([LOOK, asdict(scene), [asdict(change) for change in changes]], sort_keys=True)
    return sha256(described.encode()).hexdigest()[:32]
