"""Fixtures: the status words of the feed, which room a fixture belongs in, and which of its copies counts."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class FixtureCollection(StrEnum):
    """The collections a fixture lives in, in the order in which it walks through them."""

    STAGING = "fixtures_staging"
    ACTIVE = "fixtures_active"
    COMPLETED = "fixtures_completed"


# The last raw answer of the feed per fixture; not a room, overwritten at every poll.
LIVE_FIXTURES = "fixtures_live"
TEAM_ALIASES = "team_aliases"

UPCOMING_STATUSES = frozenset({"TBD", "NS"})
POSTPONED_STATUSES = frozenset({"PST"})
IN_PLAY_STATUSES = frozenset({"1H", "HT", "2H", "ET", "BT", "P", "LIVE"})
INTERRUPTED_STATUSES = frozenset({"SUSP", "INT"})
PLAYED_STATUSES = frozenset({"FT", "AET", "PEN"})
CALLED_OFF_STATUSES = frozenset({"CANC", "ABD", "AWD", "WO"})
FINAL_STATUSES = PLAYED_STATUSES | CALLED_OFF_STATUSES
KNOWN_STATUSES = UPCOMING_STATUSES | POSTPONED_STATUSES | IN_PLAY_STATUSES | INTERRUPTED_STATUSES | FINAL_STATUSES


_COLLECTION_ORDER = {room: place for place, room in enumerate(FixtureCollection)}
_NEVER_RETURNED = datetime.min.replace(tzinfo=UTC)


def select_current_copy(copies: Iterable[T], locate: Callable[[T], tuple[FixtureCollection, datetime | None]]) -> T:
    """Of the copies of one fixture the one that counts: that which was sent back last, else that in the later room.

    `locate` says of a copy in which room it is, and when it was sent back there (`_returned_at`).
    """

    def precedence(copy: T) -> tuple[datetime, int]:
        collection, returned_at = locate(copy)
        return (returned_at or _NEVER_RETURNED, _COLLECTION_ORDER[collection])

    return max(copies, key=precedence)


def collection_for_status(status: str) -> FixtureCollection:
    """Where a fixture with this status is stored when it is first met.

    A word nobody knows is treated as a match in progress: that is watched, and therefore noticed, and it never ends
    a match by mistake.
    """
    if status in UPCOMING_STATUSES | POSTPONED_STATUSES:
        return FixtureCollection.STAGING
    return FixtureCollection.COMPLETED if status in FINAL_STATUSES else FixtureCollection.ACTIVE
