"""Is motion alike at all times and all over the picture, or only in one part that two unrelated clips may share?"""

import numpy as np

from found_footy.fingerprint.motion_alignment import Floats, MotionTrack, compare_at_shift
from found_footy.fingerprint.motion_signature import COLUMNS, ROWS

WINDOW_POINTS = 8  # grid points: one second
MIN_WINDOW_SIMILARITY = 0.2  # windows of unrelated clips are at zero, give or take half of this
CORNER_CELLS = (4, 6)  # rows and columns of cells: an inset picture, with the motion that an encoder lets leak out


def measure_steadiness(a: MotionTrack, b: MotionTrack, mirror: bool, shift: int) -> float:
    """The share of the motion that lies in seconds which are alike."""
    alike, weight = compare_at_shift(a, b, mirror, shift)
    if len(alike) < WINDOW_POINTS:
        return 0.0
    kernel = np.ones(WINDOW_POINTS, np.float32)
    sums, weights = np.convolve(alike * weight, kernel, "valid"), np.convolve(weight, kernel, "valid")
    good = (sums >= MIN_WINDOW_SIMILARITY * weights) * weights
    return float(good.sum() / max(float(weights.sum()), 1e-6))


def measure_corner_share(a: MotionTrack, b: MotionTrack, mirror: bool, shift: int) -> float:
    """The share of the similarity that lies in one corner."""
    start, end = max(0, -shift), min(len(a), len(b) - shift)
    mine, theirs = a.get_vectors(mirror)[start:end], b.vectors[start + shift : end + shift]
    weight = a.weight[start:end] + b.weight[start + shift : end + shift]
    cells: Floats = np.einsum("ij,ij,i->j", mine, theirs, weight).reshape(ROWS, COLUMNS)
    down, across = CORNER_CELLS
    corners = (
        cells[y, x].sum() for y in (slice(down), slice(-down, None)) for x in (slice(across), slice(-across, None))
    )
    return float(max(corners) / max(float(cells.sum()), 1e-6))
