"""Which of many stored clips is this one a copy of?"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

from found_footy.fingerprint.comparison import HOPE, Side, compare_sides
from found_footy.fingerprint.dense import DenseHash
from found_footy.fingerprint.errors import VersionMismatch
from found_footy.fingerprint.motion import rating_near
from found_footy.fingerprint.prints import Fingerprint
from found_footy.fingerprint.result import Match
from found_footy.fingerprint.signature import MOTION_VERSION, NARROW, Role
from found_footy.fingerprint.votes import SHIFT_BIN, Votes

Key = TypeVar("Key", bound=Hashable)

EXHAUSTIVE = 50  # so few clips are compared one by one
MOST_CHECKS = 128  # places looked at in vain before the rest is believed to be chance; those that are alike cost none
CHECKS_PER_CLIP = 3  # places at which one clip is looked at
COMPACT_AFTER = 0.5  # share of removed clips


@dataclass(frozen=True)
class _Stored(Generic[Key]):
    key: Key
    side: Side
    slots: range  # one per view, in the index of votes


class Index(Generic[Key]):
    """Holds fingerprints in memory. Not for several threads at once."""

    def __init__(self) -> None:
        self._stored: dict[Key, _Stored[Key]] = {}
        self._by_slot: dict[int, _Stored[Key]] = {}
        self._removed: set[int] = set()
        self._next_slot = 0
        self._votes = Votes()

    def __len__(self) -> int:
        return len(self._stored)

    def __contains__(self, key: object) -> bool:
        return key in self._stored

    def add(self, key: Key, fingerprint: Fingerprint) -> None:
        """Replaces what was stored under this key."""
        side = _side(fingerprint)
        self.remove(key)
        slots = range(self._next_slot, self._next_slot + len(side.tracks))
        self._next_slot = slots.stop
        stored = self._stored[key] = _Stored(key, side, slots)
        for slot, track in zip(slots, side.tracks, strict=True):
            self._by_slot[slot] = stored
            self._votes.add(slot, track)
        side.forget()

    def remove(self, key: Key) -> None:
        """Forgetting what is not there is no error."""
        stored = self._stored.pop(key, None)
        if stored is None:
            return
        for slot in stored.slots:
            del self._by_slot[slot]
        self._removed.update(stored.slots)
        if len(self._removed) > COMPACT_AFTER * (len(self._removed) + len(self._by_slot)):
            self._votes.drop(frozenset(self._removed))
            self._removed.clear()

    def query(self, fingerprint: Fingerprint) -> list[tuple[Key, Match]]:
        """Everything stored that matches, best first. `Match.offset` is told from the query to the stored clip."""
        asked = _side(fingerprint)
        few = len(self._stored) <= EXHAUSTIVE
        candidates = list(self._stored.values()) if few else self._candidates(asked)
        found = [(stored.key, compare_sides(asked, stored.side)) for stored in candidates]
        for stored in candidates:
            stored.side.forget()
        return sorted(((key, match) for key, match in found if match.matched), key=lambda pair: -pair[1].score)

    def _candidates(self, asked: Side) -> list[_Stored[Key]]:
        out = {stored.key: stored for stored in self._stored.values() if stored.side.still} if asked.still else {}
        views = asked.numbers(Role.WHOLE, Role.GUESS, *NARROW)
        probes = [(asked.tracks[view], mirror) for view, mirror in product(views, (False, True))]
        in_vain: Counter[Key] = Counter()
        for vote in self._votes.query(probes):
            stored = self._by_slot.get(vote.slot)
            if stored is None or stored.key in out or in_vain[stored.key] >= CHECKS_PER_CLIP:
                continue
            track, mirror = probes[vote.probe]
            theirs = stored.side.tracks[vote.slot - stored.slots.start]
            if rating_near(track, theirs, mirror, vote.shift, SHIFT_BIN) >= HOPE:
                out[stored.key] = stored
            else:
                in_vain[stored.key] += 1
                if in_vain.total() >= MOST_CHECKS:
                    break
        return list(out.values())


def _side(fingerprint: Fingerprint | DenseHash) -> Side:
    if isinstance(fingerprint, Fingerprint):
        return Side(fingerprint)
    raise VersionMismatch(fingerprint.hash_version, MOTION_VERSION)
