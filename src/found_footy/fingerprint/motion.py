"""How alike the motion of two clips is at each alignment.

Per grid point: cosine of the ternary vectors, the best within one point of drift. Over the overlap: the mean, weighted
by how much moves in either clip. A short burst (a wipe, a flash) may not outweigh the rest of a calm clip. Where a
camera pans, more is demanded: two pans over the same ground are alike by nature.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.diagonals import shifts, skewed
from found_footy.fingerprint.products import product
from found_footy.fingerprint.signature import CELLS, COLUMNS, ENERGY_SCALE, REACH, ROWS, View

Floats = NDArray[np.float32]

STEP = 0.125  # seconds
NO_MOTION, FULL_MOTION = 0.4, 4.0  # gray levels of energy
BURST = 1.0  # times the clip's median weight
LEAST_CAP = 0.03
LEAST_MOTION = 0.3  # seconds at full weight
STILL_SECONDS = 0.6  # of motion at most in a clip that counts as still
LEAST_OVERLAP = 1.25  # seconds
LEAST_SHARE = 0.4  # of the shorter clip
SHORT_OVERLAP, SHORT_PENALTY = 2.0, 0.08
LIVELY_PENALTY = 0.09
COARSE_ROWS = 120  # of a long clip are enough to find the best alignments
WORTH_REFINING = 0.15
NEIGHBOURS = 6  # grid points: motion changes little in less
REFINED = 6  # alignments that are then scored in full


@dataclass(frozen=True)
class Alignment:
    """`rating` is the score less what is demanded of short overlaps and lively clips; `shift` is in grid points, b
    minus a. Copies are alike at one alignment only, pans over the same ground are a little alike at many."""

    score: float
    rating: float
    shift: int
    overlap: float
    lead: float = 0.0  # of the rating over that of any other alignment


NOWHERE = Alignment(0.0, -1.0, 0, 0.0)


class Track:
    """A view made ready for comparing."""

    def __init__(self, view: View) -> None:
        self._view = view
        energy = view.energy.astype(np.float32) / ENERGY_SCALE
        self.motion = np.clip((energy - NO_MOTION) / (FULL_MOTION - NO_MOTION), 0, 1).astype(np.float32)
        self.seconds = float(self.motion.sum()) * STEP
        self.usual = float(np.median(self.motion)) if len(view) else 0.0

    def __len__(self) -> int:
        return len(self._view)

    @property
    def still(self) -> bool:
        return self.seconds < STILL_SECONDS

    @cached_property
    def weight(self) -> Floats:
        return np.minimum(self.motion, max(BURST * self.usual, LEAST_CAP))

    @cached_property
    def vectors(self) -> Floats:
        ternary = self._view.ternary()
        length = np.sqrt(np.maximum(np.einsum("ij,ij->i", ternary, ternary), 1))
        unit: Floats = ternary / length[:, None]
        return unit

    @cached_property
    def mirrored(self) -> Floats:
        return np.ascontiguousarray(self.vectors.reshape(-1, ROWS, COLUMNS)[:, :, ::-1]).reshape(-1, CELLS)

    def forget(self) -> None:
        """Drop what can be made again, ten times the size of the view itself."""
        for name in ("vectors", "mirrored"):
            self.__dict__.pop(name, None)

    def facing(self, mirror: bool) -> Floats:
        return self.mirrored if mirror else self.vectors


def similarity(a: Floats, b: Floats) -> Floats:
    plain = product(a, b)
    best = plain.copy()
    np.maximum(best[:, 1:], plain[:, :-1], out=best[:, 1:])
    np.maximum(best[:, :-1], plain[:, 1:], out=best[:, :-1])
    return best


def align(a: Track, b: Track, mirror: bool) -> Alignment:
    """The best alignment of b (seen in a mirror or not) with a."""
    if not len(a) or not len(b):
        return NOWHERE
    stride = -(-len(a) // COARSE_ROWS)
    alike = similarity(a.vectors[::stride], b.facing(mirror))
    alike *= a.weight[::stride, None] + b.weight
    places = shifts(len(alike), len(b), stride)
    ratings = _rated(a, b, places, skewed(alike, stride).sum(axis=0) * stride)
    lead = _lead(ratings, places)
    if stride > 1 and ratings.max() >= WORTH_REFINING:
        places = places[np.argsort(ratings, kind="stable")[-REFINED:]]
        ratings = _rated_one_by_one(a, b, mirror, places)
    return replace(_alignment(a, b, mirror, ratings, places), lead=lead)


def _lead(ratings: NDArray[np.float64], places: NDArray[np.int64]) -> float:
    best = int(ratings.argmax())
    others = ratings[np.abs(places - places[best]) > NEIGHBOURS]
    return float(ratings[best] - max(0.0, others.max(initial=0.0)))


def rating_near(a: Track, b: Track, mirror: bool, shift: int, reach: int) -> float:
    """The best rating around one shift."""
    nearby = np.arange(shift - reach // 2, shift + reach // 2 + 1, 2)
    places = nearby[(nearby > -len(a)) & (nearby < len(b))]
    return float(_rated_one_by_one(a, b, mirror, places).max(initial=NOWHERE.rating))


def _rated_one_by_one(a: Track, b: Track, mirror: bool, places: NDArray[np.int64]) -> NDArray[np.float64]:
    return _rated(a, b, places, np.array([_sum_at(a, b, mirror, int(shift)) for shift in places]))


def _rated(a: Track, b: Track, places: NDArray[np.int64], sums: NDArray[np.floating]) -> NDArray[np.float64]:
    """Mean similarity less penalties at each shift, -1 where too little overlaps or moves."""
    start, end = _spans(a, b, places)
    weights = _between(a.weight, start, end) + _between(b.weight, start + places, end + places)
    moves = (_between(a.motion, start, end) + _between(b.motion, start + places, end + places)) * STEP / 2
    overlap = _seconds(end - start)
    least = max(LEAST_OVERLAP, LEAST_SHARE * float(_seconds(min(len(a), len(b)))))
    means = sums / np.maximum(weights, 1e-6) - _penalty(a, b, overlap)
    return np.where((overlap >= least) & (moves >= LEAST_MOTION), means, NOWHERE.rating)


def _penalty(a: Track, b: Track, overlap: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(overlap < SHORT_OVERLAP, SHORT_PENALTY, 0.0) + LIVELY_PENALTY * min(a.usual, b.usual)


def _spans(a: Track, b: Track, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and one past last point of a that has a partner in b, at each shift."""
    return np.maximum(0, -places), np.minimum(len(a), len(b) - places)


def _seconds(points: NDArray[np.int64] | int) -> NDArray[np.float64]:
    return (np.asarray(points) + 2 * REACH) * STEP


def _between(values: Floats, start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.float64]:
    running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    total: NDArray[np.float64] = running[end] - running[start]
    return total


def _settled(a: Track, b: Track, mirror: bool, shift: int) -> int:
    """With drift allowed for, the neighbours of the true shift rate as high; without it, they do not."""
    near = [shift + step for step in (0, -1, 1) if -len(a) < shift + step < len(b)]
    return max(near, key=lambda place: _sum_at(a, b, mirror, place, drifts=(0,)))


def _sum_at(a: Track, b: Track, mirror: bool, shift: int, drifts: tuple[int, ...] = (-1, 0, 1)) -> float:
    """What `align` sums along one diagonal, without the other diagonals."""
    alike, weight = along(a, b, mirror, shift, drifts)
    return float(alike @ weight)


def along(a: Track, b: Track, mirror: bool, shift: int, drifts: tuple[int, ...] = (-1, 0, 1)) -> tuple[Floats, Floats]:
    """Similarity and weight at each point of a that has a partner in b."""
    start, end = max(0, -shift), min(len(a), len(b) - shift)
    mine, theirs = a.facing(mirror), b.vectors
    best = np.full(end - start, -1.0, np.float32)
    for drift in drifts:
        low, high = max(start, -shift - drift), min(end, len(b) - shift - drift)
        dots = np.einsum("ij,ij->i", mine[low:high], theirs[low + shift + drift : high + shift + drift])
        part = best[low - start : high - start]
        np.maximum(part, dots, out=part)
    return best, a.weight[start:end] + b.weight[start + shift : end + shift]


def _alignment(a: Track, b: Track, mirror: bool, ratings: NDArray[np.float64], places: NDArray[np.int64]) -> Alignment:
    at = int(ratings.argmax())
    rating = float(ratings[at])
    if rating <= NOWHERE.rating:
        return NOWHERE
    shift = _settled(a, b, mirror, int(places[at])) if rating >= WORTH_REFINING else int(places[at])
    overlap = float(_seconds(min(len(a), len(b) - shift) - max(0, -shift)))
    score = rating + float(_penalty(a, b, np.array(overlap)))
    return Alignment(min(max(score, 0.0), 1.0), rating, shift, overlap)
