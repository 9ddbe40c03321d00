"""Matches clips in pieces: copies from which something was cut, into which something was inserted, or that run faster.

A piece is motion that is alike throughout a window, at one shift. Few pieces must explain the clip: if a camera pans
over the same ground twice, windows are alike too, but each at another shift.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.diagonals import skew_matrix
from found_footy.fingerprint.matrix_products import multiply_transposed
from found_footy.fingerprint.motion_alignment import MIN_MOTION_SECONDS, Floats, MotionTrack, compute_similarity

WINDOW_POINTS = 14  # grid points: 1.75 s
MIN_WINDOW_SIMILARITY = 0.75
MAX_PIECES = 3
MAX_SHIFT_SPREAD = 2  # grid points that the shifts of one piece may differ: another playback speed
MIN_MOTION_COVERAGE = 0.7  # of the shorter clip
MIN_TIME_COVERAGE = 0.5  # of the shorter clip: a shared busy opening of a calm clip is not enough
MIN_WINDOW_WEIGHT = 0.25  # of the shorter clip's mean; a window with less is no evidence
CHUNK_ROWS = 128

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class PieceCoverage:
    """How much of the shorter clip is found in the longer one."""

    motion: float
    time: float

    @property
    def is_sufficient(self) -> bool:
        return self.motion >= MIN_MOTION_COVERAGE and self.time >= MIN_TIME_COVERAGE


NO_COVERAGE = PieceCoverage(0.0, 0.0)


def measure_coverage(a: MotionTrack, b: MotionTrack, mirror: bool) -> PieceCoverage:
    """Measure how much of a, the shorter one, lies in pieces that b (mirrored or not) has too."""
    total = float(a.weight.sum())
    if len(a) < WINDOW_POINTS or len(b) < WINDOW_POINTS or min(a.motion_seconds, b.motion_seconds) < MIN_MOTION_SECONDS:
        return NO_COVERAGE
    alike = compute_similarity(a.vectors, b.get_vectors(mirror))
    if float(a.weight @ alike.max(axis=1)) < MIN_WINDOW_SIMILARITY * MIN_MOTION_COVERAGE * total:
        return NO_COVERAGE
    inside = _points_of_best_shifts(_points_in_windows(_find_alike_windows(alike, a, b)), a.weight)
    return PieceCoverage(float(a.weight[inside].sum()) / total, float(inside.mean()))


def _find_alike_windows(alike: Floats, a: MotionTrack, b: MotionTrack) -> BoolArray:
    """Row w, column c: is the motion alike throughout the window that starts at w, at the shift of diagonal c?"""
    rows, columns = alike.shape
    found = np.zeros((rows - WINDOW_POINTS + 1, rows + columns - 1), bool)
    for start in range(0, len(found), CHUNK_ROWS):
        part = alike[start : start + CHUNK_ROWS + WINDOW_POINTS - 1]
        weight = (a.weight[start : start + len(part), None] + b.weight) / np.float32(2)
        first = rows - start - len(part)
        found[start : start + CHUNK_ROWS, first : first + len(part) + columns - 1] = _find_windows_in_chunk(
            part, weight, a
        )
    return found


def _find_windows_in_chunk(alike: Floats, weight: Floats, a: MotionTrack) -> BoolArray:
    sums, weights = _window_sums(alike * weight), _window_sums(weight)
    partner = np.arange(sums.shape[1]) - np.arange(len(sums))[:, None]  # in b, of the last row: rows are in reverse
    whole = (partner >= WINDOW_POINTS - 1) & (partner < alike.shape[1])
    telling = weights >= MIN_WINDOW_WEIGHT * WINDOW_POINTS * float(a.weight.mean())
    found: BoolArray = whole & telling & (sums >= MIN_WINDOW_SIMILARITY * weights)
    return found[::-1]


def _window_sums(matrix: Floats) -> Floats:
    running = np.cumsum(skew_matrix(matrix), axis=0)
    sums = running[WINDOW_POINTS - 1 :].copy()
    sums[1:] -= running[:-WINDOW_POINTS]
    return sums


def _points_in_windows(found: BoolArray) -> BoolArray:
    """Per point of a and shift, for shifts that have any window: does the point lie in one, at about this shift?"""
    used = found[:, found.any(axis=0)].astype(np.int32)
    padded = np.vstack(
        [
            np.zeros((WINDOW_POINTS, used.shape[1]), np.int32),
            used,
            np.zeros((WINDOW_POINTS - 1, used.shape[1]), np.int32),
        ]
    )
    running = np.cumsum(padded, axis=0)
    points = running[WINDOW_POINTS:] > running[:-WINDOW_POINTS]
    shift = np.flatnonzero(found.any(axis=0))
    near = np.abs(shift[:, None] - shift) <= MAX_SHIFT_SPREAD
    return multiply_transposed(points.astype(np.float32), near.astype(np.float32)) > 0


def _points_of_best_shifts(points: BoolArray, weight: Floats) -> BoolArray:
    """The points of a that the few best shifts explain."""
    inside = np.zeros(len(weight), bool)
    for _ in range(MAX_PIECES if points.size else 0):
        gains = np.einsum("i,ij->j", np.where(inside, 0, weight), points)
        inside |= points[:, int(gains.argmax())]
    return inside
