"""MongoDB operations of notifications: moments, outbox, and the state of channels. Each changes one document and is
idempotent.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from pymongo import UpdateOne

from found_footy.domain.collections import GOAL_COLLECTIONS, FixtureCollection, select_current_document
from found_footy.domain.documents import FixtureDocument
from found_footy.domain.goals import GOAL_LISTS
from found_footy.domain.notify_documents import IntentDocument, MomentDocument, NotifyStateDocument, OutboxDocument
from found_footy.notify.facts import NotifiedGoal, facts_to_document
from found_footy.notify.outbox import SETTLED_FIELDS
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

MOMENTS_COLLECTION = "goal_moments"
OUTBOX_COLLECTION = "notify_outbox"
STATE_COLLECTION = "notify_state"
_SWITCH = "switch"
# Longer than `look_back` may be: a moment that is forgotten while its goal is still looked at would be told again.
_KEPT_FOR = timedelta(days=60)

INDEXES = (
    MongoIndex(MOMENTS_COLLECTION, (("fixture_id", 1),)),
    MongoIndex(MOMENTS_COLLECTION, (("at", 1),), expire_after=_KEPT_FOR),
    MongoIndex(OUTBOX_COLLECTION, (("channel", 1), ("wanted_at", 1)), partial={"open": True}),
    MongoIndex(OUTBOX_COLLECTION, (("created_at", 1),), expire_after=_KEPT_FOR),
)

_GOAL_FIELDS = (
    "_event_id",
    "_first_seen",
    "_due_at",
    "_ghost_at",
    "_removed",
    "_removed_at",
    "_matched_from",
    "_moved_to",
    "_score_before",
    "_score_after",
    "player",
    "assist",
    "team",
    "time",
    "detail",
    *(f"_s3_videos.{name}" for name in ("clip_id", "md5", "rank", "width", "height", "timestamp_verified")),
)
_FIXTURE_PROJECTION: Document = {
    "league": 1,
    "teams": 1,
    "_returned_at": 1,
    **{f"{goals}.{field}": 1 for goals in GOAL_LISTS for field in _GOAL_FIELDS},
}
_SETTLED = {"$setUnion": [{"$ifNull": [f"${name}", []]} for name in SETTLED_FIELDS]}
_SET_OPEN: Document = {"$set": {"open": {"$not": [{"$setIsSubset": [{"$ifNull": ["$wanted", []]}, _SETTLED]}]}}}


def outbox_id(channel: str, goal_id: str) -> str:
    return f"{channel}:{goal_id}"


class NotifyStore:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._moments = database[MOMENTS_COLLECTION]
        self._outbox = database[OUTBOX_COLLECTION]
        self._state = database[STATE_COLLECTION]

    async def start_run(self, now: datetime, look_back: timedelta) -> datetime:
        """Return since when goals are told: since notifications were switched on, or on again after a longer pause than
        `look_back`.
        """
        was_off = {"$lt": ["$last_run_at", now - look_back]}  # also true if the field is missing
        since = {"$cond": [was_off, now, {"$ifNull": ["$since", now]}]}
        with translate_mongo_errors():
            row = await self._state.find_one_and_update(
                {"_id": _SWITCH},
                [{"$set": {"since": since}}, {"$set": {"last_run_at": now}}],
                upsert=True,
                return_document=True,
            )
        return cast(NotifyStateDocument, row)["since"]

    async def iter_fixtures(self, kicked_off_after: datetime) -> AsyncIterator[FixtureDocument]:
        """Every active fixture, and the completed ones of matches that began after that time; each once."""
        copies: dict[int, list[tuple[FixtureCollection, Document]]] = {}
        for collection in GOAL_COLLECTIONS:
            condition: Document = {"$or": [{"events.0": {"$exists": True}}, {"removed_events.0": {"$exists": True}}]}
            if collection is FixtureCollection.COMPLETED:
                condition["kickoff"] = {"$gte": kicked_off_after}
            with translate_mongo_errors():
                async for row in self._db[collection].find(condition, _FIXTURE_PROJECTION):
                    copies.setdefault(row["_id"], []).append((collection, row))
        for found in copies.values():
            yield cast(FixtureDocument, select_current_document(found)[1])

    async def load_moments(self, fixture_ids: Collection[int]) -> dict[int, list[MomentDocument]]:
        found: dict[int, list[MomentDocument]] = {}
        with translate_mongo_errors():
            async for row in self._moments.find({"fixture_id": {"$in": list(fixture_ids)}}):
                found.setdefault(row["fixture_id"], []).append(cast(MomentDocument, row))
        return found

    async def add_wanted(self, channels: Sequence[str], moment: MomentDocument, facts: NotifiedGoal) -> None:
        """Put a moment into the outbox of each channel. One that is there already stays as it is."""
        changes = [
            UpdateOne({"_id": outbox_id(channel, moment["goal"])}, _build_want(channel, moment, facts), upsert=True)
            for channel in channels
        ]
        if changes:
            with translate_mongo_errors():
                await self._outbox.bulk_write(changes, ordered=False)

    async def record_moment(self, moment: MomentDocument) -> bool:
        """Record a moment, after its messages are in the outbox; False if it was recorded before."""
        fields = {name: value for name, value in moment.items() if name != "_id"}
        with translate_mongo_errors():
            result = await self._moments.update_one({"_id": moment["_id"]}, {"$setOnInsert": fields}, upsert=True)
        return result.upserted_id is not None

    async def find_paused_channels(self, now: datetime) -> set[str]:
        with translate_mongo_errors():
            rows = await self._state.find({"not_before": {"$gt": now}}, {"_id": 1}).to_list()
        return {row["_id"].removeprefix("channel:") for row in rows}

    async def pause_channel(self, channel: str, until: datetime) -> None:
        with translate_mongo_errors():
            await self._state.update_one({"_id": f"channel:{channel}"}, {"$max": {"not_before": until}}, upsert=True)

    async def claim(self, channel: str, holder: str, now: datetime, lease: timedelta) -> OutboxDocument | None:
        """Claim the oldest message of the channel that is due and that nobody is sending."""
        free = [{"claim": None}, {"claim.until": {"$lt": now}}]
        due = [{"not_before": None}, {"not_before": {"$lte": now}}]
        condition = {"channel": channel, "open": True, "$and": [{"$or": free}, {"$or": due}]}
        with translate_mongo_errors():
            row = await self._outbox.find_one_and_update(
                condition,
                {"$set": {"claim": {"holder": holder, "until": now + lease}}},
                sort=[("wanted_at", 1)],
                return_document=True,
            )
        return cast(OutboxDocument, row) if row else None

    async def begin(self, entry_id: str, holder: str, intent: IntentDocument) -> bool:
        """Record what is about to be sent; False if the claim was lost."""
        return await self._change(entry_id, holder, [{"$set": {"intent": {"$literal": intent}}}])

    async def settle_sent(
        self, entry_id: str, holder: str, moments: Iterable[str], message_id: str | None, now: datetime
    ) -> bool:
        sent: Document = {"told": _add_to("told", moments), "sent_at": now, "failure": None, "tries": []}
        if message_id is not None:
            sent["message_id"] = {"$literal": message_id}
        return await self._change(entry_id, holder, [{"$set": {**sent, **_RELEASED}}, _SET_OPEN])

    async def settle_unsent(
        self, entry_id: str, holder: str, moments: Iterable[str], failure: str, *, doubtful: bool
    ) -> bool:
        """Nothing more is tried for these moments: they can never be sent, or may have been."""
        field = "doubtful" if doubtful else "failed"
        change = {field: _add_to(field, moments), "failure": {"$literal": failure}, "tries": []}
        return await self._change(entry_id, holder, [{"$set": {**change, **_RELEASED}}, _SET_OPEN])

    async def postpone(self, entry_id: str, holder: str, until: datetime, failure: str, *, keeps_intent: bool) -> bool:
        """Release the message until a later time. An intent is kept if the request may have arrived."""
        change: Document = {
            "claim": None,
            "not_before": until,
            "failure": {"$literal": failure},
            "tries": _add_to("tries", [holder]),
        }
        if not keeps_intent:
            change["intent"] = None
        return await self._change(entry_id, holder, [{"$set": change}])

    async def forget_message(self, entry_id: str, holder: str) -> bool:
        """The message that would be edited is gone: the next one is new."""
        return await self._change(entry_id, holder, [{"$set": {"message_id": None, **_RELEASED}}])

    async def reopen(self, channel: str) -> int:
        """Send again what could not be, or may not have been sent in the channel."""
        with translate_mongo_errors():
            result = await self._outbox.update_many({"channel": channel, "$or": _UNSETTLED}, _REOPENING)
        return result.modified_count

    async def reopen_entry(self, entry_id: str) -> bool:
        """Send one message again that could not be, or may not have been sent; False if it is neither."""
        with translate_mongo_errors():
            result = await self._outbox.update_one({"_id": entry_id, "$or": _UNSETTLED}, _REOPENING)
        return result.matched_count == 1

    async def list_entries(self, limit: int, channel: str | None, *, only_unsent: bool) -> list[OutboxDocument]:
        """The newest messages."""
        condition: Document = {"channel": channel} if channel else {}
        if only_unsent:
            condition["$or"] = [{"open": True}, {"failed.0": {"$exists": True}}, {"doubtful.0": {"$exists": True}}]
        with translate_mongo_errors():
            rows = await self._outbox.find(condition).sort("wanted_at", -1).limit(limit).to_list()
        return [cast(OutboxDocument, row) for row in rows]

    async def _change(self, entry_id: str, holder: str, change: list[Document]) -> bool:
        with translate_mongo_errors():
            result = await self._outbox.update_one({"_id": entry_id, "claim.holder": holder}, change)
        return result.matched_count == 1


_UNSETTLED: list[Document] = [{f"{name}.0": {"$exists": True}} for name in ("failed", "doubtful")]
_REOPENING: list[Document] = [
    {"$set": {"failed": [], "doubtful": [], "not_before": None, "tries": [], "failure": None, "wanted_at": "$$NOW"}},
    _SET_OPEN,
]
_RELEASED: Document = {"claim": None, "intent": None, "not_before": None}


def _add_to(field: str, names: Iterable[str]) -> Document:
    return {"$setUnion": [{"$ifNull": [f"${field}", []]}, {"$literal": list(names)}]}


def _build_want(channel: str, moment: MomentDocument, facts: NotifiedGoal) -> list[Document]:
    is_new = {"$not": [{"$in": [{"$literal": moment["_id"]}, {"$ifNull": ["$wanted", []]}]}]}
    fields: dict[str, Any] = {
        "channel": {"$literal": channel},
        "goal": {"$literal": moment["goal"]},
        "facts": {"$literal": facts_to_document(facts)},
        "created_at": {"$ifNull": ["$created_at", moment["at"]]},
        "wanted_at": {"$cond": [is_new, moment["at"], "$wanted_at"]},
        "wanted": _add_to("wanted", [moment["_id"]]),
    }
    return [{"$set": fields}, _SET_OPEN]
