"""Moderation in MongoDB: read for a goal, and written by one operation on it, in whichever collection its
fixture is.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from found_footy.archive.moderation.model import BLOCKLIST, MODERATION_FIELD, GoalModeration, parse_moderation
from found_footy.archive.moderation.mongo_updates import build_goal_update, literal
from found_footy.domain.collections import (
    CLIP_REDIRECTS,
    GOAL_COLLECTIONS,
    MAX_CLIP_REDIRECTS,
    FixtureCollection,
    select_current_copy,
    select_current_document,
)
from found_footy.domain.goals import GOAL_LISTS, goal_filter, iterate_stored_goals
from found_footy.domain.messages import Goal
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

_MAX_CLIP_IDS = 100_000

_GOAL_FIELDS = ("_event_id", "_slug", "_removed", "_matched_from", "_s3_videos", MODERATION_FIELD)
_PROJECTION = {"_returned_at": 1, **{f"{goals}.{field}": 1 for goals in GOAL_LISTS for field in _GOAL_FIELDS}}
_CLIP_ID_PATH = "_s3_videos.clip_id"
_MD5_PATH = "_s3_videos.md5"
_BLOCKED_CLIP_ID_PATH = f"{MODERATION_FIELD}.refused.clip_id"
INDEXES = (
    *(
        MongoIndex(collection, ((f"{goals}.{field}", 1),), sparse=True)
        for collection in GOAL_COLLECTIONS
        for goals in GOAL_LISTS
        for field in (_MD5_PATH, _BLOCKED_CLIP_ID_PATH)
    ),
    MongoIndex(CLIP_REDIRECTS, (("to", 1),)),
    MongoIndex(BLOCKLIST, (("md5s", 1),)),
)


@dataclass(frozen=True)
class LocatedClip:
    """A clip with its location: `clip` is its record, `event` the goal that has it."""

    fixture_id: int
    event: Document
    clip: Document
    collection: FixtureCollection = FixtureCollection.ACTIVE
    returned_at: datetime | None = None

    @property
    def version_key(self) -> tuple[FixtureCollection, datetime | None]:
        return self.collection, self.returned_at

    @property
    def event_id(self) -> str:
        return str(self.event["_event_id"])

    @property
    def clip_id(self) -> str:
        return str(self.clip["clip_id"])


class ModerationStore:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._blocklist = database[BLOCKLIST]

    async def load_moderation(self, goal: Goal) -> GoalModeration:
        """The moderation that applies to new clips of this goal."""
        with translate_mongo_errors():
            row = await self._db[FixtureCollection.ACTIVE].find_one(
                goal_filter(goal.fixture_id, goal.event_id),
                {"events": {"$elemMatch": {"_event_id": goal.event_id}}},
            )
            blocked = await self._blocklist.find({"lifted": {"$ne": True}}).to_list()
        return parse_moderation(row["events"][0] if row else {}, blocked)

    async def update_goal(self, fixture_id: int, event_id: str, fields: Mapping[str, Any]) -> bool:
        """Apply one operation to the goal in every collection that has it. False if none has.

        A fixture that is being archived is in two collections, and either copy may stay: both are changed. One that
        moves back meanwhile is reached by the second update of the active collection.
        """
        same = {"_id": fixture_id, "$or": [{f"{goals}._event_id": event_id} for goals in GOAL_LISTS]}
        found = 0
        for collection in (*GOAL_COLLECTIONS, FixtureCollection.ACTIVE):
            with translate_mongo_errors():
                found += (
                    await self._db[collection].update_one(same, build_goal_update(event_id, fields))
                ).matched_count
        return found > 0

    async def find_clip(self, clip_id: str) -> LocatedClip | None:
        """The clip and its goal, removed or not, in the current copy of the fixture."""
        found = [located async for located in self.iter_clips(_CLIP_ID_PATH, [clip_id]) if located.clip_id == clip_id]
        return select_current_copy(found, lambda located: located.version_key) if found else None

    async def find_by_md5(self, md5s: Collection[str]) -> list[LocatedClip]:
        """Every clip, of any goal, whose file has one of these MD5s, each from the current copy that has it."""
        found: dict[str, list[LocatedClip]] = {}
        async for located in self.iter_clips(_MD5_PATH, md5s):
            if located.clip.get("md5") in md5s:
                found.setdefault(located.clip_id, []).append(located)
        return [select_current_copy(copies, lambda located: located.version_key) for copies in found.values()]

    async def iter_clips(self, field: str = "", values: Collection[str] = ()) -> AsyncIterator[LocatedClip]:
        """All clips of the fixtures that match `field`; without a field, all clips."""
        condition = {"$or": [{f"{goals}.{field}": {"$in": list(values)}} for goals in GOAL_LISTS]} if field else {}
        for collection in GOAL_COLLECTIONS:
            with translate_mongo_errors():
                async for row in self._db[collection].find(condition, _PROJECTION):
                    for located in _list_located_clips(row, collection):
                        yield located

    async def find_block_rows(self, clip_id: str) -> list[Document]:
        """The block rows of a clip stored on goals, one per file; empty if it was not blocked."""
        condition = {"$or": [{f"{goals}.{_BLOCKED_CLIP_ID_PATH}": clip_id} for goals in GOAL_LISTS]}
        rows: list[Document] = []
        for collection in GOAL_COLLECTIONS:
            with translate_mongo_errors():
                row = await self._db[collection].find_one(condition, _PROJECTION)
            for event in _list_goals(row or {}):
                refused = (event.get(MODERATION_FIELD) or {}).get("refused") or ()
                place = {"fixture_id": (row or {})["_id"], "event_id": event["_event_id"]}
                rows += [{**block, **place} for block in refused if block["clip_id"] == clip_id]
        return rows

    async def resolve_redirect(self, clip_id: str) -> str:
        """The clip that this one was merged into, through any number of redirects; the same id if there is none."""
        seen = [clip_id]
        while len(seen) <= MAX_CLIP_REDIRECTS:
            with translate_mongo_errors():
                row = await self._db[CLIP_REDIRECTS].find_one({"_id": seen[-1]})
            if row is None or row.get("to") in seen:
                break
            seen.append(row["to"])
        return seen[-1]

    async def find_goals_blocking(self, md5s: Sequence[str]) -> list[tuple[int, str]]:
        place = f"{MODERATION_FIELD}.refused.md5s"
        condition = {"$or": [{f"{goals}.{place}": {"$in": list(md5s)}} for goals in GOAL_LISTS]}
        found: set[tuple[int, str]] = set()
        for collection in GOAL_COLLECTIONS:
            with translate_mongo_errors():
                async for row in self._db[collection].find(condition, _PROJECTION):
                    found |= {
                        (row["_id"], event["_event_id"]) for event in _list_goals(row) if event.get(MODERATION_FIELD)
                    }
        return sorted(found)

    async def find_goals(self, event_id: str = "", fixture_id: int | None = None) -> list[tuple[int, Document]]:
        """One goal by its id, or all of a fixture, from the current copy."""
        condition: Document = {"$or": [{f"{goals}._event_id": event_id} for goals in GOAL_LISTS]}
        if fixture_id is not None:
            condition = {"_id": fixture_id}
        rows: list[tuple[FixtureCollection, Document]] = []
        for collection in GOAL_COLLECTIONS:
            with translate_mongo_errors():
                rows += [(collection, row) async for row in self._db[collection].find(condition, _PROJECTION)]
        if not rows:
            return []
        _, row = select_current_document(rows)
        goals = [(row["_id"], event) for event in _list_goals(row)]
        return [(number, event) for number, event in goals if not event_id or event["_event_id"] == event_id]

    async def list_clip_ids(self) -> list[str]:
        """All clip ids, to suggest the one a person meant."""
        names: list[Any] = []
        for collection in GOAL_COLLECTIONS:
            for goals in GOAL_LISTS:
                with translate_mongo_errors():
                    names += await self._db[collection].distinct(f"{goals}.{_CLIP_ID_PATH}")
        # `distinct` on a multikey index returns a null for empty lists.
        return [name for name in names if isinstance(name, str)][:_MAX_CLIP_IDS]

    async def block_file(self, entry: Document) -> None:
        """Put a file on the blocklist. An existing entry stays, unless it was lifted; only a missing fingerprint is
        added.
        """
        anew = {"$or": [{"$eq": [{"$type": "$at"}, "missing"]}, {"$eq": ["$lifted", True]}]}
        known = {"$ne": [{"$ifNull": ["$print_key", ""]}, ""]}
        fingerprints = {
            name: {"$cond": [known, f"${name}", literal(entry[name])]} for name in ("print_key", "hash_version")
        }
        chosen = {"$cond": [anew, literal(entry), {"$mergeObjects": ["$$ROOT", fingerprints]}]}
        with translate_mongo_errors():
            await self._blocklist.update_one({"_id": entry["_id"]}, [{"$replaceWith": chosen}], upsert=True)

    async def unblock_files(self, md5s: Sequence[str]) -> int:
        condition = {"md5s": {"$in": list(md5s)}, "lifted": {"$ne": True}}
        with translate_mongo_errors():
            return (await self._blocklist.update_many(condition, {"$set": {"lifted": True}})).modified_count

    async def find_blocked(self, md5s: Collection[str]) -> frozenset[str]:
        """Those of these files that were taken down."""
        condition = {"md5s": {"$in": list(md5s)}, "lifted": {"$ne": True}}
        with translate_mongo_errors():
            rows = await self._blocklist.find(condition, {"md5s": 1}).to_list() if md5s else []
        return frozenset(md5 for row in rows for md5 in row["md5s"]) & frozenset(md5s)

    async def list_blocked(self, *, include_lifted: bool = False) -> list[Document]:
        with translate_mongo_errors():
            return (
                await self._blocklist.find({} if include_lifted else {"lifted": {"$ne": True}}).sort("at", -1).to_list()
            )


def _list_goals(row: Document) -> list[Document]:
    return list(iterate_stored_goals(row))


def _list_located_clips(row: Document, collection: FixtureCollection) -> list[LocatedClip]:
    returned_at = row.get("_returned_at")
    return [
        LocatedClip(row["_id"], event, clip, collection, returned_at)
        for event in _list_goals(row)
        for clip in event.get("_s3_videos") or ()
    ]
