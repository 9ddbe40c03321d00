"""Queries of the figures. Read-only. They read whole collections, so their results are shared and kept for a while."""

from typing import Any

from found_footy.domain.collections import GOAL_COLLECTIONS, FixtureCollection
from found_footy.platform.mongo import Database, Document, translate_mongo_errors
from found_footy.views.field_readers import read_documents
from found_footy.views.fixture_views import StoredFixture, pick_current_copies
from found_footy.views.source_figures import DEFAULT_SOURCE
from found_footy.views.stats import SourceYield

_TIMEOUT_MS = 20_000
_STATS_FIELDS = (
    "_event_id",
    "_first_seen",
    "_fell_at",
    "_monitor_complete",
    "_download_complete",
    "_matched_from",
    "_moved_to",
    "_ghost_at",
    "_open_links",
    "_s3_videos._s3_key",
    "_s3_videos.added_at",
    "_s3_videos.file_size",
)
_STATS_PROJECTION: Document = {
    "_returned_at": 1,
    "league": 1,
    "kickoff": 1,
    "fixture.status": 1,
    **{f"events.{field}": 1 for field in _STATS_FIELDS},
}
_COUNTED = ("found", "fetched", "kept")


def _count_where(condition: Any) -> Document:
    return {"$sum": {"$cond": [condition, 1, 0]}}


def _build_yield_pipeline() -> list[Document]:
    """Candidates per fixture and source. Those of a goal's kept clips are the ones whose link is in `_sources`."""
    clips = {"$ifNull": ["$events._s3_videos", []]}
    links = {
        "$reduce": {
            "input": clips,
            "initialValue": [],
            "in": {"$setUnion": ["$$value", {"$ifNull": ["$$this._sources", []]}]},
        }
    }
    return [
        {"$project": {"_returned_at": 1, "events._s3_videos._sources": 1, "events._discovered_videos": 1}},
        {"$unwind": "$events"},
        {"$set": {"links": links}},
        {"$unwind": "$events._discovered_videos"},
        {
            "$replaceWith": {
                "fixture": "$_id",
                "returned": "$_returned_at",
                "links": "$links",
                "one": "$events._discovered_videos",
            }
        },
        {
            "$group": {
                "_id": {"fixture": "$fixture", "source": {"$ifNull": ["$one.source", DEFAULT_SOURCE]}},
                "returned": {"$first": "$returned"},
                "found": {"$sum": 1},
                "fetched": _count_where({"$eq": ["$one.taken", True]}),
                "kept": _count_where({"$in": ["$one.url", "$links"]}),
            }
        },
        {
            "$group": {
                "_id": "$_id.fixture",
                "_returned_at": {"$first": "$returned"},
                "sources": {
                    "$push": {"source": "$_id.source", "found": "$found", "fetched": "$fetched", "kept": "$kept"}
                },
            }
        },
    ]


class StatsStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    async def list_for_stats(self) -> list[StoredFixture]:
        """The current copies of all fixtures, with the fields that the figures need."""
        found = []
        for collection in FixtureCollection:
            with translate_mongo_errors():
                rows = await self._db[collection].find({}, _STATS_PROJECTION, max_time_ms=_TIMEOUT_MS).to_list()
            found += [StoredFixture(collection, row) for row in rows]
        return pick_current_copies(found)

    async def count_candidates(self) -> list[SourceYield]:
        """What each source gave, over all goals that count."""
        pipeline = _build_yield_pipeline()
        found = []
        for collection in GOAL_COLLECTIONS:
            with translate_mongo_errors():
                rows = await (await self._db[collection].aggregate(pipeline, maxTimeMS=_TIMEOUT_MS)).to_list()
            found += [StoredFixture(collection, row) for row in rows]
        totals: dict[str, list[int]] = {}
        for stored in pick_current_copies(found):
            for row in read_documents(stored.document["sources"]):
                counts = totals.setdefault(str(row["source"]), [0] * len(_COUNTED))
                totals[str(row["source"])] = [have + row[name] for have, name in zip(counts, _COUNTED, strict=True)]
        return [SourceYield(source, *counts) for source, counts in totals.items()]
