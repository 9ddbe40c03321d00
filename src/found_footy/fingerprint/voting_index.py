"""An inverted index with voting: which stored tracks may contain a query's motion, and at which shift.

Every second grid point that moves is stored under a few short codes: the signs of random projections of its vector.
Copies share codes far more often than chance, and at one constant shift. A query also looks up the codes that differ in
one of its least certain signs: a cropped or framed copy is found there. Codes are kept in sorted runs that are merged
as they grow, so that adding stays cheap and a query is a few binary searches.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.matrix_products import multiply_transposed
from found_footy.fingerprint.motion_alignment import Floats, MotionTrack
from found_footy.fingerprint.motion_signature import CELLS

CODE_BITS, TABLE_COUNT = 16, 8
INDEX_INTERVAL_POINTS = 2  # grid points
MIN_INDEXED_WEIGHT = 0.02
SHIFT_BIN_POINTS = 4  # grid points: copies drift, and only every second point is stored
POINTS_PER_SLOT = 1 << 13  # more grid points than a fingerprint can have
MIN_VOTES = 3
UNCERTAIN_BITS = 6  # signs of a code that are also looked up inverted, one at a time

Codes = NDArray[np.uint32]
_PROJECTION_DIRECTIONS = (
    np.random.default_rng(20).normal(size=(CELLS, TABLE_COUNT * CODE_BITS)).astype(np.float32).T.copy()
)
_BIT_VALUES = (1 << np.arange(CODE_BITS, dtype=np.uint32)).astype(np.float32)
_TABLE_OFFSETS = (np.arange(TABLE_COUNT, dtype=np.uint32) << np.uint32(CODE_BITS))[None, :]


@dataclass(frozen=True)
class SlotVotes:
    slot: int
    probe: int  # which of the query's tracks
    shift: int  # grid points, stored minus query; exact to within a bin
    count: int


def compute_codes(vectors: Floats) -> Codes:
    return _to_codes(_project_vectors(vectors))


def _project_vectors(vectors: Floats) -> Floats:
    return multiply_transposed(vectors, _PROJECTION_DIRECTIONS).reshape(len(vectors), TABLE_COUNT, CODE_BITS)


def _to_codes(projected: Floats) -> Codes:
    codes_: Codes = ((projected > 0) @ _BIT_VALUES).astype(np.uint32) | _TABLE_OFFSETS
    return codes_


def compute_nearby_codes(vectors: Floats) -> Codes:
    """The codes of each vector, and those that differ in one of its least certain signs."""
    projected = _project_vectors(vectors)
    exact = _to_codes(projected)
    doubtful = np.argpartition(np.abs(projected), UNCERTAIN_BITS, axis=2)[:, :, :UNCERTAIN_BITS]
    turned = exact[:, :, None] ^ (np.uint32(1) << doubtful.astype(np.uint32))
    return np.concatenate([exact, turned.reshape(len(vectors), TABLE_COUNT * UNCERTAIN_BITS)], axis=1)


@dataclass(frozen=True)
class _SortedRun:
    codes: Codes  # sorted
    postings: NDArray[np.int64]  # slot × POINTS_PER_SLOT + grid point

    def __len__(self) -> int:
        return len(self.codes)


def _sort_run(codes_: Codes, posts: NDArray[np.int64]) -> _SortedRun:
    order = np.argsort(codes_, kind="stable")
    return _SortedRun(codes_[order], posts[order])


class VotingIndex:
    def __init__(self) -> None:
        self._runs: list[_SortedRun] = []
        self._pending: list[tuple[Codes, NDArray[np.int64]]] = []

    def add(self, slot: int, track: MotionTrack) -> None:
        points = np.flatnonzero(track.weight[::INDEX_INTERVAL_POINTS] > MIN_INDEXED_WEIGHT) * INDEX_INTERVAL_POINTS
        filed = compute_codes(track.vectors[points])
        posts = np.repeat(slot * POINTS_PER_SLOT + points, TABLE_COUNT)
        self._pending.append((filed.ravel(), posts))

    def drop(self, slots: frozenset[int]) -> None:
        """Remove the entries of these slots."""
        self._merge_runs()
        gone = np.array(sorted(slots))
        keep = [(run, ~np.isin(run.postings // POINTS_PER_SLOT, gone)) for run in self._runs]
        self._runs = [_SortedRun(run.codes[kept], run.postings[kept]) for run, kept in keep]

    def query(self, probes: list[tuple[MotionTrack, bool]]) -> list[SlotVotes]:
        """Each probe is a track, and whether it is mirrored. Most votes first."""
        self._merge_runs()
        found = [self._find_ballots(number, track, mirror) for number, (track, mirror) in enumerate(probes)]
        ballots = np.concatenate([*found, np.empty(0, np.int64)])
        keys, counts = np.unique(ballots[_mask_repeated(ballots)], return_counts=True)
        telling = counts >= MIN_VOTES
        keys, counts = keys[telling], counts[telling]
        order = np.argsort(-counts, kind="stable")
        return [_decode_ballot(int(keys[i]), int(counts[i])) for i in order]

    def _find_ballots(self, number: int, track: MotionTrack, mirror: bool) -> NDArray[np.int64]:
        points = np.flatnonzero(track.weight > MIN_INDEXED_WEIGHT)
        nearby = compute_nearby_codes(track.get_vectors(mirror)[points])
        # Sorted lookups reach neighbouring parts of a run, which are then in the CPU cache.
        order = np.argsort(nearby, axis=None)
        asked, times = nearby.ravel()[order], np.repeat(points, nearby.shape[1])[order]
        return np.concatenate(
            [_collect_ballots(run, asked, times, number) for run in self._runs] or [np.empty(0, np.int64)]
        )

    def _merge_runs(self) -> None:
        if self._pending:
            arrived = zip(*self._pending, strict=True)
            self._runs.append(_sort_run(*(np.concatenate(part) for part in arrived)))
            self._pending = []
        while len(self._runs) > 1 and len(self._runs[-2]) < 3 * len(self._runs[-1]):
            last, before = self._runs.pop(), self._runs.pop()
            merged = np.concatenate([before.codes, last.codes]), np.concatenate([before.postings, last.postings])
            self._runs.append(_sort_run(*merged))


_MAX_PROBES = 64
_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def _mask_repeated(ballots: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ballots can be among `MIN_VOTES` equal ones: counted by a hash, because nearly all occur once, and sorting
    them all would take most of a query's time.
    """
    bits = max(10, int(4 * len(ballots)).bit_length())
    places = (ballots.astype(np.uint64) * _HASH_MULTIPLIER >> np.uint64(64 - bits)).astype(np.int64)
    return np.bincount(places, minlength=1)[places] >= MIN_VOTES


def _collect_ballots(run: _SortedRun, asked: Codes, times: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """One key of slot, probe and shift per entry under any of the codes."""
    first, last = np.searchsorted(run.codes, asked, "left"), np.searchsorted(run.codes, asked, "right")
    lengths = last - first
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    posts = run.postings[starts + np.arange(len(starts))]
    bins = (posts % POINTS_PER_SLOT - np.repeat(times, lengths) + POINTS_PER_SLOT) // SHIFT_BIN_POINTS
    return (posts // POINTS_PER_SLOT * _MAX_PROBES + number) * POINTS_PER_SLOT + bins


def _decode_ballot(key: int, count: int) -> SlotVotes:
    slot_and_probe, bin_ = divmod(key, POINTS_PER_SLOT)
    slot, probe = divmod(slot_and_probe, _MAX_PROBES)
    return SlotVotes(slot, probe, bin_ * SHIFT_BIN_POINTS - POINTS_PER_SLOT + SHIFT_BIN_POINTS // 2, count)
