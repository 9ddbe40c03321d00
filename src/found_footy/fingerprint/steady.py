"""Is motion alike all the time and all over the picture, or only in one part that two strangers may share?"""

import numpy as np

from found_footy.fingerprint.motion import Floats, Track, along
from found_footy.fingerprint.signature import COLUMNS, ROWS

WINDOW = 8  # grid points: one second
ALIKE = 0.2  # strangers' windows are at zero, give or take half of this
CORNER = (4, 6)  # rows and columns of cells: a picture in the picture, with what an encoder lets leak out


def steadiness(a: Track, b: Track, mirror: bool, shift: int) -> float:
    """Share of the motion that lies in seconds which are alike."""
    alike, weight = along(a, b, mirror, shift)
    if len(alike) < WINDOW:
        return 0.0
    kernel = np.ones(WINDOW, np.float32)
    sums, weights = np.convolve(alike * weight, kernel, "valid"), np.convolve(weight, kernel, "valid")
    good = (sums >= ALIKE * weights) * weights
    return float(good.sum() / max(float(weights.sum()), 1e-6))


def cornered(a: Track, b: Track, mirror: bool, shift: int) -> float:
    """Share of what is alike that lies in one corner."""
    start, end = max(0, -shift), min(len(a), len(b) - shift)
    mine, theirs = a.facing(mirror)[start:end], b.vectors[start + shift : end + shift]
    weight = a.weight[start:end] + b.weight[start + shift : end + shift]
    cells: Floats = np.einsum("ij,ij,i->j", mine, theirs, weight).reshape(ROWS, COLUMNS)
    down, across = CORNER
    corners = (
        cells[y, x].sum() for y in (slice(down), slice(-down, None)) for x in (slice(across), slice(-across, None))
    )
    return float(max(corners) / max(float(cells.sum()), 1e-6))
