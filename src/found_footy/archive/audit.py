"""Who decided what about which clip, when and why. Written before the deed, so that a crash cannot leave a deed
without a line; a line that never got its "done" says what is to be finished.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from found_footy.platform.errors import FoundFootyError
from found_footy.platform.mongo import Database, Document, Index, guarded

AUDIT = "audit"
_LONGEST_REASON = 500
INDEXES = (
    Index(AUDIT, (("at", -1),)),
    Index(AUDIT, (("clips", 1), ("at", -1))),
    Index(AUDIT, (("state", 1), ("at", 1))),
)


class Deed(StrEnum):
    PIN = "pin"
    UNPIN = "unpin"
    APART = "apart"
    WRONG_GOAL = "wrong-goal"
    TAKE_DOWN = "take-down"
    UNBLOCK = "unblock"
    DROP_RECORD = "drop-record"
    FORGET_SIDE = "forget-side"
    RECOUNT = "recount"
    ADD_CLIP = "add-clip"
    INGEST = "ingest"


# What a workflow does from then on. Nobody but the person who asked for it repeats it.
_REPEATED_BY_PEOPLE = (Deed.ADD_CLIP, Deed.INGEST)
_BEST = (Deed.PIN, Deed.UNPIN)
_QUESTIONS = (_BEST, (Deed.WRONG_GOAL, Deed.TAKE_DOWN, Deed.UNBLOCK))


class State(StrEnum):
    INTENDED = "intended"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Line:
    """`clips` are the ids the deed is about (for objects, their keys; for a clip that is added, its address; for an
    ingest, the fixtures or the day); `before` is what it changed, as it was.
    """

    id: str
    at: datetime
    by: str
    deed: Deed
    clips: tuple[str, ...]
    fixture_id: int | None = None
    event_id: str = ""
    reason: str = ""
    before: Document = field(default_factory=dict)
    state: State = State.INTENDED

    def document(self) -> Document:
        return {
            "_id": self.id, "at": self.at, "by": self.by, "what": self.deed.value, "clips": list(self.clips),
            "fixture_id": self.fixture_id, "event_id": self.event_id, "reason": self.reason, "before": self.before,
            "state": self.state.value,
        }  # fmt: skip

    @classmethod
    def read(cls, row: Document) -> "Line":
        return cls(
            row["_id"], row["at"], row["by"], Deed(row["what"]), tuple(row["clips"]), row.get("fixture_id"),
            row.get("event_id") or "", row.get("reason") or "", row.get("before") or {}, State(row["state"]),
        )  # fmt: skip


class AuditLog:
    def __init__(self, database: Database) -> None:
        self._lines = database[AUDIT]

    async def intend(self, line: Line) -> Line:
        """Write the line down. If the same deed was begun and not finished, that line is gone on with instead."""
        same = {"what": line.deed.value, "clips": list(line.clips), "state": State.INTENDED.value}
        with guarded():
            row = await self._lines.find_one_and_update(
                {**same, "fixture_id": line.fixture_id, "event_id": line.event_id},
                {"$setOnInsert": line.document()},
                upsert=True,
                return_document=True,
            )
        return Line.read(row) if row else line

    async def done(self, line: Line, at: datetime, **told: Any) -> None:
        """The deed is done; `told` is what there is to say about it. Said once, it stays as it was said."""
        await self._ended(line, State.DONE, at, told)

    async def failed(self, line: Line, at: datetime, reason: str) -> None:
        """The deed was refused or went wrong, and whoever asked for it was told so."""
        await self._ended(line, State.FAILED, at, {"reason": reason})

    async def _ended(self, line: Line, state: State, at: datetime, told: Document) -> None:
        with guarded():
            await self._lines.update_one(
                {"_id": line.id, "state": State.INTENDED.value},
                {"$set": {"state": state.value, "done_at": at, **({"told": told} if told else {})}},
            )

    async def unfinished(self, before: datetime | None = None, clip_id: str = "") -> list[Line]:
        """Deeds begun and not done that anybody can finish, the oldest first: those begun before a moment, those about
        a clip.
        """
        own = [deed.value for deed in _REPEATED_BY_PEOPLE]
        begun: Document = {"state": State.INTENDED.value, "what": {"$nin": own}}
        begun |= {"at": {"$lt": before}} if before else {}
        begun |= {"clips": clip_id} if clip_id else {}
        with guarded():
            rows = await self._lines.find(begun).sort("at", 1).limit(1000).to_list()
        return [Line.read(row) for row in rows]

    async def is_overtaken(self, line: Line) -> bool:
        """Whether a younger line decides the same question anew, so that this one must not be finished any more."""
        question = next((deeds for deeds in _QUESTIONS if line.deed in deeds), (line.deed,))
        about = {"event_id": line.event_id} if question is _BEST else {"clips": list(line.clips)}
        younger = {"at": {"$gt": line.at}, "what": {"$in": [deed.value for deed in question]}, **about}
        with guarded():
            return await self._lines.find_one(younger, {"_id": 1}) is not None

    async def history(self, clip_id: str = "", limit: int = 50) -> AsyncIterator[Document]:
        """The lines about a clip, or all, the youngest first."""
        with guarded():
            async for row in self._lines.find({"clips": clip_id} if clip_id else {}).sort("at", -1).limit(limit):
                yield row


@asynccontextmanager
async def recorded(log: AuditLog, line: Line, now: Callable[[], datetime]) -> AsyncIterator[None]:
    """Writes the line before the block and how it ended after it. Where it cannot be written, the block is not run."""
    intended = await log.intend(line)
    try:
        yield
    except FoundFootyError as error:
        await log.failed(intended, now(), str(error)[:_LONGEST_REASON])
        raise
    await log.done(intended, now())
