"""Rates how alike the motion of two clips is at each alignment.

Per grid point: cosine of the ternary vectors, the best within one point of drift. Over the overlap: the mean, weighted
by how much moves in either clip. A short burst (a wipe, a flash) may not outweigh the rest of a calm clip. During
camera pans more is demanded: two pans over the same ground are always somewhat alike.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.diagonals import diagonal_shifts, skew_matrix
from found_footy.fingerprint.matrix_products import multiply_transposed
from found_footy.fingerprint.motion_signature import CELLS, COLUMNS, ENERGY_SCALE, MOTION_REACH_POINTS, ROWS, MotionView

Floats = NDArray[np.float32]

GRID_STEP_SECONDS = 0.125  # seconds
NO_MOTION_ENERGY, FULL_MOTION_ENERGY = 0.4, 4.0  # gray levels of energy
MAX_BURST_FACTOR = 1.0  # times the clip's median weight
MIN_WEIGHT_CAP = 0.03
MIN_MOTION_SECONDS = 0.3  # seconds at full weight
MAX_STILL_SECONDS = 0.6  # of motion at most in a clip that counts as still
MIN_OVERLAP_SECONDS = 1.25  # seconds
MIN_OVERLAP_SHARE = 0.4  # of the shorter clip
SHORT_OVERLAP_SECONDS, SHORT_OVERLAP_PENALTY = 2.0, 0.08
LIVELY_CLIP_PENALTY = 0.09
MAX_COARSE_ROWS = 120  # of a long clip are enough to find the best alignments
MIN_RATING_TO_REFINE = 0.15
NEIGHBOUR_POINTS = 6  # grid points: motion changes little in less
MAX_REFINED_ALIGNMENTS = 6  # alignments that are then scored in full


@dataclass(frozen=True)
class MotionAlignment:
    """`rating` is the score less what is demanded of short overlaps and lively clips; `shift` is in grid points, b
    minus a. Copies are alike at one alignment only, pans over the same ground are slightly alike at many.
    """

    score: float
    rating: float
    shift: int
    overlap: float
    lead: float = 0.0  # of the rating over that of any other alignment


NO_ALIGNMENT = MotionAlignment(0.0, -1.0, 0, 0.0)


class MotionTrack:
    """A view prepared for comparisons."""

    def __init__(self, view: MotionView) -> None:
        self._view = view
        energy = view.energy.astype(np.float32) / ENERGY_SCALE
        self.motion = np.clip((energy - NO_MOTION_ENERGY) / (FULL_MOTION_ENERGY - NO_MOTION_ENERGY), 0, 1).astype(
            np.float32
        )
        self.motion_seconds = float(self.motion.sum()) * GRID_STEP_SECONDS
        self.median_motion = float(np.median(self.motion)) if len(view) else 0.0

    def __len__(self) -> int:
        return len(self._view)

    @property
    def is_still(self) -> bool:
        return self.motion_seconds < MAX_STILL_SECONDS

    @cached_property
    def weight(self) -> Floats:
        return np.minimum(self.motion, max(MAX_BURST_FACTOR * self.median_motion, MIN_WEIGHT_CAP))

    @cached_property
    def vectors(self) -> Floats:
        ternary = self._view.ternary_vectors()
        length = np.sqrt(np.maximum(np.einsum("ij,ij->i", ternary, ternary), 1))
        unit: Floats = ternary / length[:, None]
        return unit

    @cached_property
    def mirrored_vectors(self) -> Floats:
        return np.ascontiguousarray(self.vectors.reshape(-1, ROWS, COLUMNS)[:, :, ::-1]).reshape(-1, CELLS)

    def drop_cache(self) -> None:
        """Drop what can be recomputed, ten times the size of the view itself."""
        for name in ("vectors", "mirrored_vectors"):
            self.__dict__.pop(name, None)

    def get_vectors(self, mirror: bool) -> Floats:
        return self.mirrored_vectors if mirror else self.vectors


def compute_similarity(a: Floats, b: Floats) -> Floats:
    plain = multiply_transposed(a, b)
    best = plain.copy()
    np.maximum(best[:, 1:], plain[:, :-1], out=best[:, 1:])
    np.maximum(best[:, :-1], plain[:, 1:], out=best[:, :-1])
    return best


def align_tracks(a: MotionTrack, b: MotionTrack, mirror: bool) -> MotionAlignment:
    """Return the best alignment of b (mirrored or not) with a."""
    if not len(a) or not len(b):
        return NO_ALIGNMENT
    stride = -(-len(a) // MAX_COARSE_ROWS)
    alike = compute_similarity(a.vectors[::stride], b.get_vectors(mirror))
    alike *= a.weight[::stride, None] + b.weight
    places = diagonal_shifts(len(alike), len(b), stride)
    ratings = _rate_shifts(a, b, places, skew_matrix(alike, stride).sum(axis=0) * stride)
    lead = _rating_lead(ratings, places)
    if stride > 1 and ratings.max() >= MIN_RATING_TO_REFINE:
        places = places[np.argsort(ratings, kind="stable")[-MAX_REFINED_ALIGNMENTS:]]
        ratings = _rate_individually(a, b, mirror, places)
    return replace(_best_alignment(a, b, mirror, ratings, places), lead=lead)


def _rating_lead(ratings: NDArray[np.float64], places: NDArray[np.int64]) -> float:
    best = int(ratings.argmax())
    others = ratings[np.abs(places - places[best]) > NEIGHBOUR_POINTS]
    return float(ratings[best] - max(0.0, others.max(initial=0.0)))


def rate_near_shift(a: MotionTrack, b: MotionTrack, mirror: bool, shift: int, reach: int) -> float:
    """Return the best rating around one shift."""
    nearby = np.arange(shift - reach // 2, shift + reach // 2 + 1, 2)
    places = nearby[(nearby > -len(a)) & (nearby < len(b))]
    return float(_rate_individually(a, b, mirror, places).max(initial=NO_ALIGNMENT.rating))


def _rate_individually(a: MotionTrack, b: MotionTrack, mirror: bool, places: NDArray[np.int64]) -> NDArray[np.float64]:
    return _rate_shifts(a, b, places, np.array([_sum_at_shift(a, b, mirror, int(shift)) for shift in places]))


def _rate_shifts(
    a: MotionTrack, b: MotionTrack, places: NDArray[np.int64], sums: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Mean similarity less penalties at each shift, -1 where too little overlaps or moves."""
    start, end = _overlap_spans(a, b, places)
    weights = _sum_between(a.weight, start, end) + _sum_between(b.weight, start + places, end + places)
    moves = (
        (_sum_between(a.motion, start, end) + _sum_between(b.motion, start + places, end + places))
        * GRID_STEP_SECONDS
        / 2
    )
    overlap = _to_seconds(end - start)
    least = max(MIN_OVERLAP_SECONDS, MIN_OVERLAP_SHARE * float(_to_seconds(min(len(a), len(b)))))
    means = sums / np.maximum(weights, 1e-6) - _penalty(a, b, overlap)
    return np.where((overlap >= least) & (moves >= MIN_MOTION_SECONDS), means, NO_ALIGNMENT.rating)


def _penalty(a: MotionTrack, b: MotionTrack, overlap: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(overlap < SHORT_OVERLAP_SECONDS, SHORT_OVERLAP_PENALTY, 0.0) + LIVELY_CLIP_PENALTY * min(
        a.median_motion, b.median_motion
    )


def _overlap_spans(
    a: MotionTrack, b: MotionTrack, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and one past last point of a that has a counterpart in b, at each shift."""
    return np.maximum(0, -places), np.minimum(len(a), len(b) - places)


def _to_seconds(points: NDArray[np.int64] | int) -> NDArray[np.float64]:
    return (np.asarray(points) + 2 * MOTION_REACH_POINTS) * GRID_STEP_SECONDS


def _sum_between(values: Floats, start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.float64]:
    running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    total: NDArray[np.float64] = running[end] - running[start]
    return total


def _refine_shift(a: MotionTrack, b: MotionTrack, mirror: bool, shift: int) -> int:
    """With drift allowed, the neighbours of the true shift rate as high; without drift, they do not."""
    near = [shift + step for step in (0, -1, 1) if -len(a) < shift + step < len(b)]
    return max(near, key=lambda place: _sum_at_shift(a, b, mirror, place, drifts=(0,)))


def _sum_at_shift(
    a: MotionTrack, b: MotionTrack, mirror: bool, shift: int, drifts: tuple[int, ...] = (-1, 0, 1)
) -> float:
    """The sum of `align_tracks` along one diagonal, without the other diagonals."""
    alike, weight = compare_at_shift(a, b, mirror, shift, drifts)
    return float(alike @ weight)


def compare_at_shift(
    a: MotionTrack, b: MotionTrack, mirror: bool, shift: int, drifts: tuple[int, ...] = (-1, 0, 1)
) -> tuple[Floats, Floats]:
    """Similarity and weight at each point of a that has a counterpart in b."""
    start, end = max(0, -shift), min(len(a), len(b) - shift)
    mine, theirs = a.get_vectors(mirror), b.vectors
    best = np.full(end - start, -1.0, np.float32)
    for drift in drifts:
        low, high = max(start, -shift - drift), min(end, len(b) - shift - drift)
        dots = np.einsum("ij,ij->i", mine[low:high], theirs[low + shift + drift : high + shift + drift])
        part = best[low - start : high - start]
        np.maximum(part, dots, out=part)
    return best, a.weight[start:end] + b.weight[start + shift : end + shift]


def _best_alignment(
    a: MotionTrack, b: MotionTrack, mirror: bool, ratings: NDArray[np.float64], places: NDArray[np.int64]
) -> MotionAlignment:
    at = int(ratings.argmax())
    rating = float(ratings[at])
    if rating <= NO_ALIGNMENT.rating:
        return NO_ALIGNMENT
    shift = _refine_shift(a, b, mirror, int(places[at])) if rating >= MIN_RATING_TO_REFINE else int(places[at])
    overlap = float(_to_seconds(min(len(a), len(b) - shift) - max(0, -shift)))
    score = rating + float(_penalty(a, b, np.array(overlap)))
    return MotionAlignment(min(max(score, 0.0), 1.0), rating, shift, overlap)
