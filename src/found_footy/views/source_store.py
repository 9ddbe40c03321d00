"""Queries of what the sources of candidates have found. Read-only. They read the searches of many goals, so their
results are shared and kept for a while.
"""

from datetime import datetime, timedelta

from found_footy.discovery.sources.reddit.store import STATE as REDDIT_STATE
from found_footy.domain.collections import GOAL_COLLECTIONS
from found_footy.platform.mongo import Database, Document, translate_mongo_errors
from found_footy.views.field_readers import read_documents
from found_footy.views.fixture_views import StoredFixture, pick_current_copies
from found_footy.views.source_figures import GoalSearches, read_goal_searches
from found_footy.views.source_views import SourceView, build_source_views

# A week has a match day of every league.
RECENT = timedelta(days=7)
_TIMEOUT_MS = 20_000


def _list_of(field: str, as_name: str, made: Document) -> Document:
    entries = {"$objectToArray": {"$ifNull": [field, {}]}}
    return {"$map": {"input": entries, "as": as_name, "in": made}}


def _build_pipeline(since: datetime) -> list[Document]:
    """One row per fixture with its goals, without what was read in the clips."""
    clips = _list_of("$$attempt.v.clips", "clip", {"url": "$$clip.v.url", "outcome": "$$clip.v.outcome"})
    kept = ("attempt", "form", "searched_at", "sources")
    attempt: Document = {**{name: f"$$attempt.v.{name}" for name in kept}, "clips": clips}
    goal = {
        "_first_seen": "$$event._first_seen",
        "_discovered_videos": "$$event._discovered_videos",
        "_s3_videos": "$$event._s3_videos",
        "attempts": _list_of("$$event._telemetry.attempts", "attempt", attempt),
    }
    return [
        {"$match": {"kickoff": {"$gte": since}}},
        {"$project": {"_returned_at": 1, "goals": {"$map": {"input": "$events", "as": "event", "in": goal}}}},
        {"$project": {"goals._discovered_videos.variants": 0, "goals._s3_videos._members": 0}},
    ]


class SourceStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    async def list_goal_searches(self, since: datetime) -> list[GoalSearches]:
        """The searches of the goals of fixtures that kicked off since a time."""
        found = []
        for collection in GOAL_COLLECTIONS:
            with translate_mongo_errors():
                rows = await (
                    await self._db[collection].aggregate(_build_pipeline(since), maxTimeMS=_TIMEOUT_MS)
                ).to_list()
            found += [StoredFixture(collection, row) for row in rows]
        events = (event for one in pick_current_copies(found) for event in read_documents(one.document.get("goals")))
        return [searches for event in events if (searches := read_goal_searches(event)) is not None]

    async def read_reddit_poll(self) -> Document:
        with translate_mongo_errors():
            rows = self._db[REDDIT_STATE].find({}, {"error": 1, "worked_at": 1, "next_at": 1}, max_time_ms=_TIMEOUT_MS)
            return next(iter(await rows.limit(1).to_list()), {})

    async def read_sources(self, now: datetime) -> tuple[SourceView, ...]:
        """How each source has done lately."""
        return build_source_views(await self.list_goal_searches(now - RECENT), await self.read_reddit_poll(), now)
