"""Parked messages in MongoDB: notifications that nobody can read, and events that could not be ingested."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors
from found_footy.uploads.intake import metrics

DEAD_LETTERS = "upload_dead_letters"
MAX_BODY_BYTES = 1_000_000
_MAX_REASON_LENGTH = 500
_KEPT_FOR = timedelta(days=30)
INDEXES = (
    MongoIndex(DEAD_LETTERS, (("at", 1),), expire_after=_KEPT_FOR),
    MongoIndex(DEAD_LETTERS, (("organizationId", 1), ("at", -1))),
)


class LetterKind(StrEnum):
    """notification: as a store sent it; event: as our queue carries it."""

    NOTIFICATION = "notification"
    EVENT = "event"


@dataclass(frozen=True)
class DeadLetter:
    """`at` is when it was parked last. A body that was too large is kept only in part, so it cannot be replayed."""

    id: str
    kind: LetterKind
    reason: str
    body: bytes
    at: datetime
    organization_id: str | None = None
    is_truncated: bool = False


class DeadLetterStore:
    def __init__(self, database: Database, now: Clock = utc_now) -> None:
        self._letters = database[DEAD_LETTERS]
        self._now = now

    async def park(
        self, kind: LetterKind, body: bytes, reason: str, *, organization_id: str | None = None, origin: str = ""
    ) -> None:
        """Store a message. The same body of the same origin, parked again, stays one letter."""
        identity = hashlib.sha256(f"{kind}:{origin}:".encode() + body).hexdigest()
        fields: Document = {
            "kind": kind.value,
            "reason": reason[:_MAX_REASON_LENGTH],
            "body": body[:MAX_BODY_BYTES],
            "truncated": len(body) > MAX_BODY_BYTES,
            "organizationId": organization_id,
            "at": self._now(),
        }
        with translate_mongo_errors():
            await self._letters.update_one(
                {"_id": identity}, {"$set": fields, "$setOnInsert": {"firstAt": fields["at"]}}, upsert=True
            )
        metrics.DEAD_LETTERS.labels(kind.value).inc()

    async def count(self) -> int:
        with translate_mongo_errors():
            return await self._letters.count_documents({})

    async def list_letters(
        self, limit: int, *, organization_id: str | None = None, until: datetime | None = None, after: str = ""
    ) -> list[DeadLetter]:
        """Return letters by id, those after the id `after`, parked until `until`; of one organization or of all."""
        query: Document = {"_id": {"$gt": after}}
        if organization_id is not None:
            query["organizationId"] = organization_id
        if until is not None:
            query["at"] = {"$lte": until}
        with translate_mongo_errors():
            return [_to_letter(found) async for found in self._letters.find(query).sort("_id", 1).limit(limit)]

    async def delete(self, letter: DeadLetter) -> bool:
        """Delete a letter unless it was parked again meanwhile."""
        with translate_mongo_errors():
            found = await self._letters.delete_one({"_id": letter.id, "at": letter.at})
        return found.deleted_count == 1


def _to_letter(found: Document) -> DeadLetter:
    return DeadLetter(
        id=found["_id"],
        kind=LetterKind(found["kind"]),
        reason=found["reason"],
        body=bytes(found["body"]),
        at=found["at"],
        organization_id=found["organizationId"],
        is_truncated=found["truncated"],
    )


def describe_letters(letters: Sequence[DeadLetter]) -> list[str]:
    """One line per letter, for people."""
    return [f"{one.at:%Y-%m-%d %H:%M:%S} {one.kind} {one.organization_id or '-'}: {one.reason}" for one in letters]
