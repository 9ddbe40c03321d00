"""What a reader is given: pictures of a clip, and the minute that its clock should show."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from found_footy.vision.clock import TOLERANCE

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture: `at` seconds into the clip, `pixels` as height × width × 3 bytes, red first."""

    at: float
    pixels: Pixels

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])


class MiddleWanted(Exception):
    """The frame in the middle is needed, and has not been taken out yet."""


@dataclass(frozen=True, eq=False)
class ClipFrames:
    """The frames of one clip, in the order of time.

    `outer` are those at a quarter and at three quarters of its length, `middle` the one at a half, all in the clip's
    own size. `small` are up to eight further ones about 0.35 s apart, 640 × 360 or less, that show whether the score
    bug stands still; without them nobody can tell a filmed screen. A frame that could not be decoded is left out.

    Few clips need their middle: where `later` is given, it takes that out when it is asked for.
    """

    outer: tuple[Frame, ...]
    middle: Frame | None = None
    small: tuple[Frame, ...] = ()
    later: Callable[[], Awaitable[Frame | None]] | None = None

    @property
    def all(self) -> tuple[Frame, ...]:
        frames = self.outer if self.middle is None else (*self.outer, self.middle)
        return tuple(sorted(frames, key=lambda frame: frame.at))

    def the_middle(self) -> Frame | None:
        """None if there is none; MiddleWanted if that is not known yet."""
        if self.later is not None:
            raise MiddleWanted
        return self.middle

    async def whole(self) -> "ClipFrames":
        """The same with its middle."""
        return self if self.later is None else replace(self, middle=await self.later(), later=None)


@dataclass(frozen=True)
class Expected:
    """The minute of the goal as the feed has it: 90+3 is `elapsed` 90 and `extra` 3."""

    elapsed: int
    extra: int | None = None
    tolerance: int = TOLERANCE

    @property
    def minute(self) -> int:
        return self.elapsed + (self.extra or 0)

    def __str__(self) -> str:
        return f"{self.elapsed}+{self.extra}" if self.extra else str(self.elapsed)
