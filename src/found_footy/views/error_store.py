"""Queries of what failed, and the errors that the operator has dismissed."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, cast

from found_footy.domain.collections import GOAL_COLLECTIONS
from found_footy.domain.documents import FeedErrorDocument
from found_footy.domain.operator_documents import DismissedErrorDocument
from found_footy.fixtures.store import FEED_STATE
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors
from found_footy.views.error_views import FAILURE_OUTCOMES

DISMISSED_ERRORS = "dismissed_errors"
_TIMEOUT_MS = 20_000
# Longer than what failed is shown.
_KEPT_FOR = timedelta(days=60)
INDEXES = (MongoIndex(DISMISSED_ERRORS, (("at", 1),), expire_after=_KEPT_FOR),)


def _build_clip_pipeline(since: datetime, limit: int) -> list[Document]:
    """The last note on each candidate of a goal, and how often it was tried. Reads no evidence."""
    note, goal = "$clips.v", "$events"
    last = ("url", "outcome", "reason", "retry", "at", "open", "player", "time", "home", "away")
    return [
        {"$match": {"kickoff": {"$gte": since}}},
        {"$project": {"teams": 1, "events": 1}},
        {"$unwind": "$events"},
        {"$match": {"events._removed": {"$ne": True}}},
        {"$set": {"attempts": {"$objectToArray": {"$ifNull": ["$events._telemetry.attempts", {}]}}}},
        {"$unwind": "$attempts"},
        {"$set": {"clips": {"$objectToArray": {"$ifNull": ["$attempts.v.clips", {}]}}}},
        {"$unwind": "$clips"},
        {
            "$replaceWith": {
                "event_id": f"{goal}._event_id",
                "link": "$clips.k",
                **{name: f"{note}.{name}" for name in ("url", "outcome", "reason", "retry")},
                "at": "$attempts.v.searched_at",
                "open": {"$in": [f"{note}.url", {"$ifNull": [f"{goal}._open_links", []]}]},
                "player": f"{goal}.player.name",
                "time": f"{goal}.time",
                "home": "$teams.home.name",
                "away": "$teams.away.name",
            }
        },
        {"$sort": {"at": 1}},
        {
            "$group": {
                "_id": {"event_id": "$event_id", "link": "$link"},
                "tries": {"$sum": 1},
                **{name: {"$last": f"${name}"} for name in last},
            }
        },
        {"$match": {"outcome": {"$in": sorted(FAILURE_OUTCOMES)}}},
        {"$sort": {"at": -1}},
        {"$limit": limit},
        {"$set": {"event_id": "$_id.event_id", "link": "$_id.link"}},
    ]


class ErrorStore:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._dismissed = database[DISMISSED_ERRORS]

    async def list_failed_clips(self, since: datetime, limit: int) -> list[dict[str, Any]]:
        """The candidates of matches since then whose last try failed, the newest first."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for collection in reversed(GOAL_COLLECTIONS):
            with translate_mongo_errors():
                cursor = await self._db[collection].aggregate(
                    _build_clip_pipeline(since, limit), maxTimeMS=_TIMEOUT_MS, allowDiskUse=True
                )
                async for row in cursor:
                    found[row["event_id"], row["link"]] = row
        return sorted(found.values(), key=lambda row: (row.get("at") is not None, row.get("at")), reverse=True)[:limit]

    async def read_feed_error(self) -> FeedErrorDocument | None:
        with translate_mongo_errors():
            row = await self._db[FEED_STATE].find_one({"last_error": {"$ne": None}}, {"last_error": 1})
        return cast(FeedErrorDocument, row["last_error"]) if row else None

    async def read_dismissed(self, keys: Collection[str]) -> dict[str, datetime]:
        """When each of these errors was dismissed, for those that were."""
        with translate_mongo_errors():
            rows = await self._dismissed.find({"_id": {"$in": list(keys)}}).to_list()
        return {row["_id"]: cast(DismissedErrorDocument, row)["at"] for row in rows}

    async def dismiss(self, key: str, at: datetime, by: str) -> None:
        with translate_mongo_errors():
            await self._dismissed.update_one({"_id": key}, {"$set": {"at": at, "by": by}}, upsert=True)
