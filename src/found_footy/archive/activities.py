"""Stage four's activities: compare, plan, copy, write down, conclude."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from temporalio import activity

from found_footy.archive.comparison import Comparer
from found_footy.archive.dedup import plan_batch
from found_footy.archive.messages import (
    CleanUpFiles,
    CompareClips,
    ComparePool,
    EventData,
    Matches,
    Plan,
    PlanBatch,
    ReplaceObjects,
    SaveClips,
    UploadClip,
    Uploaded,
)
from found_footy.archive.metrics import CLIPS, COMPARED
from found_footy.archive.placing import Placer
from found_footy.archive.planning import plan
from found_footy.archive.store import ArchiveStore
from found_footy.archive.sweep import Bin
from found_footy.model.handoff import ClipBatch, Goal
from found_footy.model.ids import scratch_fingerprint_key, scratch_preview_key, scratch_thumbnail_key
from found_footy.platform.errors import Conflict, NotFound
from found_footy.platform.failpoints import failpoint
from found_footy.platform.heartbeats import beating
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStore
from found_footy.vision.clock import TOLERANCE

# A file that lost goes however young it is.
_WHATEVER_AGE = datetime.max.replace(tzinfo=UTC)

log = ActionLogger(__name__)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class ArchiveActivities:
    """`tolerance` is by how many minutes a clock may differ from the goal's."""

    def __init__(
        self,
        store: ArchiveStore,
        objects: ObjectStore,
        now: Callable[[], datetime] = _utc_now,
        tolerance: int = TOLERANCE,
    ) -> None:
        self._store = store
        self._objects = objects
        self._placer = Placer(objects)
        self._comparer = Comparer(objects)
        self._bin = Bin(store.records, objects)
        self._now = now
        self._tolerance = tolerance

    @activity.defn(name="fetch_event_data")
    async def fetch_event_data(self, goal: Goal) -> EventData:
        return await self._store.event_data(goal)

    @activity.defn(name="deduplicate_by_md5")
    async def deduplicate_by_md5(self, compare: CompareClips) -> Plan:
        return plan_batch(compare.clips, compare.stored)

    @activity.defn(name="deduplicate_videos")
    async def deduplicate_videos(self, pool: ComparePool) -> Matches:
        """What of a pool shows the same. Finds facts only; what follows from them is planned for both pools at once."""
        with COMPARED.time():
            judgements = await self._store.judgements(pool.goal)
            async with beating():
                found = await self._comparer.compare(pool, judgements, activity.heartbeat)
        if found.unreadable:
            count = len(found.unreadable)
            log.warning(
                "%d fingerprints cannot be read", count, action="fingerprints_unreadable", files=found.unreadable
            )
        return found

    @activity.defn(name="plan_uploads")
    async def plan_uploads(self, order: PlanBatch) -> Plan:
        """Conflict if the goal is gone: the batch goes the way of such goals when it is tried again."""
        archive = await self._store.archive(order.goal)
        if archive is None:
            raise Conflict(f"goal {order.goal.event_id} is gone")
        return plan(order, archive, self._tolerance)

    @activity.defn(name="upload_single_video")
    async def upload_single_video(self, upload: UploadClip) -> Uploaded:
        """Copy the clip and what lies beside it to their final place, or its fingerprint alone."""
        async with beating():
            if upload.print_only:
                return await self._placer.place_print(upload.goal, upload.clip)
            uploaded = await self._placer.place(upload.goal, upload.clip, self._now())
        failpoint("archive.copied")
        return uploaded

    @activity.defn(name="save_video_objects")
    async def save_video_objects(self, saved: SaveClips) -> bool:
        exists = await self._store.save(saved)
        await self._bring_back(saved)
        CLIPS.labels("uploaded").inc(sum(1 for one in saved.uploaded if one.key))
        CLIPS.labels("duplicate").inc(
            len(saved.join) + sum(1 for one in saved.uploaded if not one.key and not one.lost)
        )
        CLIPS.labels("refused").inc(len(saved.refused))
        return exists

    async def _bring_back(self, saved: SaveClips) -> None:
        """A file that was found in its place, and moved to the trash before the record named it, is needed again. What
        is not in the trash either is copied once more.
        """
        for one in saved.uploaded:
            for key in (one.key, one.thumbnail_key, one.preview_key):
                if not key or await self._objects.head(key) is not None or not await self._bin.needs(key):
                    continue
                try:
                    await self._bin.restore(key)
                except NotFound:
                    await self._placer.place(saved.goal, one.clip, self._now())

    @activity.defn(name="replace_s3_video")
    async def replace_s3_video(self, replaced: ReplaceObjects) -> bool:
        """Move files whose place a better copy has taken to the trash, now that the record names that one.

        This may be carried out late, by a worker that was stopped for a while: a file that a record names again by then
        stays, or comes back.
        """
        failpoint("archive.replacing")
        await asyncio.gather(*(self._bin.retire(key, _WHATEVER_AGE) for key in replaced.keys))
        return True

    @activity.defn(name="cleanup_individual_files")
    async def cleanup_individual_files(self, clean: CleanUpFiles) -> bool:
        beside = (scratch_thumbnail_key, scratch_preview_key, scratch_fingerprint_key)
        keys = (*clean.keys, *(name(key) for key in clean.keys for name in beside))
        await asyncio.gather(*(self._objects.delete(key) for key in keys))
        return True

    @activity.defn(name="cleanup_upload_temp")
    async def cleanup_upload_temp(self, goal: Goal) -> bool:
        async for found in self._objects.list(f"scratch/{goal.event_id}/"):
            await self._objects.delete(found.key)
        return True

    @activity.defn(name="check_and_mark_download_complete")
    async def check_and_mark_download_complete(self, batch: ClipBatch) -> bool:
        return await self._store.conclude(batch, self._now())
