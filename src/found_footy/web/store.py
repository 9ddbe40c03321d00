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

from found_footy.model.fixture import Room
from found_footy.model.gone import GONE_CLIPS, Why
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.mongo import Database, Document, Index, guarded
from found_footy.web.views import Stored, settle

CLIP_REDIRECTS = "clip_redirects"

_ROOMS = tuple(Room)
_ROOMS_WITH_GOALS = (Room.ACTIVE, Room.COMPLETED)
# What a page has no place for is what begins last, or in the room of the past what was first.
_NEAREST_FIRST = {Room.STAGING: ASCENDING, Room.ACTIVE: ASCENDING, Room.COMPLETED: DESCENDING}
_EVENT_LISTS = ("events", "removed_events")
_CLIP_IDS = (
    *(f"{events}._s3_videos.clip_id" for events in _EVENT_LISTS),
    *(f"{events}._judgements.refused.clip_id" for events in _EVENT_LISTS),
    "removed_events._gone_clips",
)

INDEXES = (
    *(Index(room, (("kickoff", -1), ("_id", -1))) for room in _ROOMS),
    *(Index(room, ((f"{events}._s3_videos.clip_id", 1),)) for room in _ROOMS_WITH_GOALS for events in _EVENT_LISTS),
    *(Index(room, (("removed_events._gone_clips", 1),), sparse=True) for room in _ROOMS_WITH_GOALS),
    Index(GONE_CLIPS, (("fixture_id", 1),)),
)

# Large, and of no use to a viewer.
_UNSEEN = ("_discovered_videos", "_telemetry", "_s3_videos.perceptual_hash", "_s3_videos._members")
_SHOWN: Document = {f"{events}.{field}": 0 for events in _EVENT_LISTS for field in _UNSEEN}
_FLAGS = (
    "_event_id", "_removed", "_monitor_complete", "_download_complete", "_matched_from", "_ghost_at", "_open_links",
    "_s3_videos._s3_key",
)  # fmt: skip
_COUNTED: Document = {
    "_returned_at": 1,
    **{f"{events}.{field}": 1 for events in _EVENT_LISTS for field in _FLAGS},
}

_STREAM_WAIT_MS = 1000
_LONGEST_READ_MS = 5000
_HISTORY_LOST = frozenset({136, 222, 280, 286})
_CHANGES: list[Document] = [
    {"$match": {"ns.coll": {"$in": [str(room) for room in Room]}}},
    {"$project": {"operationType": 1, "ns": 1, "documentKey": 1}},
]


class HistoryLost(FoundFootyError):
    """The changes since a token can no longer be read; only a fresh look at everything is complete."""


@dataclass(frozen=True)
class Change:
    """`token` resumes after this change. Without a fixture it only says how far the stream has been read."""

    token: Mapping[str, Any] | None
    fixture_id: int | None = None


@dataclass(frozen=True)
class Shown:
    """What a page shows, and whether there is more for another one."""

    stored: list[Stored]
    more: bool


@dataclass(frozen=True)
class Place:
    """A position in the list of matches, newest first; the next page begins after it."""

    kickoff: datetime
    fixture_id: int


class ReadStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    async def between(self, since: datetime, until: datetime, limit: int, skip: int = 0) -> Shown:
        """Fixtures by kickoff, at most `limit` of a room: those that began first of the ones that are being watched,
        whenever that was, the nearest of those to come and of those that are over; `skip` of each are left out.
        """
        found: list[Stored] = []
        more = False
        for room in _ROOMS:
            span: Document = {} if room is Room.ACTIVE else {"kickoff": {"$gte": since, "$lt": until}}
            here = await self._ordered(room, span, limit + 1, _NEAREST_FIRST[room], skip)
            found += here[:limit]
            more = more or len(here) > limit
        return Shown(settle(found), more)

    async def page(self, after: Place | None, limit: int) -> list[Stored]:
        """The `limit` newest fixtures after a place, by kickoff and id."""
        span = _older_than(after)
        found = [one for room in _ROOMS for one in await self._ordered(room, span, limit, DESCENDING)]
        ordered = sorted(settle(found), key=lambda s: (s.document["kickoff"], s.document["_id"]), reverse=True)
        return ordered[:limit]

    async def _ordered(self, room: Room, condition: Document, limit: int, order: int, skip: int = 0) -> list[Stored]:
        with guarded():
            cursor = self._db[room].find(condition, _SHOWN, max_time_ms=_LONGEST_READ_MS)
            documents = await cursor.sort([("kickoff", order), ("_id", order)]).skip(skip).limit(limit).to_list()
        return [Stored(room, document) for document in documents]

    async def fixture(self, fixture_id: int) -> Stored | None:
        """The fixture's copy that counts."""
        found = settle(await self._in_rooms(_ROOMS, {"_id": fixture_id}))
        return found[0] if found else None

    async def holding(self, clip_id: str) -> Stored | None:
        """The fixture one of whose goals, struck out or not, has this clip, or had it until a person removed it."""
        condition = {"$or": [{place: clip_id} for place in _CLIP_IDS]}
        found = settle(await self._in_rooms(_ROOMS_WITH_GOALS, condition))
        return await self.fixture(found[-1].document["_id"]) if found else None

    async def _in_rooms(self, rooms: tuple[Room, ...], condition: Document) -> list[Stored]:
        """The first fixture of each room that fits, in the order of the rooms."""
        found = []
        for room in rooms:
            with guarded():
                document = await self._db[room].find_one(condition, _SHOWN, max_time_ms=_LONGEST_READ_MS)
            found += [Stored(room, document)] if document else []
        return found

    async def redirect(self, clip_id: str) -> str | None:
        """The clip that took the place of this one."""
        with guarded():
            document = await self._db[CLIP_REDIRECTS].find_one({"_id": clip_id}, max_time_ms=_LONGEST_READ_MS)
        target = document.get("to") if document else None
        return target if isinstance(target, str) else None

    async def why_gone(self, clip_id: str) -> Why | None:
        """Why a clip of a fixture that was deleted is gone; None if nobody remembers it."""
        with guarded():
            document = await self._db[GONE_CLIPS].find_one({"_id": clip_id}, max_time_ms=_LONGEST_READ_MS)
        return Why(document["why"]) if document else None

    async def is_cleared(self, fixture_id: int) -> bool:
        """Whether the fixture had clips and was deleted."""
        condition = {"fixture_id": fixture_id}
        with guarded():
            return await self._db[GONE_CLIPS].find_one(condition, {"_id": 1}, max_time_ms=_LONGEST_READ_MS) is not None

    async def everything(self) -> list[Stored]:
        """All fixtures with just what their goals' status depends on."""
        found = []
        for room in _ROOMS:
            with guarded():
                documents = await self._db[room].find({}, _COUNTED, max_time_ms=_LONGEST_READ_MS).to_list()
            found += [Stored(room, document) for document in documents]
        return found

    @asynccontextmanager
    async def changes(self, after: Mapping[str, Any] | None) -> AsyncIterator[AsyncIterator[Change]]:
        """Changes of fixtures, from now or after a token. Raises HistoryLost if the token is too old to resume from."""
        with guarded(), _history_checked():
            stream = await self._db.watch(_CHANGES, resume_after=after, max_await_time_ms=_STREAM_WAIT_MS)
            async with stream:
                yield _read(stream)


async def _read(stream: Any) -> AsyncIterator[Change]:
    yield Change(stream.resume_token)
    while stream.alive:
        event = await stream.try_next()
        key = event.get("documentKey", {}).get("_id") if event else None
        yield Change(stream.resume_token, key if isinstance(key, int) else None)
        # A change that is already here is read without waiting; others must get their turn in between.
        await asyncio.sleep(0)


@contextmanager
def _history_checked() -> Iterator[None]:
    try:
        yield
    except OperationFailure as error:
        if error.code in _HISTORY_LOST:
            raise HistoryLost(f"the change stream cannot be resumed: {error}") from error
        raise


def _older_than(after: Place | None) -> Document:
    if after is None:
        return {"kickoff": {"$type": "date"}}
    return {"$or": [{"kickoff": {"$lt": after.kickoff}}, {"kickoff": after.kickoff, "_id": {"$lt": after.fixture_id}}]}
