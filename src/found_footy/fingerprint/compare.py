"""Are two clips copies of one recording?"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from found_footy.fingerprint import stills
from found_footy.fingerprint.dense import DenseHash, compare_dense
from found_footy.fingerprint.errors import VersionMismatch
from found_footy.fingerprint.motion import NOWHERE, STEP, Alignment, Track, align
from found_footy.fingerprint.pieces import cover
from found_footy.fingerprint.prints import Fingerprint
from found_footy.fingerprint.result import Evidence, Match
from found_footy.fingerprint.signature import ZOOMS

MATCH = 0.55
DOUBT = 0.3  # below it, two clips are too unlike for a zoom to explain
HOPE = 0.25  # below it, not even pieces are alike
STILL_SECONDS = 0.6  # of motion at most in a clip that counts as still


def compare(a: Fingerprint | DenseHash, b: Fingerprint | DenseHash) -> Match:
    """Symmetric but for the sign of the offset. Fingerprints of different versions raise VersionMismatch."""
    if isinstance(a, Fingerprint) and isinstance(b, Fingerprint):
        return compare_sides(Side(a), Side(b))
    if isinstance(a, DenseHash) and isinstance(b, DenseHash):
        return compare_dense(a, b) if a.frames <= b.frames else compare_dense(b, a).flipped()
    raise VersionMismatch(a.hash_version, b.hash_version)


class Side:
    """A fingerprint made ready for comparing, worth keeping when it meets many others."""

    def __init__(self, print_: Fingerprint) -> None:
        self.print = print_
        self.tracks = [Track(view) for view in print_.views]

    @property
    def order(self) -> tuple[int, bytes]:
        """Which of two clips comes first, so that a pair is always compared in the same direction."""
        planes = (plane for view in self.print.views for plane in (view.brighter, view.darker, view.energy))
        return len(self.tracks[0]), b"".join(plane.tobytes() for plane in planes)

    @property
    def still(self) -> bool:
        return self.tracks[0].seconds < STILL_SECONDS

    def forget(self) -> None:
        for track in self.tracks:
            track.forget()


@dataclass(frozen=True)
class _Try:
    """One view of a against one view of b, in one facing."""

    view: int
    other: int
    mirror: bool
    found: Alignment = NOWHERE


def compare_sides(a: Side, b: Side) -> Match:
    return _compare(a, b) if a.order <= b.order else _compare(b, a).flipped()


def _compare(a: Side, b: Side) -> Match:
    if a.still and b.still:
        shown = _same_picture(a, b)
        if shown.matched:
            return shown
    best = _best(a, b)
    if best.found.rating >= MATCH:
        return _match(best, Evidence.MOTION, best.found.score)
    if best.found.rating >= HOPE:
        share = cover(a.tracks[best.view], b.tracks[best.other], best.mirror)
        if share.enough:
            return _match(best, Evidence.PIECES, share.motion)
    return Match.none(best.found.score)


def _best(a: Side, b: Side) -> _Try:
    """The best alignment over views and facings; the costly ones are tried only where they can change the answer."""
    plain = [_tried(a, b, _Try(0, 0, mirror)) for mirror in (False, True)]
    best = max(plain, key=_rating)
    if best.found.rating >= MATCH:
        return best
    guesses = [_tried(a, b, t) for t in _guesses(a, b)]
    doubtful = [t for t in [*plain, *guesses] if DOUBT <= t.found.rating < MATCH]
    zoomed = [_tried(a, b, near) for t in doubtful for near in _zooms(t)]
    return max([*plain, *guesses, *zoomed], key=_rating)


def _rating(attempt: _Try) -> float:
    return attempt.found.rating


def _tried(a: Side, b: Side, attempt: _Try) -> _Try:
    found = align(a.tracks[attempt.view], b.tracks[attempt.other], attempt.mirror)
    return _Try(attempt.view, attempt.other, attempt.mirror, found)


def _guesses(a: Side, b: Side) -> Iterator[_Try]:
    """Pairs in which at least one view is a further guess at where the picture is."""
    mine = [0, *range(len(ZOOMS), len(a.tracks))]
    theirs = [0, *range(len(ZOOMS), len(b.tracks))]
    for view, other, mirror in product(mine, theirs, (False, True)):
        if view or other:
            yield _Try(view, other, mirror)


def _zooms(attempt: _Try) -> Iterator[_Try]:
    """One of the two zoomed in: its copy was cropped less."""
    for zoom in range(1, len(ZOOMS)):
        if attempt.other == 0:
            yield _Try(attempt.view, zoom, attempt.mirror)
        if attempt.view == 0:
            yield _Try(zoom, attempt.other, attempt.mirror)


def _match(attempt: _Try, evidence: Evidence, score: float) -> Match:
    found = attempt.found
    return Match(score, -found.shift * STEP, found.overlap, attempt.mirror, evidence, matched=True)


def _same_picture(a: Side, b: Side) -> Match:
    ours, theirs = a.print.stills, b.print.stills
    shares = {False: stills.same_picture(ours, theirs), True: stills.same_picture(ours, stills.mirrored(theirs))}
    mirror = shares[True] > shares[False]
    if shares[mirror] < stills.ENOUGH:
        return Match.none()
    overlap = min(a.print.duration, b.print.duration)
    return Match(shares[mirror], 0.0, overlap, mirror, Evidence.STILL, matched=True)
