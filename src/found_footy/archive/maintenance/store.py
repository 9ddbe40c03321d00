"""MongoDB reads of the integrity job and the sweep."""

from collections.abc import AsyncIterator

from found_footy.archive.maintenance.integrity import StoredFixtureCopy
from found_footy.archive.moderation.model import BLOCKLIST
from found_footy.domain.collections import CLIP_REDIRECTS, FixtureCollection
from found_footy.domain.completion import needs_scratch_files
from found_footy.domain.goals import GOAL_LISTS
from found_footy.platform.mongo import Database, Document, translate_mongo_errors
from found_footy.platform.paired_collections import PairedCollections

_GOAL_FIELDS = ("_event_id", "_s3_videos", "_judgements")
_PROJECTION: Document = {"_returned_at": 1, **{f"{goals}.{field}": 1 for goals in GOAL_LISTS for field in _GOAL_FIELDS}}


class IntegrityStore:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._goals = PairedCollections(database)

    async def load_copies(self, fixture_id: int) -> list[StoredFixtureCopy]:
        """The fixture's document in every collection that has it, in the order staging, active, completed."""
        found = []
        for collection in FixtureCollection:
            with translate_mongo_errors():
                row = await self._db[collection].find_one({"_id": fixture_id}, _PROJECTION)
            found += [StoredFixtureCopy(collection, row)] if row else []
        return found

    async def iter_fixture_ids(self) -> AsyncIterator[int]:
        """Every fixture id; those in two collections twice."""
        for collection in FixtureCollection:
            with translate_mongo_errors():
                async for row in self._db[collection].find({}, {"_id": 1}).sort("_id", 1):
                    yield row["_id"]

    async def iter_redirects(self) -> AsyncIterator[str]:
        with translate_mongo_errors():
            async for row in self._db[CLIP_REDIRECTS].find({}, {"_id": 1}):
                yield row["_id"]

    async def iter_blocked(self) -> AsyncIterator[Document]:
        with translate_mongo_errors():
            async for row in self._db[BLOCKLIST].find({}):
                yield row

    async def has_blocked_fingerprint(self, key: str) -> bool:
        """Whether an entry of the blocklist, lifted or not, refers to this fingerprint."""
        with translate_mongo_errors():
            return await self._db[BLOCKLIST].find_one({"print_key": key}, {"_id": 1}) is not None

    async def is_scratch_needed(self, event_id: str) -> bool:
        """Whether a goal may still need its scratch files: its search is open, a delivery is pending, or a candidate
        will be retried.
        """
        event = await self._find_goal(event_id)
        return event is not None and needs_scratch_files(event)

    async def _find_goal(self, event_id: str) -> Document | None:
        row = await self._goals.find_one(
            {"events._event_id": event_id}, {"events": {"$elemMatch": {"_event_id": event_id}}}
        )
        return row["events"][0] if row else None
