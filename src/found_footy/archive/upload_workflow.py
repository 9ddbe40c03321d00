"""UploadWorkflow: the upload queue of one goal. Batches arrive by signal and are archived one at a time."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Iterable
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from found_footy.archive.dedup.decide import plan_by_md5
    from found_footy.archive.dedup.pools import build_pools
    from found_footy.archive.messages import (
        CleanUpFiles,
        GoalArchiveSummary,
        PlanUploads,
        PoolMatches,
        ReplaceObjects,
        SaveClips,
        UploadClip,
        UploadedClip,
        UploadPlan,
        UploadResult,
    )
    from found_footy.archive.steps import SAVE_AFTER_UPLOAD_OPTIONS, ArchiveSteps
    from found_footy.domain.messages import ADD_VIDEOS_SIGNAL, UPLOAD_WORKFLOW, ClipBatch, ScreenedClip, StartUpload
    from found_footy.goal_steps import GoalCompletionSteps
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal.client import describe_root_cause, is_cancellation
    from found_footy.platform.temporal.steps import run_step

# A run continues as new after this many batches, long before Temporal's own limits.
MAX_BATCHES_PER_RUN = 30
# A batch that fails is processed again from the start, on the goal's current state.
MAX_BATCH_ATTEMPTS = 3
BATCH_RETRY_DELAY = timedelta(seconds=2)

logger = ActionLogger(__name__)


@workflow.defn(name=UPLOAD_WORKFLOW)
class UploadWorkflow:
    def __init__(self) -> None:
        self._pending: deque[ClipBatch] = deque()
        self._batch_count = 0
        self._failed_count = 0
        self._removed = False

    @workflow.signal(name=ADD_VIDEOS_SIGNAL)
    def add_videos(self, batch: ClipBatch) -> None:
        """A delivery that is repeated while it is still pending is ignored."""
        if batch not in self._pending:
            self._pending.append(batch)

    @workflow.run
    async def run(self, start: StartUpload) -> UploadResult:
        self._start = start
        self._pending.extendleft(reversed(start.pending))
        while await self._wait_for_batch():
            await self._archive_batch(self._pending.popleft())
            if self._batch_count >= MAX_BATCHES_PER_RUN or workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(StartUpload(start.goal, start.pace, tuple(self._pending)))
        return UploadResult(self._batch_count, self._failed_count, self._removed)

    async def _wait_for_batch(self) -> bool:
        """Wait for a batch. After the idle time, check the completion; a batch that arrived meanwhile is still
        processed.

        Nothing is awaited between the last check of the queue and the end of the workflow, and the server refuses a
        completion that has not seen an accepted signal. So no batch is lost.
        """
        idle = self._start.pace.upload_idle
        try:
            await workflow.wait_condition(lambda: bool(self._pending) or self._removed, timeout=idle)
        except TimeoutError:
            await self._check_completion()
        return bool(self._pending)

    async def _check_completion(self) -> None:
        """If this fails, the goal is completed by its deadline; batches that arrived meanwhile must not be lost."""
        try:
            if await run_step(
                GoalCompletionSteps.check_and_mark_download_complete,
                ClipBatch(self._start.goal, self._start.pace, download_id=""),
            ):
                await self._delete_goal_scratch()
        except ActivityError as error:
            if is_cancellation(error):
                raise
            cause = describe_root_cause(error)
            logger.warning("not known whether the goal is complete: %s", cause, action="completion_unknown")

    async def _archive_batch(self, batch: ClipBatch) -> None:
        """Archive one batch, as a whole or not at all: if an activity fails for good, start again. If the stores are
        unavailable for longer than the retries last, the batch is left undelivered, and the next one is processed.
        """
        self._batch_count += 1
        for number in range(1, MAX_BATCH_ATTEMPTS + 1):
            try:
                await self._process_batch(batch)
            except ActivityError as error:
                if is_cancellation(error):
                    raise
                logger.error(  # noqa: TRY400  the cause says it all
                    "batch of %s not archived: %s",
                    batch.download_id,
                    describe_root_cause(error),
                    action="batch_not_archived",
                    download_id=batch.download_id,
                    round=number,
                )
            else:
                return
            if number < MAX_BATCH_ATTEMPTS:
                await workflow.sleep(BATCH_RETRY_DELAY * number)
        self._failed_count += 1

    async def _process_batch(self, batch: ClipBatch) -> None:
        summary = await run_step(ArchiveSteps.fetch_event_data, batch.goal)
        self._removed = not summary.exists
        if self._removed:
            await self._delete_goal_scratch()
            return
        await self._compare_and_save(batch, summary)
        delivered = batch.download_id if batch.last else ""
        await run_step(
            GoalCompletionSteps.check_and_mark_download_complete, ClipBatch(batch.goal, batch.pace, delivered)
        )

    async def _compare_and_save(self, batch: ClipBatch, summary: GoalArchiveSummary) -> None:
        if not batch.clips and not any(clip.uncompared for clip in summary.clips):
            return
        matches = await self._compare_batch(batch, summary)
        plan, uploaded = await self._plan_and_upload(batch, matches)
        compared = dict.fromkeys(md5 for clip in summary.clips for md5 in sorted(clip.md5s))
        saved = SaveClips(
            batch.goal,
            batch.download_id,
            tuple(uploaded),
            plan.extra_sources,
            pairs=matches.pairs,
            compared_md5s=(*compared, *(clip.md5 for clip in batch.clips)),
            rejected=plan.rejected,
            flags=plan.flags,
            compared_block_keys=matches.compared_block_keys,
        )
        # A queued step lies between the plan and a local save: without one, repeating would plan on what was saved.
        options = SAVE_AFTER_UPLOAD_OPTIONS if plan.uploads or plan.fingerprint_only else None
        if await run_step(ArchiveSteps.save_video_objects, saved, options=options) and plan.obsolete_keys:
            await self._ignore_failure(
                run_step(ArchiveSteps.replace_s3_video, ReplaceObjects(batch.goal, plan.obsolete_keys))
            )
        await self._delete_batch_scratch(batch.clips)

    async def _compare_batch(self, batch: ClipBatch, summary: GoalArchiveSummary) -> PoolMatches:
        """Compare both pools concurrently. A pool that cannot be compared fails the batch."""
        orders = build_pools(batch.goal, plan_by_md5(batch.clips, summary.clips).uploads, summary)
        media = batch.pace.queues.media
        found = await asyncio.gather(
            *(run_step(ArchiveSteps.deduplicate_videos, order, task_queue=media, priority=1) for order in orders)
        )
        return PoolMatches(
            tuple(dict.fromkeys(pair for one in found for pair in one.pairs)),
            tuple(refused for one in found for refused in one.rejected),
            compared_block_keys=tuple(sorted(set.intersection(*(set(one.compared_block_keys) for one in found))))
            if found
            else (),
        )

    async def _plan_and_upload(self, batch: ClipBatch, matches: PoolMatches) -> tuple[UploadPlan, list[UploadedClip]]:
        """Make the plan and copy the files. If a file turns out to be missing, plan the others again without it."""
        clips, lost = batch.clips, list[UploadedClip]()
        while True:
            plan = await run_step(
                ArchiveSteps.plan_uploads, PlanUploads(batch.goal, clips, matches.pairs, matches.rejected)
            )
            orders = [
                *(UploadClip(batch.goal, clip) for clip in plan.uploads),
                *(UploadClip(batch.goal, clip, fingerprint_only=True) for clip in plan.fingerprint_only),
            ]
            uploaded = await asyncio.gather(*(run_step(ArchiveSteps.upload_single_video, order) for order in orders))
            gone = [one for one in uploaded if one.missing_reason]
            if not gone:
                return plan, [*uploaded, *lost]
            lost += gone
            clips = tuple(clip for clip in clips if clip.md5 not in {one.clip.md5 for one in gone})

    async def _delete_batch_scratch(self, clips: Iterable[ScreenedClip]) -> None:
        """Delete the scratch files of this batch that no pending batch needs."""
        needed = {clip.md5 for batch in self._pending for clip in batch.clips}
        keys = dict.fromkeys(clip.scratch_key for clip in clips if clip.md5 not in needed)
        await self._ignore_failure(run_step(ArchiveSteps.cleanup_individual_files, CleanUpFiles(tuple(keys))))

    async def _delete_goal_scratch(self) -> None:
        """Delete all scratch files of this goal, once no download can deliver a file any more."""
        await self._ignore_failure(run_step(ArchiveSteps.cleanup_upload_temp, self._start.goal))

    async def _ignore_failure(self, cleaning: Awaitable[bool]) -> None:
        """A failed clean-up does not fail the batch; the sweep deletes the files later."""
        try:
            await cleaning
        except ActivityError as error:
            if is_cancellation(error):
                raise
            logger.warning("left behind: %s", describe_root_cause(error), action="files_left")
