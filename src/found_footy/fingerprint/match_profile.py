"""Where two clips are alike, second by second, at the alignment at which they are most alike. For people who check a
decision; `compare_fingerprints` makes it.
"""

from dataclasses import dataclass

import numpy as np

from found_footy.fingerprint.comparison import (
    MIN_MATCH_RATING,
    PreparedFingerprint,
    compare_prepared,
    find_best_attempt,
)
from found_footy.fingerprint.match_result import FingerprintMatch
from found_footy.fingerprint.motion_alignment import GRID_STEP_SECONDS, NO_ALIGNMENT, Floats, compare_at_shift
from found_footy.fingerprint.video_fingerprint import Fingerprint

WINDOW_POINTS = 8  # grid points: one second


@dataclass(frozen=True)
class SimilarWindow:
    """`start` is in seconds of the first clip. `similarity` is 0 for unrelated motion and 1 for the same; `motion` says
    how much moves, from 0 to 1.
    """

    start: float
    seconds: float
    similarity: float
    motion: float


@dataclass(frozen=True)
class MatchProfile:
    """`rating` is compared with `needed`; `offset` is how many seconds into the first clip the second begins, also
    where the two do not match.
    """

    match: FingerprintMatch
    rating: float
    needed: float
    offset: float
    mirrored: bool
    windows: tuple[SimilarWindow, ...]


def profile_match(a: Fingerprint, b: Fingerprint) -> MatchProfile:
    one, other = PreparedFingerprint(a), PreparedFingerprint(b)
    match = compare_prepared(one, other)
    is_ordered = one.sort_key <= other.sort_key
    first, second = (one, other) if is_ordered else (other, one)
    best = find_best_attempt(first, second)
    found = best.alignment
    if found.rating <= NO_ALIGNMENT.rating:
        return MatchProfile(match, 0.0, MIN_MATCH_RATING, match.offset, match.mirrored, ())
    alike, weight = compare_at_shift(first.tracks[best.view], second.tracks[best.other], best.mirror, found.shift)
    start = max(0, -found.shift) if is_ordered else max(0, found.shift)
    offset = -found.shift * GRID_STEP_SECONDS * (1 if is_ordered else -1)
    windows = _build_windows(alike, weight, start)
    return MatchProfile(match, found.rating, MIN_MATCH_RATING, offset, best.mirror, windows)


def _build_windows(alike: Floats, weight: Floats, start: int) -> tuple[SimilarWindow, ...]:
    windows = []
    for place in range(0, len(alike), WINDOW_POINTS):
        part, moving = alike[place : place + WINDOW_POINTS], weight[place : place + WINDOW_POINTS]
        total = float(moving.sum())
        similarity = float(part @ moving) / total if total > 0 else 0.0
        windows.append(
            SimilarWindow(
                (start + place) * GRID_STEP_SECONDS,
                len(part) * GRID_STEP_SECONDS,
                float(np.clip(similarity, 0, 1)),
                float(np.clip(moving.mean() / 2, 0, 1)),
            )
        )
    return tuple(windows)
