"""People's word in MongoDB: read for a goal, and written by one operation on it, wherever its fixture is kept."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from found_footy.archive.judgement import BLOCKLIST, JUDGEMENTS, Judgements, judgements_of
from found_footy.archive.judgement_expressions import GOAL_LISTS, literal, on_goal
from found_footy.model.fixture import Room, counting
from found_footy.model.handoff import Goal
from found_footy.platform.mongo import Database, Document, Index, guarded

CLIP_REDIRECTS = "clip_redirects"
# In the order in which a fixture walks: one that moves on while we look is found in the next room.
_ROOMS = (Room.ACTIVE, Room.COMPLETED)
_MOST_REDIRECTS = 8
_MOST_NAMES = 100_000

_FIELDS = ("_event_id", "_slug", "_removed", "_matched_from", "_s3_videos", JUDGEMENTS)
_SHOWN = {"_returned_at": 1, **{f"{goals}.{field}": 1 for goals in GOAL_LISTS for field in _FIELDS}}
_CLIP = "_s3_videos.clip_id"
_MD5 = "_s3_videos.md5"
_REFUSED = f"{JUDGEMENTS}.refused.clip_id"
INDEXES = (
    *(
        Index(room, ((f"{goals}.{field}", 1),), sparse=True)
        for room in _ROOMS
        for goals in GOAL_LISTS
        for field in (_MD5, _REFUSED)
    ),
    Index(CLIP_REDIRECTS, (("to", 1),)),
    Index(BLOCKLIST, (("md5s", 1),)),
)


@dataclass(frozen=True)
class Held:
    """A clip where it is: `clip` is its record, `event` the goal that has it."""

    fixture_id: int
    event: Document
    clip: Document
    room: Room = Room.ACTIVE
    returned_at: datetime | None = None

    @property
    def place(self) -> tuple[Room, datetime | None]:
        return self.room, self.returned_at

    @property
    def event_id(self) -> str:
        return str(self.event["_event_id"])

    @property
    def clip_id(self) -> str:
        return str(self.clip["clip_id"])


class JudgementStore:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._blocklist = database[BLOCKLIST]

    async def of(self, goal: Goal) -> Judgements:
        """What holds for clips that come to this goal now."""
        with guarded():
            row = await self._db[Room.ACTIVE].find_one(
                {"_id": goal.fixture_id, "events._event_id": goal.event_id},
                {"events": {"$elemMatch": {"_event_id": goal.event_id}}},
            )
            blocked = await self._blocklist.find({"lifted": {"$ne": True}}).to_list()
        return judgements_of(row["events"][0] if row else {}, blocked)

    async def change(self, fixture_id: int, event_id: str, fields: Mapping[str, Any]) -> bool:
        """Apply one operation to the goal in every room that has it. False if none has.

        A fixture that is being archived is in two rooms, and which copy will stay is not for us to say: both are
        changed. One that goes back a room behind our backs is met by the second look.
        """
        same = {"_id": fixture_id, "$or": [{f"{goals}._event_id": event_id} for goals in GOAL_LISTS]}
        found = 0
        for room in (*_ROOMS, Room.ACTIVE):
            with guarded():
                found += (await self._db[room].update_one(same, on_goal(event_id, fields))).matched_count
        return found > 0

    async def holding(self, clip_id: str) -> Held | None:
        """The goal that has this clip, standing or struck out, in the copy of the fixture that counts."""
        found = [held async for held in self.with_clips(_CLIP, [clip_id]) if held.clip_id == clip_id]
        return counting(found, lambda held: held.place) if found else None

    async def same_bytes(self, md5s: Collection[str]) -> list[Held]:
        """Every clip, of whatever goal, whose file has one of these MD5s."""
        found = {held.clip_id: held async for held in self.with_clips(_MD5, md5s) if held.clip.get("md5") in md5s}
        return list(found.values())

    async def with_clips(self, field: str = "", values: Collection[str] = ()) -> AsyncIterator[Held]:
        """All clips of the goals one of whose clips has one of the values; without a field, all there are."""
        condition = {"$or": [{f"{goals}.{field}": {"$in": list(values)}} for goals in GOAL_LISTS]} if field else {}
        for room in _ROOMS:
            with guarded():
                async for row in self._db[room].find(condition, _SHOWN):
                    for held in _clips_of(row, room):
                        yield held

    async def sent_away(self, clip_id: str) -> list[Document]:
        """What a goal remembers of a clip that was sent away, a row per file; nothing if it was not."""
        condition = {"$or": [{f"{goals}.{_REFUSED}": clip_id} for goals in GOAL_LISTS]}
        rows: list[Document] = []
        for room in _ROOMS:
            with guarded():
                row = await self._db[room].find_one(condition, _SHOWN)
            for event in _goals_of(row or {}):
                refused = (event.get(JUDGEMENTS) or {}).get("refused") or ()
                place = {"fixture_id": (row or {})["_id"], "event_id": event["_event_id"]}
                rows += [{**refusal, **place} for refusal in refused if refusal["clip_id"] == clip_id]
        return rows

    async def successor(self, clip_id: str) -> str:
        """The clip that took this one's place, after however many steps; the same one if none did."""
        seen = [clip_id]
        while len(seen) <= _MOST_REDIRECTS:
            with guarded():
                row = await self._db[CLIP_REDIRECTS].find_one({"_id": seen[-1]})
            if row is None or row.get("to") in seen:
                break
            seen.append(row["to"])
        return seen[-1]

    async def goals_refusing(self, md5s: Sequence[str]) -> list[tuple[int, str]]:
        place = f"{JUDGEMENTS}.refused.md5s"
        condition = {"$or": [{f"{goals}.{place}": {"$in": list(md5s)}} for goals in GOAL_LISTS]}
        found: set[tuple[int, str]] = set()
        for room in _ROOMS:
            with guarded():
                async for row in self._db[room].find(condition, _SHOWN):
                    found |= {(row["_id"], event["_event_id"]) for event in _goals_of(row) if event.get(JUDGEMENTS)}
        return sorted(found)

    async def goals(self, event_id: str = "", fixture_id: int | None = None) -> list[tuple[int, Document]]:
        """One goal by its id, or all of a fixture, from the copy that counts."""
        condition: Document = {"$or": [{f"{goals}._event_id": event_id} for goals in GOAL_LISTS]}
        if fixture_id is not None:
            condition = {"_id": fixture_id}
        rows: list[tuple[Room, Document]] = []
        for room in _ROOMS:
            with guarded():
                rows += [(room, row) async for row in self._db[room].find(condition, _SHOWN)]
        if not rows:
            return []
        _, row = counting(rows, lambda copy: (copy[0], copy[1].get("_returned_at")))
        goals = [(row["_id"], event) for event in _goals_of(row)]
        return [(number, event) for number, event in goals if not event_id or event["_event_id"] == event_id]

    async def clip_ids(self) -> list[str]:
        """Ids that a person may have meant."""
        names: list[Any] = []
        for room in _ROOMS:
            for goals in GOAL_LISTS:
                with guarded():
                    names += await self._db[room].distinct(f"{goals}.{_CLIP}")
        # An index of lists answers with a null for those that are empty.
        return [name for name in names if isinstance(name, str)][:_MOST_NAMES]

    async def block(self, entry: Document) -> None:
        """Put a file on the blocklist. The first word on it stays, unless it was lifted; a fingerprint is added."""
        anew = {"$or": [{"$eq": [{"$type": "$at"}, "missing"]}, {"$eq": ["$lifted", True]}]}
        known = {"$ne": [{"$ifNull": ["$print_key", ""]}, ""]}
        prints = {name: {"$cond": [known, f"${name}", literal(entry[name])]} for name in ("print_key", "hash_version")}
        chosen = {"$cond": [anew, literal(entry), {"$mergeObjects": ["$$ROOT", prints]}]}
        with guarded():
            await self._blocklist.update_one({"_id": entry["_id"]}, [{"$replaceWith": chosen}], upsert=True)

    async def unblock(self, md5s: Sequence[str]) -> int:
        condition = {"md5s": {"$in": list(md5s)}, "lifted": {"$ne": True}}
        with guarded():
            return (await self._blocklist.update_many(condition, {"$set": {"lifted": True}})).modified_count

    async def blocked_among(self, md5s: Collection[str]) -> frozenset[str]:
        """Of these files, those that were taken down."""
        condition = {"md5s": {"$in": list(md5s)}, "lifted": {"$ne": True}}
        with guarded():
            rows = await self._blocklist.find(condition, {"md5s": 1}).to_list() if md5s else []
        return frozenset(md5 for row in rows for md5 in row["md5s"]) & frozenset(md5s)

    async def blocked(self, *, lifted: bool = False) -> list[Document]:
        with guarded():
            return await self._blocklist.find({} if lifted else {"lifted": {"$ne": True}}).sort("at", -1).to_list()


def _goals_of(row: Document) -> list[Document]:
    return [event for goals in GOAL_LISTS for event in row.get(goals) or ()]


def _clips_of(row: Document, room: Room) -> list[Held]:
    returned_at = row.get("_returned_at")
    return [
        Held(row["_id"], event, clip, room, returned_at)
        for event in _goals_of(row)
        for clip in event.get("_s3_videos") or ()
    ]
