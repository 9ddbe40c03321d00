"""Queries of the web process against MongoDB. Read-only.

The collections are always read in the order in which a fixture moves through them: a move writes the target before it
deletes the source, so a reader that misses the fixture in the source finds it in the target.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import DESCENDING
from pymongo.errors import OperationFailure

from found_footy.domain.collections import CLIP_REDIRECTS, GOAL_COLLECTIONS, FixtureCollection
from found_footy.domain.goals import GOAL_LISTS
from found_footy.domain.removed_clips import GONE_CLIPS, ClipRemovalReason
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.mongo import Database, Document, MongoIndex, get_change_stream_wait, translate_mongo_errors
from found_footy.views.fixture_views import StoredFixture, pick_current_copies

_COLLECTIONS = tuple(FixtureCollection)
_CLIP_ID_PATHS = (
    *(f"{events}._s3_videos.clip_id" for events in GOAL_LISTS),
    *(f"{events}._judgements.refused.clip_id" for events in GOAL_LISTS),
    "removed_events._gone_clips",
)

INDEXES = (
    *(MongoIndex(collection, (("kickoff", -1), ("_id", -1))) for collection in _COLLECTIONS),
    *(
        MongoIndex(collection, ((f"{events}._s3_videos.clip_id", 1),))
        for collection in GOAL_COLLECTIONS
        for events in GOAL_LISTS
    ),
    *(MongoIndex(collection, (("removed_events._gone_clips", 1),), sparse=True) for collection in GOAL_COLLECTIONS),
    MongoIndex(GONE_CLIPS, (("fixture_id", 1),)),
)

# Large, and not shown to viewers.
_HIDDEN_FIELDS = ("_discovered_videos", "_telemetry", "_s3_videos.perceptual_hash", "_s3_videos._members")
VIEW_PROJECTION: Document = {f"{events}.{field}": 0 for events in GOAL_LISTS for field in _HIDDEN_FIELDS}
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
    **{f"{events}.{field}": 1 for events in GOAL_LISTS for field in _COUNT_FIELDS},
}

READ_TIMEOUT_MS = 5000
_HISTORY_LOST_CODES = frozenset({136, 222, 280, 286})
_CHANGE_PIPELINE: list[Document] = [
    {"$match": {"ns.coll": {"$in": [str(collection) for collection in FixtureCollection]}}},
    {"$project": {"operationType": 1, "ns": 1, "documentKey": 1}},
]


class ChangeHistoryLost(FoundFootyError):
    """The change stream cannot be resumed from the token; only a full read gives the current state."""


@dataclass(frozen=True)
class FixtureChange:
    """A change of a fixture; the stream resumes after it with `resume_token`. Without a `fixture_id` only the read
    position advanced.
    """

    resume_token: Mapping[str, Any] | None
    fixture_id: int | None = None

    @property
    def subject(self) -> int | None:
        return self.fixture_id


@dataclass(frozen=True)
class FixtureListCursor:
    """A position in the list of fixtures, newest first; the next page begins after it."""

    kickoff: datetime
    fixture_id: int


class ReadStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    async def list_newest(self, after: FixtureListCursor | None, limit: int) -> list[StoredFixture]:
        """Return the `limit` newest fixtures after a cursor, by kickoff and id."""
        span = _build_cursor_filter(after)
        found = [
            one for collection in _COLLECTIONS for one in await self._find_sorted(collection, span, limit, DESCENDING)
        ]
        ordered = sorted(
            pick_current_copies(found), key=lambda s: (s.document["kickoff"], s.document["_id"]), reverse=True
        )
        return ordered[:limit]

    async def _find_sorted(
        self, collection: FixtureCollection, condition: Document, limit: int, order: int
    ) -> list[StoredFixture]:
        with translate_mongo_errors():
            cursor = self._db[collection].find(condition, VIEW_PROJECTION, max_time_ms=READ_TIMEOUT_MS)
            documents = await cursor.sort([("kickoff", order), ("_id", order)]).limit(limit).to_list()
        return [StoredFixture(collection, document) for document in documents]

    async def get_fixture(self, fixture_id: int) -> StoredFixture | None:
        """Return the current copy of the fixture."""
        found = pick_current_copies(await self._find_in_collections(_COLLECTIONS, {"_id": fixture_id}))
        return found[0] if found else None

    async def find_fixture_of_clip(self, clip_id: str) -> StoredFixture | None:
        """Return the fixture one of whose goals, removed or not, has this clip or had it until moderation
        removed it.
        """
        condition = {"$or": [{place: clip_id} for place in _CLIP_ID_PATHS]}
        found = pick_current_copies(await self._find_in_collections(GOAL_COLLECTIONS, condition))
        return await self.get_fixture(found[-1].document["_id"]) if found else None

    async def _find_in_collections(
        self, collections: tuple[FixtureCollection, ...], condition: Document
    ) -> list[StoredFixture]:
        """Return the first matching fixture of each collection, in the order given."""
        found = []
        for collection in collections:
            with translate_mongo_errors():
                document = await self._db[collection].find_one(condition, VIEW_PROJECTION, max_time_ms=READ_TIMEOUT_MS)
            found += [StoredFixture(collection, document)] if document else []
        return found

    async def get_clip_redirect(self, clip_id: str) -> str | None:
        """Return the id of the clip that replaced this one."""
        with translate_mongo_errors():
            document = await self._db[CLIP_REDIRECTS].find_one({"_id": clip_id}, max_time_ms=READ_TIMEOUT_MS)
        target = document.get("to") if document else None
        return target if isinstance(target, str) else None

    async def get_gone_reason(self, clip_id: str) -> ClipRemovalReason | None:
        """Return why a clip of a deleted fixture was removed; None if the clip is not recorded."""
        with translate_mongo_errors():
            document = await self._db[GONE_CLIPS].find_one({"_id": clip_id}, max_time_ms=READ_TIMEOUT_MS)
        return ClipRemovalReason(document["why"]) if document else None

    async def is_fixture_deleted(self, fixture_id: int) -> bool:
        """Whether the fixture had clips and was deleted."""
        condition = {"fixture_id": fixture_id}
        with translate_mongo_errors():
            return await self._db[GONE_CLIPS].find_one(condition, {"_id": 1}, max_time_ms=READ_TIMEOUT_MS) is not None

    async def list_all_for_counts(self) -> list[StoredFixture]:
        """Return all fixtures, projected to the fields that decide the status of their goals."""
        found = []
        for collection in _COLLECTIONS:
            with translate_mongo_errors():
                documents = (
                    await self._db[collection].find({}, _COUNT_PROJECTION, max_time_ms=READ_TIMEOUT_MS).to_list()
                )
            found += [StoredFixture(collection, document) for document in documents]
        return found

    @asynccontextmanager
    async def watch_changes(
        self, resume_token: Mapping[str, Any] | None
    ) -> AsyncIterator[AsyncIterator[FixtureChange]]:
        """Yield changes of fixtures, from now or after a token. Raises ChangeHistoryLost if the token is too old to
        resume.
        """
        with translate_mongo_errors(), translate_history_lost():
            stream = await self._db.watch(
                _CHANGE_PIPELINE, resume_after=resume_token, max_await_time_ms=get_change_stream_wait(self._db)
            )
            async with stream:
                yield _iter_changes(stream)


async def _iter_changes(stream: Any) -> AsyncIterator[FixtureChange]:
    yield FixtureChange(stream.resume_token)
    while stream.alive:
        event = await stream.try_next()
        key = event.get("documentKey", {}).get("_id") if event else None
        yield FixtureChange(stream.resume_token, key if isinstance(key, int) else None)
        # A buffered change is returned without waiting; other tasks must run in between.
        await asyncio.sleep(0)


@contextmanager
def translate_history_lost() -> Iterator[None]:
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
