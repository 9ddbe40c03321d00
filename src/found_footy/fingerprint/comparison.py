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
from found_footy.fingerprint.signature import NARROW, Role
from found_footy.fingerprint.steady import cornered, steadiness

MATCH = 0.55
FAINT = 0.4  # from here on believed, if alike at one alignment only, for long enough and all the time
ONLY_HERE = 0.95  # of the rating: no other alignment has more than the rest
STEADY = 0.95
LONG_ENOUGH = 5.0  # seconds; in less there are too few other alignments
IN_A_CORNER = 0.85
DOUBT = 0.22  # below it, two clips are too unlike for a zoom to explain
HOPE = 0.2  # below it, not even pieces are alike
SAME_SHAPE = 1.15  # ratio of two aspects


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

    def numbers(self, *roles: Role) -> list[int]:
        return [number for number, view in enumerate(self.print.views) if view.role in roles]

    @property
    def order(self) -> tuple[int, bytes]:
        """Which of two clips comes first, so that a pair is always compared in the same direction."""
        planes = (plane for view in self.print.views for plane in (view.brighter, view.darker, view.energy))
        return len(self.tracks[0]), b"".join(plane.tobytes() for plane in planes)

    @property
    def still(self) -> bool:
        return self.tracks[0].still

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
    found = _judged(a, b, best)
    if found.matched and _cornered(a, b, best):
        return Match.none(best.found.score)
    return found


def _judged(a: Side, b: Side, best: _Try) -> Match:
    if best.found.rating >= MATCH or _steady(a, b, best):
        return _match(best, Evidence.MOTION, best.found.score)
    if best.found.rating >= HOPE:
        share = cover(a.tracks[best.view], b.tracks[best.other], best.mirror)
        if share.enough:
            return _match(best, Evidence.PIECES, share.motion)
    return Match.none(best.found.score)


def _steady(a: Side, b: Side, best: _Try) -> bool:
    found = best.found
    if found.rating < FAINT or found.lead < ONLY_HERE * found.rating or found.overlap < LONG_ENOUGH:
        return False
    return steadiness(a.tracks[best.view], b.tracks[best.other], best.mirror, found.shift) >= STEADY


def _cornered(a: Side, b: Side, best: _Try) -> bool:
    """The same picture in a corner of two calm clips is all that moves in them."""
    return cornered(a.tracks[best.view], b.tracks[best.other], best.mirror, best.found.shift) >= IN_A_CORNER


def _best(a: Side, b: Side) -> _Try:
    """The best alignment over views and facings; the costly ones are tried only where they can change the answer."""
    tried: list[_Try] = []
    for attempt in _attempts(a, b):
        tried.append(_tried(a, b, attempt))
        if tried[-1].found.rating >= MATCH:
            return tried[-1]
    doubtful = [attempt for attempt in tried if attempt.found.rating >= DOUBT]
    zoomed = [_tried(a, b, near) for attempt in doubtful for near in _zooms(a, b, attempt)]
    return max([*tried, *zoomed], key=lambda attempt: attempt.found.rating)


def _tried(a: Side, b: Side, attempt: _Try) -> _Try:
    found = align(a.tracks[attempt.view], b.tracks[attempt.other], attempt.mirror)
    return _Try(attempt.view, attempt.other, attempt.mirror, found)


def _attempts(a: Side, b: Side) -> Iterator[_Try]:
    """The likeliest pair of views first."""
    usual = product(a.numbers(Role.WHOLE, Role.GUESS), b.numbers(Role.WHOLE, Role.GUESS))
    narrow = [*((0, n) for n in _cut_like(a, b)), *((n, 0) for n in _cut_like(b, a))]
    for (view, other), mirror in product([*usual, *narrow], (False, True)):
        yield _Try(view, other, mirror)


def _cut_like(narrow: Side, wide: Side) -> list[int]:
    """The views of the wide clip that show what remains when it is cut to the other one's shape."""
    return [n for role, aspect in NARROW.items() if _near(narrow.print.aspect, aspect) for n in wide.numbers(role)]


def _near(one: float, other: float) -> bool:
    return max(one, other) <= SAME_SHAPE * min(one, other)


def _zooms(a: Side, b: Side, attempt: _Try) -> Iterator[_Try]:
    """One of the two zoomed in: its copy was cropped less."""
    if attempt.other == 0:
        for zoom in b.numbers(Role.CLOSER, Role.CLOSEST):
            yield _Try(attempt.view, zoom, attempt.mirror)
    if attempt.view == 0:
        for zoom in a.numbers(Role.CLOSER, Role.CLOSEST):
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
