"""What the web process reads from MongoDB. It never writes.

Rooms are always read in the order in which a fixture walks through them: a move writes the target before it deletes
the source, so a reader that finds nothing in the source finds it in the target.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ASCENDING, DESCENDING
from pymongo.errors import OperationFailure

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.removed_clips import GONE_CLIPS, ClipRemovalReason
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors
from found_footy.views.fixture_views import StoredFixture, pick_current_copies

CLIP_REDIRECTS = "clip_redirects"

_COLLECTIONS = tuple(FixtureCollection)
_GOAL_COLLECTIONS = (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED)
# What a page has no place for is what begins last, or in the room of the past what was first.
_KICKOFF_ORDER = {
    FixtureCollection.STAGING: ASCENDING,
    FixtureCollection.ACTIVE: ASCENDING,
    FixtureCollection.COMPLETED: DESCENDING,
}
_EVENT_FIELDS = ("events", "removed_events")
_CLIP_ID_PATHS = (
    *(f"{events}._s3_videos.clip_id" for events in _EVENT_FIELDS),
    *(f"{events}._judgements.refused.clip_id" for events in _EVENT_FIELDS),
    "removed_events._gone_clips",
)

INDEXES = (
    *(MongoIndex(room, (("kickoff", -1), ("_id", -1))) for room in _COLLECTIONS),
    *(
        MongoIndex(room, ((f"{events}._s3_videos.clip_id", 1),))
        for room in _GOAL_COLLECTIONS
        for events in _EVENT_FIELDS
    ),
    *(MongoIndex(room, (("removed_events._gone_clips", 1),), sparse=True) for room in _GOAL_COLLECTIONS),
    MongoIndex(GONE_CLIPS, (("fixture_id", 1),)),
)

# Large, and of no use to a viewer.
_HIDDEN_FIELDS = ("_discovered_videos", "_telemetry", "_s3_videos.perceptual_hash", "_s3_videos._members")
_VIEW_PROJECTION: Document = {f"{events}.{field}": 0 for events in _EVENT_FIELDS for field in _HIDDEN_FIELDS}
_COUNT_FIELDS = (
    "_event_id",
    "_removed",
    "_monitor_complete",
    "_download_complete",
    "_matched_from",
    "_ghost_at",
    "_open_links",
    "_s3_videos._s3_key",
)
_COUNT_PROJECTION: Document = {
    "_returned_at": 1,
    **{f"{events}.{field}": 1 for events in _EVENT_FIELDS for field in _COUNT_FIELDS},
}

_CHANGE_STREAM_WAIT_MS = 1000
_READ_TIMEOUT_MS = 5000
_HISTORY_LOST_CODES = frozenset({136, 222, 280, 286})
_CHANGE_PIPELINE: list[Document] = [
    {"$match": {"ns.coll": {"$in": [str(room) for room in FixtureCollection]}}},
    {"$project": {"operationType": 1, "ns": 1, "documentKey": 1}},
]


class ChangeHistoryLost(FoundFootyError):
    """The changes since a token can no longer be read; only a fresh look at everything is complete."""


@dataclass(frozen=True)
class FixtureChange:
    """`resume_token` resumes after this change. Without a fixture it only says how far the stream has been read."""

    resume_token: Mapping[str, Any] | None
    fixture_id: int | None = None


@dataclass(frozen=True)
class FixturePage:
    """What a page shows, and whether there is more for another one."""

    fixtures: list[StoredFixture]
    has_more: bool


@dataclass(frozen=True)
class FixtureListCursor:
    """A position in the list of matches, newest first; the next page begins after it."""

    kickoff: datetime
    fixture_id: int


class ReadStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    async def list_by_kickoff(self, since: datetime, until: datetime, limit: int, skip: int = 0) -> FixturePage:
        """Fixtures by kickoff, at most `limit` of a room: those that began first of the ones that are being watched,
        whenever that was, the nearest of those to come and of those that are over; `skip` of each are left out.
        """
        found: list[StoredFixture] = []
        more = False
        for room in _COLLECTIONS:
            span: Document = {} if room is FixtureCollection.ACTIVE else {"kickoff": {"$gte": since, "$lt": until}}
            here = await self._find_sorted(room, span, limit + 1, _KICKOFF_ORDER[room], skip)
            found += here[:limit]
            more = more or len(here) > limit
        return FixturePage(pick_current_copies(found), more)

    async def list_newest(self, after: FixtureListCursor | None, limit: int) -> list[StoredFixture]:
        """The `limit` newest fixtures after a place, by kickoff and id."""
        span = _build_cursor_filter(after)
        found = [one for room in _COLLECTIONS for one in await self._find_sorted(room, span, limit, DESCENDING)]
        ordered = sorted(
            pick_current_copies(found), key=lambda s: (s.document["kickoff"], s.document["_id"]), reverse=True
        )
        return ordered[:limit]

    async def _find_sorted(
        self, collection: FixtureCollection, condition: Document, limit: int, order: int, skip: int = 0
    ) -> list[StoredFixture]:
        with translate_mongo_errors():
            cursor = self._db[collection].find(condition, _VIEW_PROJECTION, max_time_ms=_READ_TIMEOUT_MS)
            documents = await cursor.sort([("kickoff", order), ("_id", order)]).skip(skip).limit(limit).to_list()
        return [StoredFixture(collection, document) for document in documents]

    async def get_fixture(self, fixture_id: int) -> StoredFixture | None:
        """The fixture's copy that counts."""
        found = pick_current_copies(await self._find_in_collections(_COLLECTIONS, {"_id": fixture_id}))
        return found[0] if found else None

    async def find_fixture_of_clip(self, clip_id: str) -> StoredFixture | None:
        """The fixture one of whose goals, struck out or not, has this clip, or had it until a person removed it."""
        condition = {"$or": [{place: clip_id} for place in _CLIP_ID_PATHS]}
        found = pick_current_copies(await self._find_in_collections(_GOAL_COLLECTIONS, condition))
        return await self.get_fixture(found[-1].document["_id"]) if found else None

    async def _find_in_collections(
        self, collections: tuple[FixtureCollection, ...], condition: Document
    ) -> list[StoredFixture]:
        """The first fixture of each room that fits, in the order of the rooms."""
        found = []
        for room in collections:
            with translate_mongo_errors():
                document = await self._db[room].find_one(condition, _VIEW_PROJECTION, max_time_ms=_READ_TIMEOUT_MS)
            found += [StoredFixture(room, document)] if document else []
        return found

    async def get_clip_redirect(self, clip_id: str) -> str | None:
        """The clip that took the place of this one."""
        with translate_mongo_errors():
            document = await self._db[CLIP_REDIRECTS].find_one({"_id": clip_id}, max_time_ms=_READ_TIMEOUT_MS)
        target = document.get("to") if document else None
        return target if isinstance(target, str) else None

    async def get_gone_reason(self, clip_id: str) -> ClipRemovalReason | None:
        """Why a clip of a fixture that was deleted is gone; None if nobody remembers it."""
        with translate_mongo_errors():
            document = await self._db[GONE_CLIPS].find_one({"_id": clip_id}, max_time_ms=_READ_TIMEOUT_MS)
        return ClipRemovalReason(document["why"]) if document else None

    async def is_fixture_deleted(self, fixture_id: int) -> bool:
        """Whether the fixture had clips and was deleted."""
        condition = {"fixture_id": fixture_id}
        with translate_mongo_errors():
            return await self._db[GONE_CLIPS].find_one(condition, {"_id": 1}, max_time_ms=_READ_TIMEOUT_MS) is not None

    async def list_all_for_counts(self) -> list[StoredFixture]:
        """All fixtures with just what their goals' status depends on."""
        found = []
        for room in _COLLECTIONS:
            with translate_mongo_errors():
                documents = await self._db[room].find({}, _COUNT_PROJECTION, max_time_ms=_READ_TIMEOUT_MS).to_list()
            found += [StoredFixture(room, document) for document in documents]
        return found

    @asynccontextmanager
    async def watch_changes(
        self, resume_token: Mapping[str, Any] | None
    ) -> AsyncIterator[AsyncIterator[FixtureChange]]:
        """Changes of fixtures, from now or after a token. Raises HistoryLost if the token is too old to resume from."""
        with translate_mongo_errors(), _translate_history_lost():
            stream = await self._db.watch(
                _CHANGE_PIPELINE, resume_after=resume_token, max_await_time_ms=_CHANGE_STREAM_WAIT_MS
            )
            async with stream:
                yield _iter_changes(stream)


async def _iter_changes(stream: Any) -> AsyncIterator[FixtureChange]:
    yield FixtureChange(stream.resume_token)
    while stream.alive:
        event = await stream.try_next()
        key = event.get("documentKey", {}).get("_id") if event else None
        yield FixtureChange(stream.resume_token, key if isinstance(key, int) else None)
        # A change that is already here is read without waiting; others must get their turn in between.
        await asyncio.sleep(0)


@contextmanager
def _translate_history_lost() -> Iterator[None]:
    try:
        yield
    except OperationFailure as error:
        if error.code in _HISTORY_LOST_CODES:
            raise ChangeHistoryLost(f"the change stream cannot be resumed: {error}") from error
        raise


def _build_cursor_filter(after: FixtureListCursor | None) -> Document:
    if after is None:
        return {"kickoff": {"$type": "date"}}
    return {"$or": [{"kickoff": {"$lt": after.kickoff}}, {"kickoff": after.kickoff, "_id": {"$lt": after.fixture_id}}]}
