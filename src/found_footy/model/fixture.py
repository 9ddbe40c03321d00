"""Fixtures: the status words of the feed, which room a fixture belongs in, and which of its copies counts."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class Room(StrEnum):
    """The collections a fixture lives in, in the order in which it walks through them."""

    STAGING = "fixtures_staging"
    ACTIVE = "fixtures_active"
    COMPLETED = "fixtures_completed"


# The last raw answer of the feed per fixture; not a room, overwritten at every poll.
LIVE_ANSWERS = "fixtures_live"
TEAM_ALIASES = "team_aliases"

UPCOMING = frozenset({"TBD", "NS"})
POSTPONED = frozenset({"PST"})
IN_PLAY = frozenset({"1H", "HT", "2H", "ET", "BT", "P", "LIVE"})
STOPPED = frozenset({"SUSP", "INT"})
PLAYED = frozenset({"FT", "AET", "PEN"})
CALLED_OFF = frozenset({"CANC", "ABD", "AWD", "WO"})
FINAL = PLAYED | CALLED_OFF
KNOWN_STATUSES = UPCOMING | POSTPONED | IN_PLAY | STOPPED | FINAL


_ORDER = {room: place for place, room in enumerate(Room)}
_NEVER = datetime.min.replace(tzinfo=UTC)


def counting(copies: Iterable[T], place: Callable[[T], tuple[Room, datetime | None]]) -> T:
    """Of the copies of one fixture the one that counts: that which was sent back last, else that in the later room.

    `place` says of a copy in which room it is, and when it was sent back there (`_returned_at`).
    """

    def precedence(copy: T) -> tuple[datetime, int]:
        room, returned_at = place(copy)
        return (returned_at or _NEVER, _ORDER[room])

    return max(copies, key=precedence)


def room_for(status: str) -> Room:
    """Where a fixture with this status is stored when it is first met.

    A word nobody knows is treated as a match in progress: that is watched, and therefore noticed, and it never ends
    a match by mistake.
    """
    if status in UPCOMING | POSTPONED:
        return Room.STAGING
    return Room.COMPLETED if status in FINAL else Room.ACTIVE
