"""Finds the picture within the frame: without bars, blurred fill or a static banner around it.

Boxes are in thumbnail pixels. The first one is the most probable picture; the others are further guesses, which cost
space in the fingerprint and are therefore made only if they differ.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

GrayPictures = NDArray[np.uint8]
Profile = NDArray[np.float32]

MAX_ANALYZED_FRAMES = 24
MAX_BAR_RANGE = 5  # gray levels; compression leaves that much in a black bar
MIN_BAR_FRAME_SHARE = 0.75  # of the frames
MIN_FRAME_RANGE = 24  # a frame with less is a fade or a flat card and is no evidence of bars
MIN_PICTURE_SHARE = 0.2  # share of the frame that must remain on either side
MAX_FILL_DETAIL_RATIO = 0.33  # a blurred fill has at most this share of the picture's detail
MIN_SEAM_RATIO = 3.0  # and its seam exceeds the steps inside the fill by this factor
MIN_MEAN_CHANGE = 0.1  # gray levels from one grid point to the next, on average; less counts as no motion
MAX_QUIET_RATIO = 0.25  # of the busier lines' change
MIN_CHANGE_JUMP = 2.5
LEAKED_CHANGE = 0.05  # gray levels
EDGE_SEARCH_LINES = 7  # lines
MIN_EDGE_STEEPNESS = 0.1  # of the busier lines' change, from one line to the next
WIDE_ASPECT = 16 / 9
CHUNK_PICTURES = 64
MAX_TALL_ASPECT = 1.05  # width divided by height up to which a frame counts as tall


class CropBox(NamedTuple):
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

    def is_different_from(self, other: "CropBox") -> bool:
        return max(abs(a - b) for a, b in zip(self, other, strict=True)) > 0.03 * max(self.height, self.width)

    def shift_down(self, down: float) -> "CropBox":
        return CropBox(self.top + down, self.bottom + down, self.left, self.right)

    def narrow(self, share: float) -> "CropBox":
        dx = self.width * (1 - share) / 2
        return CropBox(self.top, self.bottom, self.left + dx, self.right - dx)

    def zoom(self, share: float) -> "CropBox":
        dy, dx = self.height * (1 - share) / 2, self.width * (1 - share) / 2
        return CropBox(self.top + dy, self.bottom - dy, self.left + dx, self.right - dx)


def find_picture_boxes(pictures: GrayPictures, aspect: float) -> list[CropBox]:
    looked_at = _select_frames(pictures)
    if not len(looked_at):
        return [_whole_box(pictures)]
    unbarred = _crop_bars(looked_at)
    active = _crop_blurred_fill(looked_at, unbarred)
    out = [active]
    # A supposed fill may be fog above and grass below, in one part of a clip and not in another.
    for guess in (_find_moving_area(pictures, active), _find_wide_in_tall(looked_at, aspect), unbarred):
        if guess and all(guess.is_different_from(box) for box in out):
            out.append(guess)
    return out


def _whole_box(pictures: GrayPictures) -> CropBox:
    return CropBox(0, pictures.shape[1], 0, pictures.shape[2])


def _select_frames(pictures: GrayPictures) -> NDArray[np.float32]:
    """Select up to `MAX_ANALYZED_FRAMES` frames, evenly spread, without blank ones."""
    span = pictures.max(axis=(1, 2)).astype(int) - pictures.min(axis=(1, 2))
    telling = np.flatnonzero(span >= MIN_FRAME_RANGE)
    chosen = telling[np.linspace(0, len(telling) - 1, min(len(telling), MAX_ANALYZED_FRAMES)).round().astype(int)]
    frames: NDArray[np.float32] = pictures[chosen].astype(np.float32)
    return frames


def _find_bar_edges(bar: NDArray[np.bool_]) -> tuple[int, int]:
    """First and one past last line that is no bar; everything if too little would remain."""
    inside = np.flatnonzero(~bar)
    if not len(inside) or inside[-1] + 1 - inside[0] < MIN_PICTURE_SHARE * len(bar):
        return 0, len(bar)
    return int(inside[0]), int(inside[-1]) + 1


def _crop_bars(frames: NDArray[np.float32]) -> CropBox:
    top, bottom = _find_bar_edges((np.ptp(frames, axis=2) < MAX_BAR_RANGE).mean(axis=0) >= MIN_BAR_FRAME_SHARE)
    left, right = _find_bar_edges(
        (np.ptp(frames[:, top:bottom], axis=1) < MAX_BAR_RANGE).mean(axis=0) >= MIN_BAR_FRAME_SHARE
    )
    return CropBox(top, bottom, left, right)


def _crop_blurred_fill(frames: NDArray[np.float32], box: CropBox) -> CropBox:
    top, bottom, left, right = (int(n) for n in box)
    inner = frames[:, top:bottom, left:right]
    rows = _measure_fill_depth(inner)
    if rows:
        return CropBox(top + rows, bottom - rows, left, right)
    columns = _measure_fill_depth(inner.transpose(0, 2, 1))
    return CropBox(top, bottom, left + columns, right - columns)


def _measure_fill_depth(frames: NDArray[np.float32]) -> int:
    """Count the lines above and below that are a blurred fill: soft, ending in a straight seam at the same distance."""
    size = frames.shape[1]
    detail = np.abs(np.diff(frames, n=2, axis=2)).mean(axis=(0, 2))
    step = np.abs(frames[:, 2:] - frames[:, :-2]).mean(axis=(0, 2))  # step[i]: across line i + 1
    best, best_ratio = 0, MIN_SEAM_RATIO
    for depth in range(4, int(size * (1 - MIN_PICTURE_SHARE) / 2)):
        outside = np.r_[detail[: depth - 1], detail[size - depth + 1 :]].mean()
        inside = detail[depth + 1 : size - depth - 1].mean()
        if outside > MAX_FILL_DETAIL_RATIO * inside:
            continue
        calm = np.r_[step[: depth - 2], step[size - depth + 1 :]].mean() + 0.5
        seam = min(step[depth - 2 : depth + 1].max(), step[size - depth - 3 : size - depth].max())
        if seam / calm > best_ratio:
            best, best_ratio = depth, float(seam / calm)
    return best


def _find_moving_area(pictures: GrayPictures, box: CropBox) -> CropBox | None:
    """Return the moving part if it is clearly smaller than the picture: the rest may be a template around it."""
    top, bottom, left, right = (int(n) for n in box)
    change = _measure_change(pictures[:, top:bottom, left:right])
    if change.mean() < MIN_MEAN_CHANGE:
        return None
    y0, y1 = _find_busy_range(change.mean(axis=1))
    x0, x1 = _find_busy_range(change[y0:y1].mean(axis=0))
    return CropBox(top + y0, top + y1, left + x0, left + x1)


def _measure_change(pictures: GrayPictures) -> NDArray[np.float64]:
    """Mean change in gray levels from one grid point to the next; in chunks, because minutes of pictures are large."""
    total = np.zeros(pictures.shape[1:])
    for start in range(0, len(pictures) - 1, CHUNK_PICTURES):
        total += np.abs(np.diff(pictures[start : start + CHUNK_PICTURES + 1].astype(np.int16), axis=0)).sum(axis=0)
    return total / max(1, len(pictures) - 1)


def _find_busy_range(profile: NDArray[np.floating]) -> tuple[int, int]:
    """Where the lines that change begin and end."""
    start, end = _count_calm_lines(profile), len(profile) - _count_calm_lines(profile[::-1])
    return (start, end) if end - start >= MIN_PICTURE_SHARE * len(profile) else (0, len(profile))


def _count_calm_lines(profile: NDArray[np.floating]) -> int:
    """Count the lines before the greatest jump in change, if those before it are calm. An encoder lets a little motion
    leak out, and a lawn fades into calm; the edge of a template is sudden.
    """
    at = np.arange(4, len(profile) - 4)
    before = (profile[at - 4] + profile[at - 3] + profile[at - 2]) / 3
    after = (profile[at + 1] + profile[at + 2] + profile[at + 3]) / 3
    outside = np.cumsum(profile)[at - 1] / at
    usual = np.percentile(profile, 75)
    jump = np.where(outside < MAX_QUIET_RATIO * usual, (after + LEAKED_CHANGE) / (before + LEAKED_CHANGE), 0)
    if not len(at) or jump.max() < MIN_CHANGE_JUMP:
        return 0
    return _find_steepest_line(profile, int(at[jump.argmax()]), MIN_EDGE_STEEPNESS * float(usual))


def _find_steepest_line(profile: NDArray[np.floating], near: int, least: float) -> int:
    """Leaked motion begins before the edge; the edge is where change grows most from line to line."""
    lines = np.arange(near - 2, min(near + EDGE_SEARCH_LINES, len(profile)))
    steps = profile[lines] - profile[lines - 1]
    return int(lines[steps.argmax()]) if steps.max() >= least else near


def _find_wide_in_tall(frames: NDArray[np.float32], aspect: float) -> CropBox | None:
    """A tall frame most often shows a wide picture across its middle, which may have bars itself."""
    if aspect > MAX_TALL_ASPECT:
        return None
    side = frames.shape[1]
    depth = round(side * (1 - aspect / WIDE_ASPECT) / 2)
    return _crop_bars(frames[:, depth : side - depth]).shift_down(depth)
