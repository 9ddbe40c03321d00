"""The same motion in pieces: clips from which something was cut, or into which something was put."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.diagonals import skewed
from found_footy.fingerprint.motion import LEAST_MOTION, Floats, Track, similarity

WINDOW = 14  # grid points: 1.75 s
ALIKE = 0.65
ENOUGH_MOTION = 0.7  # of the shorter clip
ENOUGH_TIME = 0.5  # of the shorter clip: a busy opening on a calm clip is not the clip
LEAST_WEIGHT = 0.25  # of the shorter clip's mean; a window with less says nothing
CHUNK = 128


@dataclass(frozen=True)
class Cover:
    """How much of the shorter clip is found somewhere in the longer one."""

    motion: float
    time: float

    @property
    def enough(self) -> bool:
        return self.motion >= ENOUGH_MOTION and self.time >= ENOUGH_TIME


NOTHING = Cover(0.0, 0.0)


def cover(a: Track, b: Track, mirror: bool) -> Cover:
    """How much of a, the shorter one, lies in windows that b (seen in a mirror or not) has too, anywhere."""
    total = float(a.weight.sum())
    if len(a) < WINDOW or len(b) < WINDOW or min(a.seconds, b.seconds) < LEAST_MOTION:
        return NOTHING
    alike = similarity(a.vectors, b.facing(mirror))
    if float(a.weight @ alike.max(axis=1)) < ALIKE * ENOUGH_MOTION * total:
        return NOTHING
    starts = range(0, len(a) - WINDOW + 1, CHUNK)
    found = np.concatenate([_windows(alike[s : s + CHUNK + WINDOW - 1], a, b, s) for s in starts])
    inside = np.convolve(found, np.ones(WINDOW)) > 0
    return Cover(float(a.weight[inside].sum()) / total, float(inside.mean()))


def _windows(alike: Floats, a: Track, b: Track, start: int) -> NDArray[np.bool_]:
    """For each window of these rows: is there a place in b where the motion is alike throughout?"""
    weight: Floats = (a.weight[start : start + len(alike), None] + b.weight) / np.float32(2)
    sums, weights = _window_sums(alike * weight), _window_sums(weight)
    count, columns = sums.shape
    begin = np.arange(columns) - np.arange(count)[:, None]  # in b, of the window's last row: rows run backwards
    whole = (begin >= WINDOW - 1) & (begin < alike.shape[1])
    telling = weights >= LEAST_WEIGHT * WINDOW * float(a.weight.mean())
    found: NDArray[np.bool_] = (whole & telling & (sums >= ALIKE * weights)).any(axis=1)
    return found[::-1]


def _window_sums(matrix: Floats) -> Floats:
    running = np.cumsum(skewed(matrix), axis=0)
    sums = running[WINDOW - 1 :].copy()
    sums[1:] -= running[:-WINDOW]
    return sums
