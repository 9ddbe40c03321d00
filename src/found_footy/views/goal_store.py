"""Query of one goal with everything that is kept of it: telemetry and copies, which lists leave out. Read-only."""

from found_footy.domain.collections import GOAL_COLLECTIONS
from found_footy.platform.mongo import Database, Document, translate_mongo_errors
from found_footy.views.field_readers import read_documents
from found_footy.views.fixture_views import StoredFixture, pick_current_copies

_READ_TIMEOUT_MS = 5000


class GoalReadStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    async def get_goal_document(self, fixture_id: int, event_id: str) -> Document | None:
        """Return the goal as the current copy of its fixture stores it; its tombstone if it is no longer listed."""
        listed = {"$elemMatch": {"_event_id": event_id}}
        shown = {"_returned_at": 1, "events": listed, "removed_events": listed}
        found = []
        for collection in GOAL_COLLECTIONS:
            with translate_mongo_errors():
                document = await self._db[collection].find_one({"_id": fixture_id}, shown, max_time_ms=_READ_TIMEOUT_MS)
            found += [StoredFixture(collection, document)] if document else []
        for stored in pick_current_copies(found):
            goals = read_documents(stored.document.get("events")) + read_documents(
                stored.document.get("removed_events")
            )
            return goals[0] if goals else None
        return None
