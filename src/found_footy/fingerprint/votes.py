"""Which stored tracks may hold a query's motion, and where: an inverted index with voting.

Every second grid point that moves is filed under a few short codes: the signs of random projections of its vector.
Copies fall under the same code far more often than chance, and at one constant shift. A query also looks under the
codes that differ in one of its least certain signs: a copy that was cropped or framed falls there. Codes are kept in
sorted runs that are merged as they grow, so that adding stays cheap and a query is a handful of binary searches.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.motion import Floats, Track
from found_footy.fingerprint.products import product
from found_footy.fingerprint.signature import CELLS

BITS, TABLES = 16, 8
FILED_EVERY = 2  # grid points
LEAST_WEIGHT = 0.02
SHIFT_BIN = 4  # grid points: copies drift, and are filed at every second point
TIMES = 1 << 13  # more grid points than a fingerprint can have
LEAST_VOTES = 3
DOUBTFUL = 6  # signs of a code, each of which is also tried the other way round

Codes = NDArray[np.uint32]
_DIRECTIONS = np.random.default_rng(20).normal(size=(CELLS, TABLES * BITS)).astype(np.float32).T.copy()
_PLACES = (1 << np.arange(BITS, dtype=np.uint32)).astype(np.float32)
_TABLE = (np.arange(TABLES, dtype=np.uint32) << np.uint32(BITS))[None, :]


@dataclass(frozen=True)
class Vote:
    slot: int
    probe: int  # which of the query's tracks
    shift: int  # grid points, stored minus query; right to within a bin
    count: int


def codes(vectors: Floats) -> Codes:
    return _codes(_projected(vectors))


def _projected(vectors: Floats) -> Floats:
    return product(vectors, _DIRECTIONS).reshape(len(vectors), TABLES, BITS)


def _codes(projected: Floats) -> Codes:
    codes_: Codes = ((projected > 0) @ _PLACES).astype(np.uint32) | _TABLE
    return codes_


def nearby_codes(vectors: Floats) -> Codes:
    """The codes of each vector, and those that differ in one of the signs that are the least certain."""
    projected = _projected(vectors)
    exact = _codes(projected)
    doubtful = np.argpartition(np.abs(projected), DOUBTFUL, axis=2)[:, :, :DOUBTFUL]
    turned = exact[:, :, None] ^ (np.uint32(1) << doubtful.astype(np.uint32))
    return np.concatenate([exact, turned.reshape(len(vectors), TABLES * DOUBTFUL)], axis=1)


@dataclass(frozen=True)
class _Run:
    codes: Codes  # sorted
    posts: NDArray[np.int64]  # slot × TIMES + grid point

    def __len__(self) -> int:
        return len(self.codes)


def _sorted_run(codes_: Codes, posts: NDArray[np.int64]) -> _Run:
    order = np.argsort(codes_, kind="stable")
    return _Run(codes_[order], posts[order])


class Votes:
    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._waiting: list[tuple[Codes, NDArray[np.int64]]] = []

    def add(self, slot: int, track: Track) -> None:
        points = np.flatnonzero(track.weight[::FILED_EVERY] > LEAST_WEIGHT) * FILED_EVERY
        filed = codes(track.vectors[points])
        posts = np.repeat(slot * TIMES + points, TABLES)
        self._waiting.append((filed.ravel(), posts))

    def drop(self, slots: frozenset[int]) -> None:
        """Forget these slots' entries."""
        self._settle()
        gone = np.array(sorted(slots))
        keep = [(run, ~np.isin(run.posts // TIMES, gone)) for run in self._runs]
        self._runs = [_Run(run.codes[kept], run.posts[kept]) for run, kept in keep]

    def query(self, probes: list[tuple[Track, bool]]) -> list[Vote]:
        """Each probe is a track, to be seen in a mirror or not. Most votes first."""
        self._settle()
        found = [self._found(number, track, mirror) for number, (track, mirror) in enumerate(probes)]
        ballots = np.concatenate([*found, np.empty(0, np.int64)])
        keys, counts = np.unique(ballots[_may_repeat(ballots)], return_counts=True)
        telling = counts >= LEAST_VOTES
        keys, counts = keys[telling], counts[telling]
        order = np.argsort(-counts, kind="stable")
        return [_vote(int(keys[i]), int(counts[i])) for i in order]

    def _found(self, number: int, track: Track, mirror: bool) -> NDArray[np.int64]:
        points = np.flatnonzero(track.weight > LEAST_WEIGHT)
        nearby = nearby_codes(track.facing(mirror)[points])
        # In order, neighbours are found in the same part of a run, which is then at hand.
        order = np.argsort(nearby, axis=None)
        asked, times = nearby.ravel()[order], np.repeat(points, nearby.shape[1])[order]
        return np.concatenate([_ballots(run, asked, times, number) for run in self._runs] or [np.empty(0, np.int64)])

    def _settle(self) -> None:
        if self._waiting:
            arrived = zip(*self._waiting, strict=True)
            self._runs.append(_sorted_run(*(np.concatenate(part) for part in arrived)))
            self._waiting = []
        while len(self._runs) > 1 and len(self._runs[-2]) < 3 * len(self._runs[-1]):
            last, before = self._runs.pop(), self._runs.pop()
            merged = np.concatenate([before.codes, last.codes]), np.concatenate([before.posts, last.posts])
            self._runs.append(_sorted_run(*merged))


_PROBES = 64
_MIXER = np.uint64(0x9E3779B97F4A7C15)


def _may_repeat(ballots: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ballots can be among LEAST_VOTES equal ones: counted by a hash, because nearly all are alone, and sorting
    them all would take most of a query's time.
    """
    bits = max(10, int(4 * len(ballots)).bit_length())
    places = (ballots.astype(np.uint64) * _MIXER >> np.uint64(64 - bits)).astype(np.int64)
    return np.bincount(places, minlength=1)[places] >= LEAST_VOTES


def _ballots(run: _Run, asked: Codes, times: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """One key for slot, probe and shift per entry under any of the codes asked for."""
    first, last = np.searchsorted(run.codes, asked, "left"), np.searchsorted(run.codes, asked, "right")
    lengths = last - first
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    posts = run.posts[starts + np.arange(len(starts))]
    bins = (posts % TIMES - np.repeat(times, lengths) + TIMES) // SHIFT_BIN
    return (posts // TIMES * _PROBES + number) * TIMES + bins


def _vote(key: int, count: int) -> Vote:
    slot_and_probe, bin_ = divmod(key, TIMES)
    slot, probe = divmod(slot_and_probe, _PROBES)
    return Vote(slot, probe, bin_ * SHIFT_BIN - TIMES + SHIFT_BIN // 2, count)
