"""Input of a reader: frames of a clip."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

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
    """A frame that has not been decoded yet is needed: the middle one, or a neighbour of the frame `at` this time."""

    def __init__(self, at: float | None = None) -> None:
        super().__init__("the middle" if at is None else f"beside {at} s")
        self.at = at


@dataclass(frozen=True, eq=False)
class NeighbourFrames:
    """A neighbour of another frame, about two seconds away, in the clip's own size; None if it cannot be decoded.
    `small_frames` lie between the two.
    """

    frame: Frame | None
    small_frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, eq=False)
class ClipFrames:
    """The frames of one clip, in order of time.

    `outer_frames` are at a quarter and at three quarters of its length, `middle_frame` at a half, all in the clip's own
    size. `small_frames` are up to eight more, about 0.35 s apart, 640 × 360 or less, that show whether the score bug
    stays in place; without them a filmed screen cannot be detected. A frame that could not be decoded is left out.

    Few clips need their middle or a neighbour: where `load_middle` and `load_neighbour` are given, they decode those on
    demand. `neighbours` holds the decoded ones by the time of the frame they belong to.
    """

    outer_frames: tuple[Frame, ...]
    middle_frame: Frame | None = None
    small_frames: tuple[Frame, ...] = ()
    load_middle: Callable[[], Awaitable[Frame | None]] | None = None
    load_neighbour: Callable[[float], Awaitable[NeighbourFrames]] | None = None
    neighbours: Mapping[float, NeighbourFrames] = field(default_factory=dict)

    @property
    def full_size_frames(self) -> tuple[Frame, ...]:
        """The frames in the clip's own size, one per time."""
        more = (self.middle_frame, *(beside.frame for beside in self.neighbours.values()))
        by_time = {frame.at: frame for frame in (*more, *self.outer_frames) if frame is not None}
        return tuple(by_time[at] for at in sorted(by_time))

    @property
    def has_loaded_middle(self) -> bool:
        """Whether the middle frame is there without decoding it."""
        return self.load_middle is None and self.middle_frame is not None

    def require_middle(self) -> Frame | None:
        """Return the middle frame, None if there is none. Raises FrameNotLoaded if it has not been decoded yet."""
        if self.load_middle is not None:
            raise FrameNotLoaded
        return self.middle_frame

    def require_neighbour(self, at: float) -> NeighbourFrames:
        """Raises FrameNotLoaded if it has not been decoded yet; empty where it cannot be decoded on demand."""
        if at not in self.neighbours and self.load_neighbour is not None:
            raise FrameNotLoaded(at)
        return self.neighbours.get(at, NeighbourFrames(None))

    async def with_middle(self) -> "ClipFrames":
        """Return the same frames with the middle one decoded."""
        return (
            self if self.load_middle is None else replace(self, middle_frame=await self.load_middle(), load_middle=None)
        )

    async def with_neighbour(self, at: float) -> "ClipFrames":
        """Return the same frames with the neighbour of the frame at this time decoded."""
        if at in self.neighbours or self.load_neighbour is None:
            return self
        return replace(self, neighbours={**self.neighbours, at: await self.load_neighbour(at)})

    async def with_missing_frame(self, missing: FrameNotLoaded) -> "ClipFrames":
        return await (self.with_middle() if missing.at is None else self.with_neighbour(missing.at))
