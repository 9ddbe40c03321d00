"""UploadWorkflow: the one queue of a goal. Batches come by signal and are archived one at a time."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Iterable
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from found_footy.archive.messages import (
        CleanUpFiles,
        CompareClips,
        EventData,
        Matches,
        Plan,
        PlanBatch,
        ReplaceObjects,
        SaveClips,
        UploadClip,
        Uploaded,
        UploadEnded,
    )
    from found_footy.archive.policies import (
        CHECK_COMPLETE,
        CLEANUP_INDIVIDUAL_FILES,
        CLEANUP_UPLOAD_TEMP,
        DEDUPLICATE_BY_MD5,
        DEDUPLICATE_VIDEOS,
        FETCH_EVENT_DATA,
        PLAN_UPLOADS,
        REPLACE_S3_VIDEO,
        SAVE_VIDEO_OBJECTS,
        UPLOAD_SINGLE_VIDEO,
    )
    from found_footy.archive.pools import pools
    from found_footy.model.handoff import ADD_VIDEOS_SIGNAL, UPLOAD_WORKFLOW, ClipBatch, ScreenedClip, StartUpload
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal import cause_of, is_cancellation

# A run ends its history here and goes on in a new one, long before Temporal's own limits.
MOST_BATCHES = 30
# A batch that fails in the middle is begun anew, on what the goal has then.
MOST_ROUNDS = 3
ROUND_WAIT = timedelta(seconds=2)

log = ActionLogger(__name__)


@workflow.defn(name=UPLOAD_WORKFLOW)
class UploadWorkflow:
    def __init__(self) -> None:
        self._pending: deque[ClipBatch] = deque()
        self._batches = 0
        self._failed = 0
        self._removed = False

    @workflow.signal(name=ADD_VIDEOS_SIGNAL)
    def add_videos(self, batch: ClipBatch) -> None:
        """A delivery that is repeated while it still waits is the same delivery."""
        if batch not in self._pending:
            self._pending.append(batch)

    @workflow.run
    async def run(self, start: StartUpload) -> UploadEnded:
        self._start = start
        self._pending.extendleft(reversed(start.pending))
        while await self._has_more():
            await self._archive(self._pending.popleft())
            if self._batches >= MOST_BATCHES or workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(StartUpload(start.goal, start.pace, tuple(self._pending)))
        return UploadEnded(self._batches, self._failed, self._removed)

    async def _has_more(self) -> bool:
        """Wait for a batch. After an idle time, a last look at the goal; a batch that came meanwhile still counts.

        Nothing is awaited between the last look at the queue and the end, and the server refuses an end that has not
        seen a signal it accepted. So no batch falls between.
        """
        idle = self._start.pace.upload_idle
        try:
            await workflow.wait_condition(lambda: bool(self._pending) or self._removed, timeout=idle)
        except TimeoutError:
            await self._look_last()
        return bool(self._pending)

    async def _look_last(self) -> None:
        """Without an answer the goal is completed by its deadline; that must not cost what has come meanwhile."""
        try:
            if await CHECK_COMPLETE(ClipBatch(self._start.goal, self._start.pace, download_id="")):
                await self._clean_scratch()
        except ActivityError as error:
            if is_cancellation(error):
                raise
            cause = cause_of(error)
            log.warning("not known whether the goal is complete: %s", cause, action="completion_unknown")

    async def _archive(self, batch: ClipBatch) -> None:
        """One batch, as a whole or not at all: where a step fails for good, it is begun anew. If the stores stay away
        for longer than patience, it is left undelivered, and others go on.
        """
        self._batches += 1
        for number in range(1, MOST_ROUNDS + 1):
            try:
                await self._process(batch)
            except ActivityError as error:
                if is_cancellation(error):
                    raise
                log.error(  # noqa: TRY400  the cause says it all
                    "batch of %s not archived: %s", batch.download_id, cause_of(error), action="batch_not_archived",
                    download_id=batch.download_id, round=number,
                )  # fmt: skip
            else:
                return
            if number < MOST_ROUNDS:
                await workflow.sleep(ROUND_WAIT * number)
        self._failed += 1

    async def _process(self, batch: ClipBatch) -> None:
        event = await FETCH_EVENT_DATA(batch.goal)
        self._removed = not event.exists
        if self._removed:
            await self._clean_scratch()
            return
        await self._compared_and_kept(batch, event)
        delivered = batch.download_id if batch.last else ""
        await CHECK_COMPLETE(ClipBatch(batch.goal, batch.pace, delivered))

    async def _compared_and_kept(self, batch: ClipBatch, event: EventData) -> None:
        if not batch.clips and not any(clip.uncompared for clip in event.clips):
            return
        matches = await self._compared(batch, event)
        plan, uploaded = await self._placed(batch, matches)
        compared = dict.fromkeys(md5 for clip in event.clips for md5 in sorted(clip.md5s))
        saved = SaveClips(
            batch.goal,
            batch.download_id,
            tuple(uploaded),
            plan.join,
            pairs=matches.pairs,
            compared=(*compared, *(clip.md5 for clip in batch.clips)),
            refused=plan.refused,
            flags=plan.flags,
            met=matches.met,
        )
        if await SAVE_VIDEO_OBJECTS(saved) and plan.obsolete:
            await self._tolerant(REPLACE_S3_VIDEO(ReplaceObjects(batch.goal, plan.obsolete)))
        await self._clean_files(batch.clips)

    async def _compared(self, batch: ClipBatch, event: EventData) -> Matches:
        """What shows the same as what: both pools at once. A pool that cannot be compared fails the batch."""
        fresh = await DEDUPLICATE_BY_MD5(CompareClips(batch.clips, event.clips)) if batch.clips else Plan()
        orders = pools(batch.goal, fresh.keep, event)
        media = batch.pace.queues.media
        found = await asyncio.gather(*(DEDUPLICATE_VIDEOS(order, queue=media, priority=1) for order in orders))
        return Matches(
            tuple(dict.fromkeys(pair for one in found for pair in one.pairs)),
            tuple(refused for one in found for refused in one.refused),
            met=tuple(sorted(set.intersection(*(set(one.met) for one in found)))) if found else (),
        )

    async def _placed(self, batch: ClipBatch, matches: Matches) -> tuple[Plan, list[Uploaded]]:
        """The plan, carried out in the store. Where a file turns out to be lost, the others are planned without it."""
        clips, lost = batch.clips, list[Uploaded]()
        while True:
            plan = await PLAN_UPLOADS(PlanBatch(batch.goal, clips, matches.pairs, matches.refused))
            orders = [
                *(UploadClip(batch.goal, clip) for clip in plan.keep),
                *(UploadClip(batch.goal, clip, print_only=True) for clip in plan.beside),
            ]
            uploaded = await asyncio.gather(*map(UPLOAD_SINGLE_VIDEO, orders))
            gone = [one for one in uploaded if one.lost]
            if not gone:
                return plan, [*uploaded, *lost]
            lost += gone
            clips = tuple(clip for clip in clips if clip.md5 not in {one.clip.md5 for one in gone})

    async def _clean_files(self, clips: Iterable[ScreenedClip]) -> None:
        """Scratch files of this batch that no waiting batch needs."""
        needed = {clip.md5 for batch in self._pending for clip in batch.clips}
        keys = dict.fromkeys(clip.scratch_key for clip in clips if clip.md5 not in needed)
        await self._tolerant(CLEANUP_INDIVIDUAL_FILES(CleanUpFiles(tuple(keys))))

    async def _clean_scratch(self) -> None:
        """Everything of this goal, once no download can still be on its way with a file of its own."""
        await self._tolerant(CLEANUP_UPLOAD_TEMP(self._start.goal))

    async def _tolerant(self, cleaning: Awaitable[bool]) -> None:
        """What cannot be cleaned now is swept later; it is no reason to fail."""
        try:
            await cleaning
        except ActivityError as error:
            if is_cancellation(error):
                raise
            log.warning("left behind: %s", cause_of(error), action="files_left")
