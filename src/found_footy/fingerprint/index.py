"""Which of many stored clips is this one a copy of?"""

from collections.abc import Hashable, Iterable
from itertools import product
from typing import Generic, TypeVar

from found_footy.fingerprint.compare import HOPE, Side, compare_sides
from found_footy.fingerprint.dense import DenseHash
from found_footy.fingerprint.errors import VersionMismatch
from found_footy.fingerprint.motion import Track, rating_near
from found_footy.fingerprint.prints import MOTION_VERSION, ZOOMS, Fingerprint
from found_footy.fingerprint.result import Match
from found_footy.fingerprint.votes import SHIFT_BIN, Votes

Key = TypeVar("Key", bound=Hashable)

EXHAUSTIVE = 50  # so few clips are compared one by one
MOST_CHECKED = 64  # candidates looked at more closely
FILED_ZOOM = 1  # the middle one: either of the others is one step away
COMPACT_AFTER = 0.5  # share of removed clips


class Index(Generic[Key]):
    """Holds fingerprints in memory. Not for several threads at once."""

    def __init__(self) -> None:
        self._prints: dict[Key, Fingerprint] = {}
        self._slots: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        self._still: dict[Key, None] = {}
        self._removed: set[int] = set()
        self._next = 0
        self._votes = Votes()

    def __len__(self) -> int:
        return len(self._prints)

    def __contains__(self, key: object) -> bool:
        return key in self._prints

    def add(self, key: Key, fingerprint: Fingerprint) -> None:
        """Replaces what was stored under this key."""
        _refuse_other_versions(fingerprint)
        self.remove(key)
        slot, self._next = self._next, self._next + 1
        self._prints[key], self._slots[key], self._keys[slot] = fingerprint, slot, key
        side = Side(fingerprint)
        if side.still:
            self._still[key] = None
        for track in _filed(side):
            self._votes.add(slot, track)

    def remove(self, key: Key) -> None:
        """Forgetting what is not there is no error."""
        if key not in self._prints:
            return
        del self._prints[key]
        self._still.pop(key, None)
        slot = self._slots.pop(key)
        del self._keys[slot]
        self._removed.add(slot)
        if len(self._removed) > COMPACT_AFTER * (len(self._removed) + len(self._prints)):
            self._votes.drop(frozenset(self._removed))
            self._removed.clear()

    def query(self, fingerprint: Fingerprint) -> list[tuple[Key, Match]]:
        """Everything stored that matches, best first. `Match.offset` is told from the query to the stored clip."""
        _refuse_other_versions(fingerprint)
        side = Side(fingerprint)
        keys: Iterable[Key] = self._prints if len(self._prints) <= EXHAUSTIVE else self._candidates(side)
        found = [(key, compare_sides(side, Side(self._prints[key]))) for key in keys]
        return sorted(((k, m) for k, m in found if m.matched), key=lambda pair: -pair[1].score)

    def _candidates(self, side: Side) -> list[Key]:
        probes = list(product(side.tracks, (False, True)))
        seen: dict[Key, bool] = dict.fromkeys(self._still, True) if side.still else {}
        checked = 0
        for vote in self._votes.query(probes):
            key = self._keys.get(vote.slot)
            if key is None or seen.get(key):
                continue
            if checked == MOST_CHECKED:
                break
            checked += 1
            track, mirror = probes[vote.probe]
            seen[key] = self._promising(key, track, mirror, vote.shift)
        return [key for key, promising in seen.items() if promising]

    def _promising(self, key: Key, track: Track, mirror: bool, shift: int) -> bool:
        stored = _filed(Side(self._prints[key]))
        return max(rating_near(track, other, mirror, shift, SHIFT_BIN) for other in stored) >= HOPE


def _filed(side: Side) -> list[Track]:
    return [side.tracks[FILED_ZOOM], *side.tracks[len(ZOOMS) :]]


def _refuse_other_versions(fingerprint: Fingerprint | DenseHash) -> None:
    if not isinstance(fingerprint, Fingerprint):
        raise VersionMismatch(fingerprint.hash_version, MOTION_VERSION)
