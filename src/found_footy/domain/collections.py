"""The feed's fixture statuses, the MongoDB collections of fixtures, and which copy of a fixture is the current one."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

T = TypeVar("T")
DocumentT = TypeVar("DocumentT", bound=Mapping[str, Any])


class FixtureCollection(StrEnum):
    """The collections that hold fixtures, in the order in which a fixture passes through them."""

    STAGING = "fixtures_staging"
    ACTIVE = "fixtures_active"
    COMPLETED = "fixtures_completed"


# The collections whose fixtures may have goals, in the order of a move: a fixture that moves while they are read is
# found in the second.
GOAL_COLLECTIONS = (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED)
# The feed's last raw answer per fixture, overwritten at every poll; not a `FixtureCollection`.
LIVE_FIXTURES = "fixtures_live"
TEAM_ALIASES = "team_aliases"
# Ids of clips that were merged into another clip, with the id of that one.
CLIP_REDIRECTS = "clip_redirects"
# How many of them are followed from one clip.
MAX_CLIP_REDIRECTS = 8
# When a fixture was moved back to the collection of this copy.
RETURNED_AT_FIELD = "_returned_at"

UPCOMING_STATUSES = frozenset({"TBD", "NS"})
POSTPONED_STATUSES = frozenset({"PST"})
IN_PLAY_STATUSES = frozenset({"1H", "HT", "2H", "ET", "BT", "P", "LIVE"})
INTERRUPTED_STATUSES = frozenset({"SUSP", "INT"})
PLAYED_STATUSES = frozenset({"FT", "AET", "PEN"})
CALLED_OFF_STATUSES = frozenset({"CANC", "ABD", "AWD", "WO"})
FINAL_STATUSES = PLAYED_STATUSES | CALLED_OFF_STATUSES
KNOWN_STATUSES = UPCOMING_STATUSES | POSTPONED_STATUSES | IN_PLAY_STATUSES | INTERRUPTED_STATUSES | FINAL_STATUSES


_COLLECTION_ORDER = {collection: place for place, collection in enumerate(FixtureCollection)}
_NEVER_RETURNED = datetime.min.replace(tzinfo=UTC)


def select_current_copy(copies: Iterable[T], locate: Callable[[T], tuple[FixtureCollection, datetime | None]]) -> T:
    """Select the current copy of one fixture: the one with the latest `_returned_at`, else the one in the latest
    collection.

    `locate` returns the collection of a copy and its `_returned_at`, the time it was moved back there.
    """

    def precedence(copy: T) -> tuple[datetime, int]:
        collection, returned_at = locate(copy)
        return (returned_at or _NEVER_RETURNED, _COLLECTION_ORDER[collection])

    return max(copies, key=precedence)


def select_current_document(
    copies: Iterable[tuple[FixtureCollection, DocumentT]],
) -> tuple[FixtureCollection, DocumentT]:
    """Select the current one of the documents of one fixture, each given with its collection."""
    return select_current_copy(copies, lambda copy: (copy[0], copy[1].get(RETURNED_AT_FIELD)))


def collection_for_status(status: str) -> FixtureCollection:
    """Return the collection in which a fixture with this status is first stored.

    An unknown status counts as in play: the fixture is polled, so the status is noticed, and no fixture is completed by
    mistake.
    """
    if status in UPCOMING_STATUSES | POSTPONED_STATUSES:
        return FixtureCollection.STAGING
    return FixtureCollection.COMPLETED if status in FINAL_STATUSES else FixtureCollection.ACTIVE
