"""What a clip shows and how its file differs from another. The values here are the content key of a rendered file."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from json import dumps
from typing import Any

# Part of every content key: increase it when the pictures change, so that old files are rendered anew.
RENDER_VERSION = 7


class SceneKind(StrEnum):
    """What the pictures show. Only the first group is football of a match, and only GOAL has a match clock."""

    GOAL = "goal"
    REPLAY = "replay"
    FAN_CAM = "fan_cam"

    STUDIO = "studio"
    ADVERT = "advert"
    CARD = "card"
    AMERICAN_FOOTBALL = "american_football"
    TENNIS = "tennis"
    BASKETBALL = "basketball"
    BLANK = "blank"


class ClockFormat(StrEnum):
    """How a broadcaster writes the match clock."""

    RUNS_ON = "runs_on"
    """46:34 and 91:12: the clock runs on through added time."""
    SMALL_TIMER = "small_timer"
    """45:00 is stopped, and 01:34 runs in a separate box, beside the announced minutes: +4 01:34."""
    RESTARTS = "restarts"
    """2T 04:53: every half starts at zero, with its name beside it."""


@dataclass(frozen=True)
class TeamKit:
    short: str
    shirt: str
    shorts: str


@dataclass(frozen=True)
class ClipScene:
    """`clock` is the match second at the goal, which is at `moment` of the clip's length.

    `regular` is the last regular minute of the running half (45, 90, 105, 120): after it the clock is in added time.
    `seed` determines the play: the same goal from another `angle` (1 to 6) is another recording of the same play.
    `design` is the shape of the score bug, or "none"; `style` a broadcaster's colours, typeface, position and words in
    that shape (0 has the design's plain ones). `form` overrides how that broadcaster writes the clock. `added` is the
    announced added time in minutes; 0 announces as many as are needed. The last `replay` seconds are a replay of the
    goal in slow motion from another camera, behind a wipe and without a clock. For scenes without a match `seed` alone
    determines the picture.
    """

    show: SceneKind
    home: TeamKit
    away: TeamKit
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
    style: int = 0
    form: ClockFormat | None = None
    added: int = 0
    replay: float = 0.0


@dataclass(frozen=True)
class ClipChange:
    """How a file is derived from another one. The default is a plain re-encode: same pictures, other bytes.

    `crop` cuts this share off every edge; `light` brightens or darkens. `portrait` cuts 9:16 out of the middle,
    `blurred` fills 9:16 around the whole picture with its own blur; `letterbox` puts black bars above and below.
    `banner` is a fan page's template: a coloured field with its name around the picture; `stamp` a line of text near
    the bottom, `corner` a half transparent mark in a corner. `filmed` is a phone in front of a television. `recorder`
    is the timer of a screen recorder, which started that many seconds before the file does. `then` is a scene appended
    to the file, as it was broadcast. `seed` varies how banners, corners and filming look.
    """

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
    crop: float = 0.0
    light: float = 1.0
    blurred: bool = False
    banner: str = ""
    corner: str = ""
    seed: int = 0
    recorder: float | None = None
    then: ClipScene | None = None


def content_key(scene: ClipScene, changes: tuple[ClipChange, ...] = ()) -> str:
    """The name of the file that these values describe; equal values give equal names and equal bytes."""
    described = dumps([RENDER_VERSION, asdict(scene), [_describe_change(change) for change in changes]], sort_keys=True)
    return sha256(described.encode()).hexdigest()[:32]


def _describe_change(change: ClipChange) -> dict[str, Any]:
    """Rarely used fields are left out when unset, so that existing files keep their names."""
    values = asdict(change)
    return {name: value for name, value in values.items() if value is not None or name not in ("recorder", "then")}
