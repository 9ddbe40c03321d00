"""Stage four's activities: compare clips, plan uploads, copy objects, save records and check completion."""

import asyncio
from datetime import UTC, datetime

from temporalio import activity

from found_footy.archive.dedup.compare import FingerprintComparer
from found_footy.archive.dedup.plan import plan_uploads
from found_footy.archive.files import ClipUploader
from found_footy.archive.maintenance.sweep import Trash
from found_footy.archive.messages import (
    CleanUpFiles,
    ComparePool,
    GoalArchiveSummary,
    PlanUploads,
    PoolMatches,
    ReplaceObjects,
    SaveClips,
    UploadClip,
    UploadedClip,
    UploadPlan,
)
from found_footy.archive.metrics import ARCHIVED_CLIPS, COMPARE_SECONDS
from found_footy.archive.steps import ArchiveSteps
from found_footy.archive.store import ArchiveStore
from found_footy.domain.clip_files import REPLACED_OBJECTS, list_file_keys
from found_footy.domain.messages import ClipBatch, Goal
from found_footy.goal_steps import GoalCompletionSteps, GoalProofSteps
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import Conflict, NotFound
from found_footy.platform.failpoints import failpoint
from found_footy.platform.heartbeat import send_heartbeats
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStore
from found_footy.vision.expectation import ProofRules

# A replaced file goes to the trash whatever its age.
_ANY_AGE = datetime.max.replace(tzinfo=UTC)

logger = ActionLogger(__name__)


class ArchiveActivities(ArchiveSteps, GoalCompletionSteps, GoalProofSteps):
    """`rules` are those by which clips are checked."""

    def __init__(
        self,
        store: ArchiveStore,
        objects: ObjectStore,
        now: Clock = utc_now,
        rules: ProofRules | None = None,
    ) -> None:
        self._store = store
        self._objects = objects
        self._uploader = ClipUploader(objects)
        self._comparer = FingerprintComparer(objects)
        self._trash = Trash(store.integrity_store, objects)
        self._now = now
        self._rules = rules or ProofRules()
        self._proof_store = store.open_proof_store(self._rules)

    @activity.defn
    async def fetch_event_data(self, goal: Goal) -> GoalArchiveSummary:
        return await self._store.load_summary(goal)

    @activity.defn
    async def deduplicate_videos(self, pool: ComparePool) -> PoolMatches:
        """Find the matches within a pool. Only finds facts; the plan is made for both pools at once."""
        with COMPARE_SECONDS.time():
            moderation = await self._store.load_moderation(pool.goal)
            async with send_heartbeats():
                found = await self._comparer.compare_pool(pool, moderation, activity.heartbeat)
        if found.unreadable:
            count = len(found.unreadable)
            logger.warning(
                "%d fingerprints cannot be read", count, action="fingerprints_unreadable", files=found.unreadable
            )
        return found

    @activity.defn
    async def plan_uploads(self, order: PlanUploads) -> UploadPlan:
        """Raises Conflict if the goal was removed; the next attempt handles the batch of a removed goal."""
        archive = await self._store.load_archive(order.goal)
        if archive is None:
            raise Conflict(f"goal {order.goal.event_id} is gone")
        return plan_uploads(order, archive, self._rules.tolerance)

    @activity.defn
    async def upload_single_video(self, upload: UploadClip) -> UploadedClip:
        """Copy the clip and its side objects to their final keys, or only its fingerprint."""
        async with send_heartbeats():
            if upload.fingerprint_only:
                return await self._uploader.upload_fingerprint(upload.goal, upload.clip)
            uploaded = await self._uploader.upload(upload.goal, upload.clip, self._now())
        failpoint("archive.copied")
        return uploaded

    @activity.defn
    async def save_video_objects(self, saved: SaveClips) -> bool:
        exists = await self._store.save_clips(saved)
        await self._restore_from_trash(saved)
        if exists and (saved.uploaded or saved.extra_sources) and await self._proof_store.is_outdated(saved.goal):
            await self.rejudge_match_clips(saved.goal)
        ARCHIVED_CLIPS.labels("uploaded").inc(sum(1 for one in saved.uploaded if one.key))
        ARCHIVED_CLIPS.labels("duplicate").inc(
            len(saved.extra_sources) + sum(1 for one in saved.uploaded if not one.key and not one.missing_reason)
        )
        ARCHIVED_CLIPS.labels("refused").inc(len(saved.rejected))
        return exists

    @activity.defn
    async def rejudge_match_clips(self, goal: Goal) -> bool:
        """Judge the clips of all goals of the match again, from what was read of them: this goal is new, and may be the
        one that they show.
        """
        unused = await self._proof_store.rejudge_match(goal.fixture_id)
        await asyncio.gather(*(self._trash.move_to_trash(key, _ANY_AGE) for key in unused))
        return bool(unused)

    async def _restore_from_trash(self, saved: SaveClips) -> None:
        """Restore files that were already at their final key and were moved to the trash before the record referred to
        them. Files that are not in the trash either are copied again.
        """
        for one in saved.uploaded:
            for key in map(one.key_of, REPLACED_OBJECTS):
                if not key or await self._objects.head(key) is not None or not await self._trash.is_needed(key):
                    continue
                try:
                    await self._trash.restore(key)
                except NotFound:
                    await self._uploader.upload(saved.goal, one.clip, self._now())

    @activity.defn
    async def replace_s3_video(self, replaced: ReplaceObjects) -> bool:
        """Move files that a better copy has replaced to the trash, now that the record refers to the better copy.

        A worker that was stopped for a while may run this late: a file that a record refers to by then stays or is
        restored.
        """
        failpoint("archive.replacing")
        await asyncio.gather(*(self._trash.move_to_trash(key, _ANY_AGE) for key in replaced.keys))
        return True

    @activity.defn
    async def cleanup_individual_files(self, clean: CleanUpFiles) -> bool:
        keys = {key for video_key in clean.keys for key in (video_key, *list_file_keys(video_key))}
        await asyncio.gather(*(self._objects.delete(key) for key in keys))
        return True

    @activity.defn
    async def cleanup_upload_temp(self, goal: Goal) -> bool:
        async for found in self._objects.list(f"scratch/{goal.event_id}/"):
            await self._objects.delete(found.key)
        return True

    @activity.defn
    async def check_and_mark_download_complete(self, batch: ClipBatch) -> bool:
        return await self._store.record_delivery(batch, self._now())
