"""Queries of the web process on uploads. Read-only; every query takes the organization first."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from found_footy.domain.uploads import UploadStatus
from found_footy.platform.mongo import Database, Document, MongoIndex, get_change_stream_wait, translate_mongo_errors
from found_footy.uploads.store import UPLOADS
from found_footy.views.store import translate_history_lost

_ALIVE = (("organizationId", 1), ("deletedAt", 1))
_NEWEST = (("createdAt", -1), ("name", 1))
INDEXES = (
    MongoIndex(UPLOADS, (*_ALIVE, *_NEWEST)),
    MongoIndex(UPLOADS, (*_ALIVE, ("status", 1), *_NEWEST)),
    MongoIndex(UPLOADS, (*_ALIVE, ("classificationLabel", 1), *_NEWEST)),
)

_READ_TIMEOUT_MS = 5000
_CHANGE_PIPELINE: list[Document] = [
    # Rows are deleted together with their organization, whose pages are closed by then, or long after their object.
    {"$match": {"operationType": {"$in": ["insert", "update", "replace"]}}},
    {"$project": {"organization_id": "$fullDocument.organizationId"}},
]


@dataclass(frozen=True)
class UploadFilter:
    label: str | None = None
    statuses: tuple[UploadStatus, ...] = ()


@dataclass(frozen=True)
class UploadListCursor:
    """A position in the list of uploads, newest first; the next page begins after it."""

    created_at: datetime
    name: str


@dataclass(frozen=True)
class UploadCounts:
    """How many uploads of an organization have each status, and each label; the most frequent labels first."""

    by_status: Mapping[str, int]
    by_label: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        return sum(self.by_status.values())


@dataclass(frozen=True)
class UploadChange:
    """A change of an organization's row; without an organization only the read position advanced."""

    resume_token: Mapping[str, Any] | None
    subject: str | None = None


class UploadReadStore:
    def __init__(self, database: Database) -> None:
        self._rows = database[UPLOADS]

    async def list_newest(
        self, organization_id: str, wanted: UploadFilter, after: UploadListCursor | None, limit: int
    ) -> list[Document]:
        """Return the rows of stored objects after a cursor, newest first."""
        condition: Document = {"organizationId": organization_id, "deletedAt": None}
        if wanted.label is not None:
            condition["classificationLabel"] = wanted.label
        if wanted.statuses:
            condition["status"] = {"$in": [str(status) for status in wanted.statuses]}
        if after is not None:
            condition["$or"] = [
                {"createdAt": {"$lt": after.created_at}},
                {"createdAt": after.created_at, "name": {"$gt": after.name}},
            ]
        with translate_mongo_errors():
            rows = self._rows.find(condition, max_time_ms=_READ_TIMEOUT_MS).sort(list(_NEWEST)).limit(limit)
            return await rows.to_list()

    async def get(self, organization_id: str, name: str) -> Document | None:
        """Return the row of a name, also of a deleted object."""
        with translate_mongo_errors():
            return await self._rows.find_one(
                {"organizationId": organization_id, "name": name}, max_time_ms=_READ_TIMEOUT_MS
            )

    async def count(self, organization_id: str, max_labels: int) -> UploadCounts:
        by_status = await self._count_by(organization_id, "status")
        by_label = await self._count_by(organization_id, "classificationLabel")
        labels = [(label, number) for label, number in by_label if isinstance(label, str)]
        labels.sort(key=lambda row: (-row[1], row[0]))
        return UploadCounts(dict(by_status), tuple(labels[:max_labels]))

    async def _count_by(self, organization_id: str, field: str) -> list[tuple[Any, int]]:
        pipeline: list[Document] = [
            {"$match": {"organizationId": organization_id, "deletedAt": None}},
            {"$group": {"_id": f"${field}", "number": {"$sum": 1}}},
        ]
        with translate_mongo_errors():
            cursor = await self._rows.aggregate(pipeline, maxTimeMS=_READ_TIMEOUT_MS)
            return [(row["_id"], row["number"]) async for row in cursor]

    @asynccontextmanager
    async def watch_changes(self, resume_token: Mapping[str, Any] | None) -> AsyncIterator[AsyncIterator[UploadChange]]:
        """Yield changes of rows, from now or after a token. Raises ChangeHistoryLost if the token is too old."""
        with translate_mongo_errors(), translate_history_lost():
            stream = await self._rows.watch(
                _CHANGE_PIPELINE,
                full_document="updateLookup",
                resume_after=resume_token,
                max_await_time_ms=get_change_stream_wait(self._rows.database),
            )
            async with stream:
                yield _iter_changes(stream)


async def _iter_changes(stream: Any) -> AsyncIterator[UploadChange]:
    yield UploadChange(stream.resume_token)
    while stream.alive:
        event = await stream.try_next()
        organization_id = event.get("organization_id") if event else None
        yield UploadChange(stream.resume_token, organization_id if isinstance(organization_id, str) else None)
        # A buffered change is returned without waiting; other tasks must run in between.
        await asyncio.sleep(0)
