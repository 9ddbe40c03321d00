"""Where in the frame the picture really is: without bars, blurred fill or a still banner around it.

Boxes are in thumbnail pixels. The first one is what is most likely the picture; others are further guesses, which cost
space in the fingerprint and are therefore made only when they differ.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Pictures = NDArray[np.uint8]
Profile = NDArray[np.float32]

MAX_LOOKED_AT = 24
FLAT_RANGE = 5  # gray levels; compression leaves that much in a black bar
FLAT_SHARE = 0.75  # of the frames
BLANK_RANGE = 24  # a frame with less is a fade or a flat card and says nothing about bars
SMALLEST = 0.2  # share of the frame that must remain on either side
SOFT = 0.33  # a blurred fill has at most this share of the picture's detail
EDGE = 3.0  # and the seam stands out this much against the steps inside the fill
NO_CHANGE = 0.1  # gray levels from one grid point to the next, on average: nothing moves
QUIET = 0.25  # of the busier lines' change
JUMP = 2.5
LEAK = 0.05  # gray levels
EDGE_REACH = 7  # lines
STEEP = 0.1  # of the busier lines' change, from one line to the next
WIDE = 16 / 9
CHUNK = 64
TALL = 1.05  # width by height up to which a frame counts as tall


class Box(NamedTuple):
    top: float
    bottom: float
    left: float
    right: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left

    def differs(self, other: "Box") -> bool:
        return max(abs(a - b) for a, b in zip(self, other, strict=True)) > 0.03 * max(self.height, self.width)

    def moved(self, down: float) -> "Box":
        return Box(self.top + down, self.bottom + down, self.left, self.right)

    def narrowed(self, share: float) -> "Box":
        dx = self.width * (1 - share) / 2
        return Box(self.top, self.bottom, self.left + dx, self.right - dx)

    def zoomed(self, share: float) -> "Box":
        dy, dx = self.height * (1 - share) / 2, self.width * (1 - share) / 2
        return Box(self.top + dy, self.bottom - dy, self.left + dx, self.right - dx)


def boxes(pictures: Pictures, aspect: float) -> list[Box]:
    looked_at = _spread(pictures)
    if not len(looked_at):
        return [_whole(pictures)]
    unbarred = _unbarred(looked_at)
    active = _unfilled(looked_at, unbarred)
    out = [active]
    # What looks like a fill may be fog above and grass below, in one part of a clip and not in another.
    for guess in (_moving(pictures, active), _wide_in_tall(looked_at, aspect), unbarred):
        if guess and all(guess.differs(box) for box in out):
            out.append(guess)
    return out


def _whole(pictures: Pictures) -> Box:
    return Box(0, pictures.shape[1], 0, pictures.shape[2])


def _spread(pictures: Pictures) -> NDArray[np.float32]:
    """Up to so many frames, evenly spread, blank ones left out."""
    span = pictures.max(axis=(1, 2)).astype(int) - pictures.min(axis=(1, 2))
    telling = np.flatnonzero(span >= BLANK_RANGE)
    chosen = telling[np.linspace(0, len(telling) - 1, min(len(telling), MAX_LOOKED_AT)).round().astype(int)]
    frames: NDArray[np.float32] = pictures[chosen].astype(np.float32)
    return frames


def _edges(bar: NDArray[np.bool_]) -> tuple[int, int]:
    """First and one past last line that is no bar; everything if too little would remain."""
    inside = np.flatnonzero(~bar)
    if not len(inside) or inside[-1] + 1 - inside[0] < SMALLEST * len(bar):
        return 0, len(bar)
    return int(inside[0]), int(inside[-1]) + 1


def _unbarred(frames: NDArray[np.float32]) -> Box:
    top, bottom = _edges((np.ptp(frames, axis=2) < FLAT_RANGE).mean(axis=0) >= FLAT_SHARE)
    left, right = _edges((np.ptp(frames[:, top:bottom], axis=1) < FLAT_RANGE).mean(axis=0) >= FLAT_SHARE)
    return Box(top, bottom, left, right)


def _unfilled(frames: NDArray[np.float32], box: Box) -> Box:
    top, bottom, left, right = (int(n) for n in box)
    inner = frames[:, top:bottom, left:right]
    rows = _filled(inner)
    if rows:
        return Box(top + rows, bottom - rows, left, right)
    columns = _filled(inner.transpose(0, 2, 1))
    return Box(top, bottom, left + columns, right - columns)


def _filled(frames: NDArray[np.float32]) -> int:
    """How many lines above and below are a blurred fill: soft, ending in a straight seam at the same distance."""
    size = frames.shape[1]
    detail = np.abs(np.diff(frames, n=2, axis=2)).mean(axis=(0, 2))
    step = np.abs(frames[:, 2:] - frames[:, :-2]).mean(axis=(0, 2))  # step[i]: across line i + 1
    best, best_ratio = 0, EDGE
    for depth in range(4, int(size * (1 - SMALLEST) / 2)):
        outside = np.r_[detail[: depth - 1], detail[size - depth + 1 :]].mean()
        inside = detail[depth + 1 : size - depth - 1].mean()
        if outside > SOFT * inside:
            continue
        calm = np.r_[step[: depth - 2], step[size - depth + 1 :]].mean() + 0.5
        seam = min(step[depth - 2 : depth + 1].max(), step[size - depth - 3 : size - depth].max())
        if seam / calm > best_ratio:
            best, best_ratio = depth, float(seam / calm)
    return best


def _moving(pictures: Pictures, box: Box) -> Box | None:
    """The part where things move, if that is clearly less than the picture: the rest may be a template around it."""
    top, bottom, left, right = (int(n) for n in box)
    change = _change(pictures[:, top:bottom, left:right])
    if change.mean() < NO_CHANGE:
        return None
    y0, y1 = _busy(change.mean(axis=1))
    x0, x1 = _busy(change[y0:y1].mean(axis=0))
    return Box(top + y0, top + y1, left + x0, left + x1)


def _change(pictures: Pictures) -> NDArray[np.float64]:
    """Gray levels from one grid point to the next, on average; a piece at a time, for minutes of pictures are large."""
    total = np.zeros(pictures.shape[1:])
    for start in range(0, len(pictures) - 1, CHUNK):
        total += np.abs(np.diff(pictures[start : start + CHUNK + 1].astype(np.int16), axis=0)).sum(axis=0)
    return total / max(1, len(pictures) - 1)


def _busy(profile: NDArray[np.floating]) -> tuple[int, int]:
    """Where the lines that change begin and end."""
    start, end = _calm(profile), len(profile) - _calm(profile[::-1])
    return (start, end) if end - start >= SMALLEST * len(profile) else (0, len(profile))


def _calm(profile: NDArray[np.floating]) -> int:
    """How many lines before the greatest jump in change, if what lies before it is calm. An encoder lets a little
    motion leak out, and a lawn fades into calm; the edge of a template is sudden."""
    at = np.arange(4, len(profile) - 4)
    before = (profile[at - 4] + profile[at - 3] + profile[at - 2]) / 3
    after = (profile[at + 1] + profile[at + 2] + profile[at + 3]) / 3
    outside = np.cumsum(profile)[at - 1] / at
    usual = np.percentile(profile, 75)
    jump = np.where(outside < QUIET * usual, (after + LEAK) / (before + LEAK), 0)
    if not len(at) or jump.max() < JUMP:
        return 0
    return _steepest(profile, int(at[jump.argmax()]), STEEP * float(usual))


def _steepest(profile: NDArray[np.floating], near: int, least: float) -> int:
    """What leaks out begins before the edge does; the edge is where change grows most from line to line."""
    lines = np.arange(near - 2, min(near + EDGE_REACH, len(profile)))
    steps = profile[lines] - profile[lines - 1]
    return int(lines[steps.argmax()]) if steps.max() >= least else near


def _wide_in_tall(frames: NDArray[np.float32], aspect: float) -> Box | None:
    """A frame taller than it is wide most often shows a wide picture across its middle, which may have bars itself."""
    if aspect > TALL:
        return None
    side = frames.shape[1]
    depth = round(side * (1 - aspect / WIDE) / 2)
    return _unbarred(frames[:, depth : side - depth]).moved(depth)
