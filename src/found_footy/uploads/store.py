"""MongoDB operations on uploads. Each changes one row, and its filter holds its full precondition.

Every operation for an organization takes its id first. Only the maintenance of previews reads across organizations, by
ids of versions, and it returns nothing else.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, cast

from pymongo.errors import DuplicateKeyError

from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import OPEN_STATUSES, FailureKind, UploadStatus
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors
from found_footy.uploads.messages import UploadVersion
from found_footy.uploads.rows import RowUpdate

UPLOADS = "uploads"
# Entries of a row's history; the oldest are dropped.
MAX_HISTORY = 60
_TOMBSTONES_KEPT = timedelta(days=90)

INDEXES = (
    MongoIndex(UPLOADS, (("organizationId", 1), ("name", 1)), unique=True),
    # A workflow id is derived from the event id, so it is unique too.
    MongoIndex(UPLOADS, (("eventId", 1),), unique=True),
    MongoIndex(UPLOADS, (("organizationId", 1), ("status", 1), ("updatedAt", 1))),
    MongoIndex(UPLOADS, (("organizationId", 1), ("classificationLabel", 1), ("name", 1))),
    MongoIndex(UPLOADS, (("organizationId", 1), ("updatedAt", -1))),
    MongoIndex(UPLOADS, (("deletedAt", 1),), expire_after=_TOMBSTONES_KEPT),
)


class UploadStore:
    def __init__(self, database: Database) -> None:
        self._rows = database[UPLOADS]

    async def find(self, organization_id: str, name: str) -> UploadDocument | None:
        with translate_mongo_errors():
            return cast("UploadDocument | None", await self._rows.find_one(_row_filter(organization_id, name)))

    async def insert(self, row: UploadDocument) -> bool:
        """False if the name has a row by now."""
        with translate_mongo_errors():
            try:
                await self._rows.insert_one(dict(row))
            except DuplicateKeyError:
                return False
        return True

    async def update(self, read: UploadDocument, update: RowUpdate) -> bool:
        """Write over the state that was read. False if another write came first."""
        known = {**_row_filter(read["organizationId"], read["name"]), "revision": read["revision"]}
        return await self._update_one(known, update)

    async def mark_running(self, version: UploadVersion, update: RowUpdate) -> bool:
        """False if the row does not wait for the start of this request."""
        return await self._update_one({**_request_filter(version), "status": UploadStatus.QUEUED.value}, update)

    async def complete(self, version: UploadVersion, update: RowUpdate) -> bool:
        """Write the result of a request. False if the row does not wait for it: the result is stale."""
        return await self._update_one({**_request_filter(version), "status": UploadStatus.RUNNING.value}, update)

    async def count_running(self, organization_id: str, limit: int) -> int:
        """Count the classifications of the organization that run, up to `limit`."""
        running = {"organizationId": organization_id, "status": UploadStatus.RUNNING.value, "deletedAt": None}
        with translate_mongo_errors():
            return await self._rows.count_documents(running, limit=limit)

    async def list_rows(
        self, organization_id: str, conditions: Mapping[str, Any], after: str | None, limit: int
    ) -> list[UploadDocument]:
        """Return rows in the order of their names, those after `after`."""
        query: Document = {"organizationId": organization_id, **conditions}
        if after is not None:
            query["name"] = {"$gt": after}
        with translate_mongo_errors():
            rows = await self._rows.find(query).sort([("organizationId", 1), ("name", 1)]).limit(limit).to_list()
        return cast("list[UploadDocument]", rows)

    async def list_organizations(self) -> list[str]:
        """Return the ids of the organizations that have rows."""
        with translate_mongo_errors():
            return sorted(await self._rows.distinct("organizationId"))

    async def list_shown_versions(self, organization_id: str) -> dict[str, str]:
        """Return the version that each name of the organization shows, without tombstones."""
        query = {"organizationId": organization_id, "deletedAt": None}
        with translate_mongo_errors():
            rows = self._rows.find(query, {"_id": 0, "name": 1, "eventId": 1})
            return {row["name"]: row["eventId"] async for row in rows}

    async def list_neglected(self, organization_id: str, before: datetime) -> list[UploadDocument]:
        """Return the rows that have waited since `before` for a classification, or whose last one failed then because
        of a system of ours.
        """
        open_rows = {"status": {"$in": [status.value for status in OPEN_STATUSES]}}
        failed_rows = {"status": UploadStatus.FAILED.value, "errorKind": FailureKind.SYSTEM.value}
        query = {
            "organizationId": organization_id,
            "deletedAt": None,
            "updatedAt": {"$lt": before},
            "$or": [open_rows, failed_rows],
        }
        with translate_mongo_errors():
            return cast("list[UploadDocument]", await self._rows.find(query).to_list())

    async def find_shown(self, event_ids: Iterable[str]) -> Collection[UploadDocument]:
        """Return organization, name and version of the rows that show one of these versions."""
        query = {"eventId": {"$in": list(event_ids)}, "deletedAt": None}
        with translate_mongo_errors():
            rows = await self._rows.find(query, {"_id": 0, "organizationId": 1, "name": 1, "eventId": 1}).to_list()
        return cast("list[UploadDocument]", rows)

    async def _update_one(self, query: Document, update: RowUpdate) -> bool:
        change: Document = {"$set": update.fields}
        if update.history:
            change["$push"] = {"history": {"$each": list(update.history), "$slice": -MAX_HISTORY}}
        with translate_mongo_errors():
            written = await self._rows.update_one(query, change)
        return written.matched_count == 1


def _row_filter(organization_id: str, name: str) -> Document:
    return {"organizationId": organization_id, "name": name}


def _request_filter(version: UploadVersion) -> Document:
    return {
        **_row_filter(version.organization_id, version.name),
        "eventId": version.event_id,
        "requestId": version.request_id,
        "deletedAt": None,
    }
