"""What a reader is given: pictures of a clip, and the minute that its clock should show."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

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


class FrameWanted(Exception):
    """A frame is needed that has not been taken out yet: the one in the middle, or one beside that `at` this time."""

    def __init__(self, at: float | None = None) -> None:
        super().__init__("the middle" if at is None else f"beside {at} s")
        self.at = at


@dataclass(frozen=True, eq=False)
class Beside:
    """One more frame, about two seconds from another, in the clip's own size; None if it cannot be decoded. `small`
    are those on the way from the one to the other.
    """

    frame: Frame | None
    small: tuple[Frame, ...] = ()


@dataclass(frozen=True, eq=False)
class ClipFrames:
    """The frames of one clip, in the order of time.

    `outer` are those at a quarter and at three quarters of its length, `middle` the one at a half, all in the clip's
    own size. `small` are up to eight further ones about 0.35 s apart, 640 × 360 or less, that show whether the score
    bug stands still; without them nobody can tell a filmed screen. A frame that could not be decoded is left out.

    Few clips need their middle, or a frame beside another one: where `later` and `take_beside` are given, they take
    those out when they are asked for. `besides` has what was taken out beside the frame at that time.
    """

    outer: tuple[Frame, ...]
    middle: Frame | None = None
    small: tuple[Frame, ...] = ()
    later: Callable[[], Awaitable[Frame | None]] | None = None
    take_beside: Callable[[float], Awaitable[Beside]] | None = None
    besides: Mapping[float, Beside] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Frame, ...]:
        """Those in the clip's own size, each time once."""
        more = (self.middle, *(beside.frame for beside in self.besides.values()))
        by_time = {frame.at: frame for frame in (*more, *self.outer) if frame is not None}
        return tuple(by_time[at] for at in sorted(by_time))

    @property
    def has_middle(self) -> bool:
        """Whether the middle can be had without taking it out."""
        return self.later is None and self.middle is not None

    def the_middle(self) -> Frame | None:
        """None if there is none; FrameWanted if that is not known yet."""
        if self.later is not None:
            raise FrameWanted
        return self.middle

    def beside(self, at: float) -> Beside:
        """FrameWanted if it has not been taken out yet; nothing where nobody can."""
        if at not in self.besides and self.take_beside is not None:
            raise FrameWanted(at)
        return self.besides.get(at, Beside(None))

    async def whole(self) -> "ClipFrames":
        """The same with its middle."""
        return self if self.later is None else replace(self, middle=await self.later(), later=None)

    async def with_beside(self, at: float) -> "ClipFrames":
        """The same with one more frame beside that at this time."""
        if at in self.besides or self.take_beside is None:
            return self
        return replace(self, besides={**self.besides, at: await self.take_beside(at)})

    async def with_wanted(self, wanted: FrameWanted) -> "ClipFrames":
        return await (self.whole() if wanted.at is None else self.with_beside(wanted.at))


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
