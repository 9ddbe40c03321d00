"""Deletes previews and decoded images that no row needs any more."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from found_footy.domain.uploads import PREPARED_PREFIX, PREVIEW_PREFIX, upload_preview_key
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.agent import AgentFactory
from found_footy.uploads.messages import PreviewsSwept, ReconcileUploads
from found_footy.uploads.store import UploadStore

_BATCH_SIZE = 500


class PreviewSweeper:
    """A preview is deleted if it is old and no row shows its version. The version may be stored again at that very
    moment, so the rows are read once more afterwards, and an image that came back is classified again.
    """

    def __init__(self, store: UploadStore, objects: ObjectStore, agents: AgentFactory, now: Clock = utc_now) -> None:
        self._store = store
        self._objects = objects
        self._agents = agents
        self._now = now

    async def sweep(self, request: ReconcileUploads) -> PreviewsSwept:
        before, deleted, restored = self._now() - request.preview_grace, 0, 0
        async for event_ids in self._list_old_previews(before):
            unneeded = await self._delete_unneeded(event_ids, before)
            deleted += len(unneeded)
            restored += await self._restore_needed(unneeded)
        async for found in self._objects.list(PREPARED_PREFIX):
            if found.modified < before:
                await self._objects.delete(found.key)
                deleted += 1
        return PreviewsSwept(deleted, restored)

    async def _list_old_previews(self, before: datetime) -> AsyncIterator[Sequence[str]]:
        """Yield the versions that old previews belong to, in batches."""
        batch: list[str] = []
        async for found in self._objects.list(PREVIEW_PREFIX):
            if found.modified < before:
                batch.append(found.key.removeprefix(PREVIEW_PREFIX).partition(".")[0])
            if len(batch) >= _BATCH_SIZE:
                yield batch
                batch = []
        if batch:
            yield batch

    async def _delete_unneeded(self, event_ids: Sequence[str], before: datetime) -> list[str]:
        shown = {row["eventId"] for row in await self._store.find_shown(event_ids)}
        unneeded = [event_id for event_id in event_ids if event_id not in shown]
        deleted = []
        for event_id in unneeded:
            found = await self._objects.head(upload_preview_key(event_id))
            if found is not None and found.modified < before:
                await self._objects.delete(found.key)
                deleted.append(event_id)
        return deleted

    async def _restore_needed(self, deleted: Sequence[str]) -> int:
        rows = await self._store.find_shown(deleted)
        for row in rows:
            await self._agents.for_organization(row["organizationId"]).restore_preview(row["name"])
        return len(rows)
