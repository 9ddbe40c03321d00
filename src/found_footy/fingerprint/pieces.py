"""The same motion in pieces: clips from which something was cut, into which something was put, or that run faster.

A piece is motion that is alike throughout a window, at one shift. Few pieces must explain the clip: where a camera
pans over the same ground twice, windows are alike too, but each at a shift of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.diagonals import skewed
from found_footy.fingerprint.motion import LEAST_MOTION, Floats, Track, similarity
from found_footy.fingerprint.products import product

WINDOW = 14  # grid points: 1.75 s
ALIKE = 0.75
MOST_PIECES = 3
SPREAD = 2  # grid points that shifts of one piece may differ: another speed
ENOUGH_MOTION = 0.7  # of the shorter clip
ENOUGH_TIME = 0.5  # of the shorter clip: a busy opening on a calm clip is not the clip
LEAST_WEIGHT = 0.25  # of the shorter clip's mean; a window with less says nothing
CHUNK = 128

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Cover:
    """How much of the shorter clip is found in the longer one."""

    motion: float
    time: float

    @property
    def enough(self) -> bool:
        return self.motion >= ENOUGH_MOTION and self.time >= ENOUGH_TIME


NOTHING = Cover(0.0, 0.0)


def cover(a: Track, b: Track, mirror: bool) -> Cover:
    """How much of a, the shorter one, lies in pieces that b (seen in a mirror or not) has too."""
    total = float(a.weight.sum())
    if len(a) < WINDOW or len(b) < WINDOW or min(a.seconds, b.seconds) < LEAST_MOTION:
        return NOTHING
    alike = similarity(a.vectors, b.facing(mirror))
    if float(a.weight @ alike.max(axis=1)) < ALIKE * ENOUGH_MOTION * total:
        return NOTHING
    inside = _explained(_spread_out(_windows(alike, a, b)), a.weight)
    return Cover(float(a.weight[inside].sum()) / total, float(inside.mean()))


def _windows(alike: Floats, a: Track, b: Track) -> Flags:
    """Row w, column c: is the motion alike all through the window that starts at w, at the shift of diagonal c?"""
    rows, columns = alike.shape
    found = np.zeros((rows - WINDOW + 1, rows + columns - 1), bool)
    for start in range(0, len(found), CHUNK):
        part = alike[start : start + CHUNK + WINDOW - 1]
        weight = (a.weight[start : start + len(part), None] + b.weight) / np.float32(2)
        first = rows - start - len(part)
        found[start : start + CHUNK, first : first + len(part) + columns - 1] = _whole_windows(part, weight, a)
    return found


def _whole_windows(alike: Floats, weight: Floats, a: Track) -> Flags:
    sums, weights = _window_sums(alike * weight), _window_sums(weight)
    partner = np.arange(sums.shape[1]) - np.arange(len(sums))[:, None]  # in b, of the last row: rows run backwards
    whole = (partner >= WINDOW - 1) & (partner < alike.shape[1])
    telling = weights >= LEAST_WEIGHT * WINDOW * float(a.weight.mean())
    found: Flags = whole & telling & (sums >= ALIKE * weights)
    return found[::-1]


def _window_sums(matrix: Floats) -> Floats:
    running = np.cumsum(skewed(matrix), axis=0)
    sums = running[WINDOW - 1 :].copy()
    sums[1:] -= running[:-WINDOW]
    return sums


def _spread_out(found: Flags) -> Flags:
    """Per point of a and shift, for shifts that have any window: does the point lie in one, at about this shift?"""
    used = found[:, found.any(axis=0)].astype(np.int32)
    padded = np.vstack(
        [np.zeros((WINDOW, used.shape[1]), np.int32), used, np.zeros((WINDOW - 1, used.shape[1]), np.int32)]
    )
    running = np.cumsum(padded, axis=0)
    points = running[WINDOW:] > running[:-WINDOW]
    shift = np.flatnonzero(found.any(axis=0))
    near = np.abs(shift[:, None] - shift) <= SPREAD
    return product(points.astype(np.float32), near.astype(np.float32)) > 0


def _explained(points: Flags, weight: Floats) -> Flags:
    """The points of a that the few best shifts explain."""
    inside = np.zeros(len(weight), bool)
    for _ in range(MOST_PIECES if points.size else 0):
        gains = np.einsum("i,ij->j", np.where(inside, 0, weight), points)
        inside |= points[:, int(gains.argmax())]
    return inside
