"""What the integrity job and the sweep read from MongoDB."""

from collections.abc import AsyncIterator

from found_footy.archive.integrity import Copy
from found_footy.archive.judgement import BLOCKLIST
from found_footy.archive.judgement_expressions import GOAL_LISTS
from found_footy.archive.judgement_store import CLIP_REDIRECTS
from found_footy.model.fixture import Room
from found_footy.platform.goal_store import GoalStore
from found_footy.platform.mongo import Database, Document, guarded

_FIELDS = ("_event_id", "_s3_videos", "_judgements")
_GOALS: Document = {"_returned_at": 1, **{f"{goals}.{field}": 1 for goals in GOAL_LISTS for field in _FIELDS}}


class IntegrityStore:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._goals = GoalStore(database)

    async def copies(self, fixture_id: int) -> list[Copy]:
        """The fixture in every room that has it, in the order in which it walks."""
        found = []
        for room in Room:
            with guarded():
                row = await self._db[room].find_one({"_id": fixture_id}, _GOALS)
            found += [Copy(room, row)] if row else []
        return found

    async def fixture_ids(self) -> AsyncIterator[int]:
        """Every fixture, those in two rooms twice."""
        for room in Room:
            with guarded():
                async for row in self._db[room].find({}, {"_id": 1}).sort("_id", 1):
                    yield row["_id"]

    async def redirects(self) -> AsyncIterator[str]:
        with guarded():
            async for row in self._db[CLIP_REDIRECTS].find({}, {"_id": 1}):
                yield row["_id"]

    async def blocked(self) -> AsyncIterator[Document]:
        with guarded():
            async for row in self._db[BLOCKLIST].find({}):
                yield row

    async def keeps_print(self, key: str) -> bool:
        """Whether an entry of the blocklist, lifted or not, has its fingerprint here."""
        with guarded():
            return await self._db[BLOCKLIST].find_one({"print_key": key}, {"_id": 1}) is not None

    async def needs_scratch(self, event_id: str) -> bool:
        """Whether a goal may still want its scratch files: its search is open, a delivery is on its way, or a link
        will be tried again.
        """
        event = await self._goal(event_id)
        if event is None:
            return False
        waiting = set(event.get("_download_workflows") or ()) - set(event.get("_delivered_workflows") or ())
        return not event.get("_download_complete") or bool(waiting) or bool(event.get("_open_links"))

    async def _goal(self, event_id: str) -> Document | None:
        row = await self._goals.find(
            {"events._event_id": event_id}, {"events": {"$elemMatch": {"_event_id": event_id}}}
        )
        return row["events"][0] if row else None
