"""The audit log: who decided what about which clip, when and why.

An entry is written before its action, so that a crash cannot leave an action without an entry; an entry that is not
marked done names an action to resume.
"""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, cast

from found_footy.domain.moderation_documents import AuditDocument
from found_footy.platform.clock import Clock
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

AUDIT = "audit"
_MAX_REASON_LENGTH = 500
# An action takes seconds; one that is still unfinished after this was interrupted.
_INTERRUPTED_AFTER = timedelta(minutes=10)
INDEXES = (
    MongoIndex(AUDIT, (("at", -1),)),
    MongoIndex(AUDIT, (("clips", 1), ("at", -1))),
    MongoIndex(AUDIT, (("state", 1), ("at", 1))),
    MongoIndex(AUDIT, (("event_id", 1), ("at", -1))),
)


class AuditAction(StrEnum):
    PIN = "pin"
    UNPIN = "unpin"
    KEEP_APART = "apart"
    WRONG_GOAL = "wrong-goal"
    TAKE_DOWN = "take-down"
    UNBLOCK = "unblock"
    DROP_RECORD = "drop-record"
    CLEAR_SIDE_FIELD = "forget-side"
    RECOUNT = "recount"
    ADD_CLIP = "add-clip"
    INGEST = "ingest"
    MERGE_AGAIN = "merge-again"
    SIGN_IN = "sign-in"
    SIGN_OUT = "sign-out"
    ADD_USER = "user-add"
    SET_ROLE = "user-role"
    SET_PASSWORD = "user-password"  # noqa: S105  the name of an action
    INVITE_USER = "user-link"
    REMOVE_USER = "user-remove"
    ADD_KEY = "key-add"
    REVOKE_KEY = "key-revoke"
    ADD_SHARE_LINK = "share-add"
    REVOKE_SHARE_LINK = "share-revoke"
    REPLAY_LETTERS = "replay-letters"
    RETRY = "retry"
    DISMISS = "dismiss"


# Only the person who requested one of these repeats it: a workflow carries it out, or what it needs is not stored.
_NOT_RESUMABLE = (
    AuditAction.ADD_CLIP,
    AuditAction.INGEST,
    AuditAction.SIGN_IN,
    AuditAction.SIGN_OUT,
    AuditAction.ADD_USER,
    AuditAction.SET_ROLE,
    AuditAction.SET_PASSWORD,
    AuditAction.INVITE_USER,
    AuditAction.REMOVE_USER,
    AuditAction.ADD_KEY,
    AuditAction.REVOKE_KEY,
    AuditAction.ADD_SHARE_LINK,
    AuditAction.REVOKE_SHARE_LINK,
    AuditAction.REPLAY_LETTERS,
    AuditAction.RETRY,
    AuditAction.DISMISS,
)
_PIN_ACTIONS = (AuditAction.PIN, AuditAction.UNPIN)
_SUPERSEDING_ACTIONS = (
    _PIN_ACTIONS,
    (AuditAction.WRONG_GOAL, AuditAction.TAKE_DOWN, AuditAction.UNBLOCK),
    (AuditAction.KEEP_APART, AuditAction.MERGE_AGAIN),
)


class AuditState(StrEnum):
    INTENDED = "intended"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class AuditEntry:
    """`targets` are the ids the action is about (for objects, their keys; for a clip that is added, its URL; for an
    ingest, the fixtures or the day; for a user, `user:` and the name; for an API key, `key:` and its id; for a share
    link, `goal:` or `share:` and the id; for a retry, the key of the error); `before` is the changed state as it was.
    """

    id: str
    at: datetime
    actor: str
    action: AuditAction
    targets: tuple[str, ...]
    fixture_id: int | None = None
    event_id: str = ""
    reason: str = ""
    before: Document = field(default_factory=dict)
    state: AuditState = AuditState.INTENDED

    def to_document(self) -> AuditDocument:
        return {
            "_id": self.id,
            "at": self.at,
            "by": self.actor,
            "what": self.action.value,
            "clips": list(self.targets),
            "fixture_id": self.fixture_id,
            "event_id": self.event_id,
            "reason": self.reason,
            "before": self.before,
            "state": self.state.value,
        }

    @classmethod
    def from_document(cls, stored: Document) -> "AuditEntry":
        row = cast(AuditDocument, stored)
        return cls(
            row["_id"],
            row["at"],
            row["by"],
            AuditAction(row["what"]),
            tuple(row["clips"]),
            row.get("fixture_id"),
            row.get("event_id") or "",
            row.get("reason") or "",
            row.get("before") or {},
            AuditState(row["state"]),
        )


class AuditLog:
    def __init__(self, database: Database) -> None:
        self._entries = database[AUDIT]

    async def record_intent(self, entry: AuditEntry) -> AuditEntry:
        """Write the entry. If the same action was begun and not finished, that entry is returned and resumed
        instead.
        """
        same = {"what": entry.action.value, "clips": list(entry.targets), "state": AuditState.INTENDED.value}
        with translate_mongo_errors():
            row = await self._entries.find_one_and_update(
                {**same, "fixture_id": entry.fixture_id, "event_id": entry.event_id},
                {"$setOnInsert": entry.to_document()},
                upsert=True,
                return_document=True,
            )
        return AuditEntry.from_document(row) if row else entry

    async def mark_done(self, entry: AuditEntry, at: datetime, **details: Any) -> None:
        """Mark the action as done, with `details`. An entry that has ended is not changed again."""
        await self._mark_ended(entry, AuditState.DONE, at, details)

    async def mark_failed(self, entry: AuditEntry, at: datetime, reason: str) -> None:
        """Mark the action as failed; the error was reported to the caller."""
        await self._mark_ended(entry, AuditState.FAILED, at, {"reason": reason})

    async def _mark_ended(self, entry: AuditEntry, state: AuditState, at: datetime, details: Document) -> None:
        with translate_mongo_errors():
            await self._entries.update_one(
                {"_id": entry.id, "state": AuditState.INTENDED.value},
                {"$set": {"state": state.value, "done_at": at, **({"told": details} if details else {})}},
            )

    async def find_interrupted(self, now: datetime) -> list[AuditEntry]:
        """Unfinished actions that are not in progress any more."""
        return await self.find_unfinished(now - _INTERRUPTED_AFTER)

    async def find_unfinished(self, before: datetime | None = None, clip_id: str = "") -> list[AuditEntry]:
        """Unfinished actions that can be resumed, the oldest first, optionally only those begun before a moment or
        about a clip.
        """
        own = [action.value for action in _NOT_RESUMABLE]
        begun: Document = {"state": AuditState.INTENDED.value, "what": {"$nin": own}}
        begun |= {"at": {"$lt": before}} if before else {}
        begun |= {"clips": clip_id} if clip_id else {}
        with translate_mongo_errors():
            rows = await self._entries.find(begun).sort("at", 1).limit(1000).to_list()
        return [AuditEntry.from_document(row) for row in rows]

    async def is_superseded(self, entry: AuditEntry) -> bool:
        """Whether a later entry decides the same question, so that this one must not be resumed."""
        question = next((actions for actions in _SUPERSEDING_ACTIONS if entry.action in actions), (entry.action,))
        about = {"event_id": entry.event_id} if question is _PIN_ACTIONS else {"clips": list(entry.targets)}
        younger = {"at": {"$gt": entry.at}, "what": {"$in": [action.value for action in question]}, **about}
        with translate_mongo_errors():
            return await self._entries.find_one(younger, {"_id": 1}) is not None

    async def read_history(
        self, clip_id: str = "", limit: int = 50, *, actor: str = "", before: datetime | None = None
    ) -> AsyncIterator[Document]:
        """The entries about a target such as a clip, by an actor, earlier than a moment, or all; the latest first."""
        condition: Document = {"clips": clip_id} if clip_id else {}
        condition |= {"by": actor} if actor else {}
        condition |= {"at": {"$lt": before}} if before else {}
        with translate_mongo_errors():
            async for row in self._entries.find(condition).sort("at", -1).limit(limit):
                yield row

    async def read_goal_history(self, event_ids: Collection[str], limit: int) -> list[AuditEntry]:
        """The entries about a goal, under each of its ids, the latest first. Lifting a block names the clip alone."""
        of_goal = {"event_id": {"$in": list(event_ids)}}
        with translate_mongo_errors():
            rows = await self._entries.find(of_goal).sort("at", -1).limit(limit).to_list()
            clips = sorted({clip for row in rows for clip in row["clips"]})
            lifted = {"what": AuditAction.UNBLOCK.value, "clips": {"$in": clips}}
            # First, so that they count as later at the same moment: only a block that exists is lifted.
            rows = await self._entries.find(lifted).sort("at", -1).limit(limit).to_list() + rows
        entries = [AuditEntry.from_document(row) for row in rows]
        return sorted(entries, key=lambda entry: entry.at, reverse=True)[:limit]

    async def get(self, entry_id: str) -> AuditEntry | None:
        with translate_mongo_errors():
            row = await self._entries.find_one({"_id": entry_id})
        return AuditEntry.from_document(row) if row else None


@asynccontextmanager
async def record_action(audit_log: AuditLog, entry: AuditEntry, now: Clock) -> AsyncIterator[None]:
    """Write the entry before the block and its end after it. If it cannot be written, the block is not run."""
    intended = await audit_log.record_intent(entry)
    try:
        yield
    except FoundFootyError as error:
        await audit_log.mark_failed(intended, now(), str(error)[:_MAX_REASON_LENGTH])
        raise
    await audit_log.mark_done(intended, now())
