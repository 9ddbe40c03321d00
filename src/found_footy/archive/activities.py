"""Stage four's activities: compare, copy, write down, conclude."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from temporalio import activity

from found_footy.archive.dedup import plan_batch
from found_footy.archive.messages import CleanUpFiles, CompareClips, EventData, Plan, SaveClips, UploadClip, Uploaded
from found_footy.archive.metrics import CLIPS
from found_footy.archive.records import object_metadata
from found_footy.archive.store import ArchiveStore
from found_footy.model.handoff import ClipBatch, Goal, ScreenedClip
from found_footy.model.ids import clip_key, scratch_thumbnail_key, thumbnail_key
from found_footy.platform.errors import NotFound
from found_footy.platform.objects import ObjectStore


def _utc_now() -> datetime:
    return datetime.now(UTC)


class ArchiveActivities:
    def __init__(self, store: ArchiveStore, objects: ObjectStore, now: Callable[[], datetime] = _utc_now) -> None:
        self._store = store
        self._objects = objects
        self._now = now

    @activity.defn(name="fetch_event_data")
    async def fetch_event_data(self, goal: Goal) -> EventData:
        return await self._store.event_data(goal)

    @activity.defn(name="deduplicate_by_md5")
    async def deduplicate_by_md5(self, compare: CompareClips) -> Plan:
        return plan_batch(compare.clips, compare.stored)

    @activity.defn(name="upload_single_video")
    async def upload_single_video(self, upload: UploadClip) -> Uploaded:
        """Copy the clip and its picture to their final place; a clip that is there already is left as it is."""
        goal, clip = upload.goal, upload.clip
        key = clip_key(goal.fixture_id, goal.event_id, clip.md5)
        try:
            await self._copy_clip(goal, clip, key)
        except NotFound as error:
            return Uploaded(clip, lost=str(error))
        return Uploaded(clip, key, await self._copy_thumbnail(goal, clip), self._now())

    @activity.defn(name="save_video_objects")
    async def save_video_objects(self, saved: SaveClips) -> bool:
        exists = await self._store.save(saved)
        CLIPS.labels("uploaded").inc(sum(1 for one in saved.uploaded if not one.lost))
        CLIPS.labels("duplicate").inc(len(saved.join))
        return exists

    @activity.defn(name="cleanup_individual_files")
    async def cleanup_individual_files(self, clean: CleanUpFiles) -> bool:
        pictures = map(scratch_thumbnail_key, clean.keys)
        await asyncio.gather(*(self._objects.delete(key) for key in (*clean.keys, *pictures)))
        return True

    @activity.defn(name="cleanup_upload_temp")
    async def cleanup_upload_temp(self, goal: Goal) -> bool:
        async for found in self._objects.list(f"scratch/{goal.event_id}/"):
            await self._objects.delete(found.key)
        return True

    @activity.defn(name="check_and_mark_download_complete")
    async def check_and_mark_download_complete(self, batch: ClipBatch) -> bool:
        return await self._store.conclude(batch, self._now())

    async def _copy_clip(self, goal: Goal, clip: ScreenedClip, key: str) -> None:
        there = await self._objects.head(key)
        if there is None or there.size != clip.file_size:
            metadata = object_metadata(goal)
            await self._objects.copy(clip.scratch_key, key, content_type="video/mp4", metadata=metadata)

    async def _copy_thumbnail(self, goal: Goal, clip: ScreenedClip) -> str:
        """The key of the picture; empty if there is none, which is no reason to lose the clip."""
        key = thumbnail_key(goal.fixture_id, goal.event_id, clip.md5)
        source = scratch_thumbnail_key(clip.scratch_key)
        try:
            await self._objects.copy(source, key, content_type="image/jpeg", metadata=object_metadata(goal))
        except NotFound:
            return key if await self._objects.head(key) else ""
        return key
