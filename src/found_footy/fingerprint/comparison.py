"""Compares two fingerprints: are their clips copies of one recording?"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from found_footy.fingerprint import stills
from found_footy.fingerprint.dense_fingerprint import DenseFingerprint, compare_dense
from found_footy.fingerprint.errors import VersionMismatch
from found_footy.fingerprint.match_result import FingerprintMatch, MatchEvidence
from found_footy.fingerprint.motion_alignment import (
    GRID_STEP_SECONDS,
    NO_ALIGNMENT,
    MotionAlignment,
    MotionTrack,
    align_tracks,
)
from found_footy.fingerprint.motion_signature import NARROW_ASPECT_BY_ROLE, ViewRole
from found_footy.fingerprint.pieces import measure_coverage
from found_footy.fingerprint.steadiness import measure_corner_share, measure_steadiness
from found_footy.fingerprint.video_fingerprint import Fingerprint

MIN_MATCH_RATING = 0.55
MIN_FAINT_RATING = 0.4  # enough if the clips are alike at one alignment only, for long enough and throughout
MIN_FAINT_LEAD_RATIO = 0.95  # of the rating: any other alignment rates no higher than the remainder
MIN_FAINT_STEADINESS = 0.95
MIN_FAINT_OVERLAP_SECONDS = 5.0  # seconds; a shorter overlap has too few other alignments
MAX_CORNER_SHARE = 0.85
MIN_RATING_TO_ZOOM = 0.22  # below it, two clips are too different for a zoom to explain
MIN_RATING_FOR_PIECES = 0.2  # below it, no pieces can be alike either
MAX_ASPECT_DIFFERENCE = 1.15  # ratio of two aspect ratios


def compare_fingerprints(a: Fingerprint | DenseFingerprint, b: Fingerprint | DenseFingerprint) -> FingerprintMatch:
    """Symmetric except for the sign of the offset. Raises VersionMismatch for fingerprints of different versions."""
    if isinstance(a, Fingerprint) and isinstance(b, Fingerprint):
        return compare_prepared(PreparedFingerprint(a), PreparedFingerprint(b))
    if isinstance(a, DenseFingerprint) and isinstance(b, DenseFingerprint):
        return compare_dense(a, b) if a.frames <= b.frames else compare_dense(b, a).reverse()
    raise VersionMismatch(a.hash_version, b.hash_version)


class PreparedFingerprint:
    """A fingerprint prepared for comparisons; keep it if it is compared with many others."""

    def __init__(self, fingerprint: Fingerprint) -> None:
        self.fingerprint = fingerprint
        self.tracks = [MotionTrack(view) for view in fingerprint.views]

    def view_numbers(self, *roles: ViewRole) -> list[int]:
        return [number for number, view in enumerate(self.fingerprint.views) if view.role in roles]

    @property
    def sort_key(self) -> tuple[int, bytes]:
        """Orders two clips, so that a pair is always compared in the same direction."""
        planes = (plane for view in self.fingerprint.views for plane in (view.brighter, view.darker, view.energy))
        return len(self.tracks[0]), b"".join(plane.tobytes() for plane in planes)

    @property
    def is_still(self) -> bool:
        return self.tracks[0].is_still

    def drop_cache(self) -> None:
        for track in self.tracks:
            track.drop_cache()


@dataclass(frozen=True)
class _AlignmentAttempt:
    """One view of a against one view of b, mirrored or not."""

    view: int
    other: int
    mirror: bool
    alignment: MotionAlignment = NO_ALIGNMENT


def compare_prepared(a: PreparedFingerprint, b: PreparedFingerprint) -> FingerprintMatch:
    return _compare_ordered(a, b) if a.sort_key <= b.sort_key else _compare_ordered(b, a).reverse()


def _compare_ordered(a: PreparedFingerprint, b: PreparedFingerprint) -> FingerprintMatch:
    if a.is_still and b.is_still:
        shown = _compare_stills(a, b)
        if shown.matched:
            return shown
    best = find_best_attempt(a, b)
    found = _decide_match(a, b, best)
    if found.matched and _is_corner_match(a, b, best):
        return FingerprintMatch.no_match(best.alignment.score)
    return found


def _decide_match(a: PreparedFingerprint, b: PreparedFingerprint, best: _AlignmentAttempt) -> FingerprintMatch:
    if best.alignment.rating >= MIN_MATCH_RATING or _is_steady_match(a, b, best):
        return _build_match(best, MatchEvidence.MOTION, best.alignment.score)
    if best.alignment.rating >= MIN_RATING_FOR_PIECES:
        share = measure_coverage(a.tracks[best.view], b.tracks[best.other], best.mirror)
        if share.is_sufficient:
            return _build_match(best, MatchEvidence.PIECES, share.motion)
    return FingerprintMatch.no_match(best.alignment.score)


def _is_steady_match(a: PreparedFingerprint, b: PreparedFingerprint, best: _AlignmentAttempt) -> bool:
    found = best.alignment
    if (
        found.rating < MIN_FAINT_RATING
        or found.lead < MIN_FAINT_LEAD_RATIO * found.rating
        or found.overlap < MIN_FAINT_OVERLAP_SECONDS
    ):
        return False
    return (
        measure_steadiness(a.tracks[best.view], b.tracks[best.other], best.mirror, found.shift) >= MIN_FAINT_STEADINESS
    )


def _is_corner_match(a: PreparedFingerprint, b: PreparedFingerprint, best: _AlignmentAttempt) -> bool:
    """Whether nearly all similarity is in one corner: two calm clips with the same inset picture are not copies."""
    return (
        measure_corner_share(a.tracks[best.view], b.tracks[best.other], best.mirror, best.alignment.shift)
        >= MAX_CORNER_SHARE
    )


def find_best_attempt(a: PreparedFingerprint, b: PreparedFingerprint) -> _AlignmentAttempt:
    """Return the best alignment over views and mirroring; the costly ones are tried only where they can change the
    result.
    """
    tried: list[_AlignmentAttempt] = []
    for attempt in _iter_attempts(a, b):
        tried.append(_run_attempt(a, b, attempt))
        if tried[-1].alignment.rating >= MIN_MATCH_RATING:
            return tried[-1]
    doubtful = [attempt for attempt in tried if attempt.alignment.rating >= MIN_RATING_TO_ZOOM]
    zoomed = [_run_attempt(a, b, near) for attempt in doubtful for near in _iter_zoom_attempts(a, b, attempt)]
    return max([*tried, *zoomed], key=lambda attempt: attempt.alignment.rating)


def _run_attempt(a: PreparedFingerprint, b: PreparedFingerprint, attempt: _AlignmentAttempt) -> _AlignmentAttempt:
    found = align_tracks(a.tracks[attempt.view], b.tracks[attempt.other], attempt.mirror)
    return _AlignmentAttempt(attempt.view, attempt.other, attempt.mirror, found)


def _iter_attempts(a: PreparedFingerprint, b: PreparedFingerprint) -> Iterator[_AlignmentAttempt]:
    """Yield the most probable pair of views first."""
    usual = product(a.view_numbers(ViewRole.WHOLE, ViewRole.GUESS), b.view_numbers(ViewRole.WHOLE, ViewRole.GUESS))
    narrow = [*((0, n) for n in _find_narrow_views(a, b)), *((n, 0) for n in _find_narrow_views(b, a))]
    for (view, other), mirror in product([*usual, *narrow], (False, True)):
        yield _AlignmentAttempt(view, other, mirror)


def _find_narrow_views(narrow: PreparedFingerprint, wide: PreparedFingerprint) -> list[int]:
    """Return the views of the wide clip that show what remains when it is cropped to the other one's aspect."""
    return [
        n
        for role, aspect in NARROW_ASPECT_BY_ROLE.items()
        if _is_same_aspect(narrow.fingerprint.aspect, aspect)
        for n in wide.view_numbers(role)
    ]


def _is_same_aspect(one: float, other: float) -> bool:
    return max(one, other) <= MAX_ASPECT_DIFFERENCE * min(one, other)


def _iter_zoom_attempts(
    a: PreparedFingerprint, b: PreparedFingerprint, attempt: _AlignmentAttempt
) -> Iterator[_AlignmentAttempt]:
    """Zoom one of the two: its copy was cropped more tightly."""
    if attempt.other == 0:
        for zoom in b.view_numbers(ViewRole.CLOSER, ViewRole.CLOSEST):
            yield _AlignmentAttempt(attempt.view, zoom, attempt.mirror)
    if attempt.view == 0:
        for zoom in a.view_numbers(ViewRole.CLOSER, ViewRole.CLOSEST):
            yield _AlignmentAttempt(zoom, attempt.other, attempt.mirror)


def _build_match(attempt: _AlignmentAttempt, evidence: MatchEvidence, score: float) -> FingerprintMatch:
    found = attempt.alignment
    return FingerprintMatch(
        score, -found.shift * GRID_STEP_SECONDS, found.overlap, attempt.mirror, evidence, matched=True
    )


def _compare_stills(a: PreparedFingerprint, b: PreparedFingerprint) -> FingerprintMatch:
    ours, theirs = a.fingerprint.stills, b.fingerprint.stills
    shares = {
        False: stills.share_of_common_frames(ours, theirs),
        True: stills.share_of_common_frames(ours, stills.mirror_frames(theirs)),
    }
    mirror = shares[True] > shares[False]
    if shares[mirror] < stills.MIN_SHARED_FRAMES:
        return FingerprintMatch.no_match()
    overlap = min(a.fingerprint.duration, b.fingerprint.duration)
    return FingerprintMatch(shares[mirror], 0.0, overlap, mirror, MatchEvidence.STILL, matched=True)
