"""An in-memory index: which of many stored clips is this one a copy of?"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

from found_footy.fingerprint.comparison import MIN_RATING_FOR_PIECES, PreparedFingerprint, compare_prepared
from found_footy.fingerprint.dense_fingerprint import DenseFingerprint
from found_footy.fingerprint.errors import VersionMismatch
from found_footy.fingerprint.match_result import FingerprintMatch
from found_footy.fingerprint.motion_alignment import rate_near_shift
from found_footy.fingerprint.motion_signature import MOTION_VERSION, NARROW_ASPECT_BY_ROLE, ViewRole
from found_footy.fingerprint.video_fingerprint import Fingerprint
from found_footy.fingerprint.voting_index import SHIFT_BIN_POINTS, VotingIndex

Key = TypeVar("Key", bound=Hashable)

MAX_EXHAUSTIVE_CLIPS = 50  # up to this many clips are compared one by one
MAX_FAILED_CHECKS = (
    128  # failed comparisons before the remaining votes count as chance; successful ones are not counted
)
MAX_CHECKS_PER_CLIP = 3  # alignments at which one clip is compared
COMPACT_REMOVED_SHARE = 0.5  # share of removed clips


@dataclass(frozen=True)
class _IndexedFingerprint(Generic[Key]):
    key: Key
    prepared: PreparedFingerprint
    slots: range  # one per view, in the voting index


class FingerprintIndex(Generic[Key]):
    """Holds fingerprints in memory. Not thread-safe."""

    def __init__(self) -> None:
        self._stored: dict[Key, _IndexedFingerprint[Key]] = {}
        self._by_slot: dict[int, _IndexedFingerprint[Key]] = {}
        self._removed: set[int] = set()
        self._next_slot = 0
        self._votes = VotingIndex()

    def __len__(self) -> int:
        return len(self._stored)

    def __contains__(self, key: object) -> bool:
        return key in self._stored

    def add(self, key: Key, fingerprint: Fingerprint) -> None:
        """Replaces the fingerprint stored under this key."""
        side = _prepare_fingerprint(fingerprint)
        self.remove(key)
        slots = range(self._next_slot, self._next_slot + len(side.tracks))
        self._next_slot = slots.stop
        stored = self._stored[key] = _IndexedFingerprint(key, side, slots)
        for slot, track in zip(slots, side.tracks, strict=True):
            self._by_slot[slot] = stored
            self._votes.add(slot, track)
        side.drop_cache()

    def remove(self, key: Key) -> None:
        """Removing an unknown key is no error."""
        stored = self._stored.pop(key, None)
        if stored is None:
            return
        for slot in stored.slots:
            del self._by_slot[slot]
        self._removed.update(stored.slots)
        if len(self._removed) > COMPACT_REMOVED_SHARE * (len(self._removed) + len(self._by_slot)):
            self._votes.drop(frozenset(self._removed))
            self._removed.clear()

    def query(self, fingerprint: Fingerprint) -> list[tuple[Key, FingerprintMatch]]:
        """Return everything stored that matches, best first. `FingerprintMatch.offset` is relative to the query."""
        asked = _prepare_fingerprint(fingerprint)
        few = len(self._stored) <= MAX_EXHAUSTIVE_CLIPS
        candidates = list(self._stored.values()) if few else self._find_candidates(asked)
        found = [(stored.key, compare_prepared(asked, stored.prepared)) for stored in candidates]
        for stored in candidates:
            stored.prepared.drop_cache()
        return sorted(((key, match) for key, match in found if match.matched), key=lambda pair: -pair[1].score)

    def _find_candidates(self, asked: PreparedFingerprint) -> list[_IndexedFingerprint[Key]]:
        out = (
            {stored.key: stored for stored in self._stored.values() if stored.prepared.is_still}
            if asked.is_still
            else {}
        )
        views = asked.view_numbers(ViewRole.WHOLE, ViewRole.GUESS, *NARROW_ASPECT_BY_ROLE)
        probes = [(asked.tracks[view], mirror) for view, mirror in product(views, (False, True))]
        failed_checks: Counter[Key] = Counter()
        for vote in self._votes.query(probes):
            stored = self._by_slot.get(vote.slot)
            if stored is None or stored.key in out or failed_checks[stored.key] >= MAX_CHECKS_PER_CLIP:
                continue
            track, mirror = probes[vote.probe]
            theirs = stored.prepared.tracks[vote.slot - stored.slots.start]
            if rate_near_shift(track, theirs, mirror, vote.shift, SHIFT_BIN_POINTS) >= MIN_RATING_FOR_PIECES:
                out[stored.key] = stored
            else:
                failed_checks[stored.key] += 1
                if failed_checks.total() >= MAX_FAILED_CHECKS:
                    break
        for key in failed_checks.keys() - out.keys():
            self._stored[key].prepared.drop_cache()
        return list(out.values())


def _prepare_fingerprint(fingerprint: Fingerprint | DenseFingerprint) -> PreparedFingerprint:
    if isinstance(fingerprint, Fingerprint):
        return PreparedFingerprint(fingerprint)
    raise VersionMismatch(fingerprint.hash_version, MOTION_VERSION)
