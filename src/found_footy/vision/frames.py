"""What a reader is given: pictures of a clip, and the minute that its clock should show."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES

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


class FrameNotLoaded(Exception):
    """A frame is needed that has not been taken out yet: the one in the middle, or one beside that `at` this time."""

    def __init__(self, at: float | None = None) -> None:
        super().__init__("the middle" if at is None else f"beside {at} s")
        self.at = at


@dataclass(frozen=True, eq=False)
class NeighbourFrames:
    """One more frame, about two seconds from another, in the clip's own size; None if it cannot be decoded.
    `small_frames` are those on the way from the one to the other.
    """

    frame: Frame | None
    small_frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, eq=False)
class ClipFrames:
    """The frames of one clip, in the order of time.

    `outer_frames` are those at a quarter and at three quarters of its length, `middle_frame` the one at a half, all in
    the clip's own size. `small_frames` are up to eight further ones about 0.35 s apart, 640 × 360 or less, that show
    whether the score bug stands still; without them nobody can tell a filmed screen. A frame that could not be decoded
    is left out.

    Few clips need their middle, or a frame beside another one: where `load_middle` and `load_neighbour` are given, they
    take those out when they are asked for. `neighbours` has what was taken out beside the frame at that time.
    """

    outer_frames: tuple[Frame, ...]
    middle_frame: Frame | None = None
    small_frames: tuple[Frame, ...] = ()
    load_middle: Callable[[], Awaitable[Frame | None]] | None = None
    load_neighbour: Callable[[float], Awaitable[NeighbourFrames]] | None = None
    neighbours: Mapping[float, NeighbourFrames] = field(default_factory=dict)

    @property
    def full_size_frames(self) -> tuple[Frame, ...]:
        """Those in the clip's own size, each time once."""
        more = (self.middle_frame, *(beside.frame for beside in self.neighbours.values()))
        by_time = {frame.at: frame for frame in (*more, *self.outer_frames) if frame is not None}
        return tuple(by_time[at] for at in sorted(by_time))

    @property
    def has_loaded_middle(self) -> bool:
        """Whether the middle can be had without taking it out."""
        return self.load_middle is None and self.middle_frame is not None

    def require_middle(self) -> Frame | None:
        """None if there is none; FrameWanted if that is not known yet."""
        if self.load_middle is not None:
            raise FrameNotLoaded
        return self.middle_frame

    def require_neighbour(self, at: float) -> NeighbourFrames:
        """FrameWanted if it has not been taken out yet; nothing where nobody can."""
        if at not in self.neighbours and self.load_neighbour is not None:
            raise FrameNotLoaded(at)
        return self.neighbours.get(at, NeighbourFrames(None))

    async def with_middle(self) -> "ClipFrames":
        """The same with its middle."""
        return (
            self if self.load_middle is None else replace(self, middle_frame=await self.load_middle(), load_middle=None)
        )

    async def with_neighbour(self, at: float) -> "ClipFrames":
        """The same with one more frame beside that at this time."""
        if at in self.neighbours or self.load_neighbour is None:
            return self
        return replace(self, neighbours={**self.neighbours, at: await self.load_neighbour(at)})

    async def with_missing_frame(self, missing: FrameNotLoaded) -> "ClipFrames":
        return await (self.with_middle() if missing.at is None else self.with_neighbour(missing.at))


@dataclass(frozen=True)
class ExpectedMinute:
    """The minute of the goal as the feed has it: 90+3 is `elapsed` 90 and `extra` 3."""

    elapsed: int
    extra: int | None = None
    tolerance: int = CLOCK_TOLERANCE_MINUTES

    @property
    def minute(self) -> int:
        return self.elapsed + (self.extra or 0)

    def __str__(self) -> str:
        return f"{self.elapsed}+{self.extra}" if self.extra else str(self.elapsed)
