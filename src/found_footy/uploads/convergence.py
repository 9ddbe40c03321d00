"""Brings a row to the version of its object that is stored now."""

import asyncio
from dataclasses import dataclass
from typing import cast
from uuid import uuid4

from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import UploadStatus, object_key
from found_footy.platform.clock import Clock
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import SYSTEM
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.rows import (
    RowUpdate,
    WriteMark,
    build_new_row,
    build_requeue,
    build_stored_version,
    build_tombstone,
)
from found_footy.uploads.store import UploadStore
from found_footy.uploads.versions import ObjectAnnouncement, RowChange, StoredVersion, decide_change

# A failed attempt means that another writer came first, so a hundred writers of one name need as many.
_MAX_WRITE_ATTEMPTS = 200


@dataclass(frozen=True)
class RowConvergence:
    """The row after it was brought to the stored version, what that took, and the version that was found."""

    change: RowChange
    row: UploadDocument | None
    found: StoredVersion | None

    @property
    def needs_start(self) -> bool:
        return self.change in (RowChange.STORE, RowChange.REQUEUE, RowChange.START)


class RowConverger:
    """Reads the row, looks at the object, writes: in this order, and again if another writer came between."""

    def __init__(self, organization_id: str, store: UploadStore, objects: ObjectStore, now: Clock) -> None:
        self._organization_id = organization_id
        self._store = store
        self._objects = objects
        self._now = now

    async def converge(self, name: str, announced: ObjectAnnouncement) -> RowConvergence:
        key = object_key(self._organization_id, name)
        for _ in range(_MAX_WRITE_ATTEMPTS):
            row = await self._store.find(self._organization_id, name)
            found = await self._look_up(key)
            change = decide_change(row, key, found, announced)
            if change in (RowChange.KEEP, RowChange.START, RowChange.NONE):
                return RowConvergence(change, row, found)
            written = await self._write(name, row, found, change, announced)
            if written is not None:
                return RowConvergence(change, written, found)
            await asyncio.sleep(0)
        raise self._give_up(key)

    async def requeue(self, name: str, announced: ObjectAnnouncement, *, failed_only: bool) -> RowConvergence:
        """Queue the shown version for another classification, if it is the stored one; otherwise like `converge`. With
        `failed_only`, a row that has not failed is kept as it is.
        """
        key = object_key(self._organization_id, name)
        for _ in range(_MAX_WRITE_ATTEMPTS):
            row = await self._store.find(self._organization_id, name)
            found = await self._look_up(key)
            change = decide_change(row, key, found, announced)
            if row is None or change in (RowChange.STORE, RowChange.ENTOMB, RowChange.NONE):
                return await self.converge(name, announced)
            if failed_only and row["status"] != UploadStatus.FAILED:
                return RowConvergence(RowChange.KEEP, row, found)
            written = await self._write(name, row, found, RowChange.REQUEUE, announced)
            if written is not None:
                return RowConvergence(RowChange.REQUEUE, written, found)
        raise self._give_up(key)

    def mark(self) -> WriteMark:
        return WriteMark(self._now(), uuid4().hex, uuid4().hex)

    async def _write(
        self,
        name: str,
        row: UploadDocument | None,
        found: StoredVersion | None,
        change: RowChange,
        announced: ObjectAnnouncement,
    ) -> UploadDocument | None:
        """Return the row as written; None if it is no longer as it was read."""
        mark = self.mark()
        if found is not None and change is RowChange.STORE:
            update = build_stored_version(row, self._organization_id, name, found, announced, mark)
            if row is None:
                fresh = build_new_row(self._organization_id, name, update, mark)
                return fresh if await self._store.insert(fresh) else None
            return await self._update(row, update)
        if row is None:
            raise AssertionError(f"{change} needs a row")
        return await self._update(
            row, build_tombstone(row, mark) if change is RowChange.ENTOMB else build_requeue(row, announced, mark)
        )

    async def _update(self, row: UploadDocument, update: RowUpdate) -> UploadDocument | None:
        return cast("UploadDocument", {**row, **update.fields}) if await self._store.update(row, update) else None

    async def _look_up(self, key: str) -> StoredVersion | None:
        found = await self._objects.head(key)
        return None if found is None else StoredVersion(found.etag, found.size, found.content_type, found.modified)

    def _give_up(self, key: str) -> Unavailable:
        return Unavailable(SYSTEM, f"the row of {key} changed {_MAX_WRITE_ATTEMPTS} times while it was written")
