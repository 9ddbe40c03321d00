"""DownloadWorkflow: fetches and checks the candidates of one search attempt and delivers the clips to the archive."""

import asyncio
from collections.abc import Sequence

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from found_footy.clips.messages import (
        CandidateNote,
        CheckClip,
        CheckResult,
        CleanUpDownload,
        ClipFetchResult,
        ClipFile,
        DownloadResult,
        FetchCandidate,
        QueueClips,
        RegisterDownload,
    )
    from found_footy.clips.outcomes import (
        ScreeningResult,
        StepFailure,
        build_screened_clip,
        download_priority,
        find_retryable_urls,
        note_failed_fetch,
        note_removed_goal,
        note_screening,
        retry_for_error,
    )
    from found_footy.clips.steps import BRIEF_CHECK_OPTIONS, ClipSteps
    from found_footy.domain.messages import DOWNLOAD_WORKFLOW, ClipBatch, ClipCandidate, DownloadClips, ScreenedClip
    from found_footy.domain.outcomes import RetryAdvice
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal.client import describe_root_cause, is_cancellation
    from found_footy.platform.temporal.steps import run_step

logger = ActionLogger(__name__)


@workflow.defn(name=DOWNLOAD_WORKFLOW)
class DownloadWorkflow:
    def __init__(self) -> None:
        self._notes: list[CandidateNote] = []
        self._retained_urls: set[str] = set()
        self._checks_by_md5: dict[str, asyncio.Task[ScreeningResult]] = {}
        self._check_lock = asyncio.Lock()
        self._reader_unavailable = False
        self._videos_in_progress = 0
        self._delivered_early = 0

    @workflow.run
    async def run(self, work: DownloadClips) -> DownloadResult:
        self._work, self._goal, self._queues = work, work.goal, work.pace.queues
        self._priority = download_priority(work.attempt)
        if not await self._is_goal_present():
            await self._record_removed_goal()
            return self._build_result(0, removed=True)
        clips = await self._screen_all(work.videos)
        await self._deliver(clips)
        await self._clean_up(work.videos)
        return self._build_result(len(clips) + self._delivered_early)

    def _build_result(self, accepted: int, *, removed: bool = False) -> DownloadResult:
        found = len(self._work.videos)
        why = ", the goal is gone" if removed else ""
        logger.info(
            "%d of %d videos handed to the archive%s",
            accepted,
            found,
            why,
            action="download_ended",
            search=self._work.attempt,
            found=found,
            accepted=accepted,
            removed=removed,
        )
        return DownloadResult(found, accepted, removed)

    async def _is_goal_present(self) -> bool:
        return await run_step(
            ClipSteps.register_download_workflow, RegisterDownload(self._goal, workflow.info().workflow_id)
        )

    async def _record_removed_goal(self) -> None:
        if notes := tuple(map(note_removed_goal, self._work.videos)):
            batch = ClipBatch(self._goal, self._work.pace, workflow.info().workflow_id)
            await run_step(ClipSteps.queue_videos_for_upload, QueueClips(batch, notes, deliver=False))

    async def _screen_all(self, videos: Sequence[ClipCandidate]) -> tuple[ScreenedClip, ...]:
        """Screen all candidates and return the clips for the last delivery; the others are delivered as soon as they
        pass.
        """
        self._videos_in_progress = len(videos)
        found = await asyncio.gather(*map(self._screen_and_deliver, videos))
        return tuple(clip for clip in found if clip)

    async def _screen_and_deliver(self, video: ClipCandidate) -> ScreenedClip | None:
        """Deliver a clip as soon as it passes, so that a slow host or a large file delays only its own clip."""
        clip = await self._screen(video)
        self._videos_in_progress -= 1
        if clip is None or not self._videos_in_progress:
            return clip
        self._delivered_early += 1
        await self._deliver((clip,), last=False)
        return None

    async def _screen(self, video: ClipCandidate) -> ScreenedClip | None:
        """Fetch, check and fingerprint one candidate. The same bytes are checked once, and delivered once per
        source.
        """
        fetched = await self._fetch(video)
        if (clip := fetched.clip) is None:
            self._notes += [fetched.note] if fetched.note else []
            return None
        if clip.md5 not in self._checks_by_md5:
            self._checks_by_md5[clip.md5] = asyncio.create_task(self._check_and_fingerprint(clip))
        screening = await self._checks_by_md5[clip.md5]
        if screening.failure:
            logger.warning(
                "%s: %s",
                clip.source_url,
                screening.failure.cause,
                action="clip_skipped",
                url=clip.source_url,
                md5=clip.md5,
                retry=screening.failure.retry.value,
            )
        self._notes.append(note_screening(clip, screening))
        return (
            build_screened_clip(clip, screening.check, screening.fingerprint, video.post_doubts)
            if screening.check and screening.fingerprint
            else None
        )

    async def _check_and_fingerprint(self, clip: ClipFile) -> ScreeningResult:
        """Check clips one after another, in the order of arrival; fingerprints are made concurrently."""
        request = CheckClip(self._goal, clip)
        try:
            async with self._check_lock:
                check = await self._check(request)
        except ActivityError as error:
            return ScreeningResult(failure=_to_step_failure(error))
        if check.rejected:
            return ScreeningResult(check)
        try:
            return ScreeningResult(
                check,
                await run_step(
                    ClipSteps.generate_video_hash, request, task_queue=self._queues.media, priority=self._priority
                ),
            )
        except ActivityError as error:
            return ScreeningResult(check, failure=_to_step_failure(error))

    async def _check(self, request: CheckClip) -> CheckResult:
        """Wait for an unavailable reader once per download; the following clips get fewer attempts."""
        try:
            check = await run_step(
                ClipSteps.validate_video_is_soccer,
                request,
                task_queue=self._queues.vision,
                priority=self._priority,
                options=BRIEF_CHECK_OPTIONS if self._reader_unavailable else None,
            )
        except ActivityError as error:
            self._reader_unavailable = _to_step_failure(error).retry is RetryAdvice.ALWAYS
            raise
        self._reader_unavailable = False
        return check

    async def _deliver(self, clips: tuple[ScreenedClip, ...], *, last: bool = True) -> None:
        batch = ClipBatch(self._goal, self._work.pace, workflow.info().workflow_id, clips, last)
        notes, self._notes = tuple(self._notes), []
        self._retained_urls |= find_retryable_urls(notes)
        await run_step(ClipSteps.queue_videos_for_upload, QueueClips(batch, notes))

    async def _fetch(self, video: ClipCandidate) -> ClipFetchResult:
        try:
            return await run_step(
                ClipSteps.download_single_video,
                FetchCandidate(self._goal, video),
                task_queue=self._queues.media,
                priority=self._priority,
            )
        except ActivityError as error:
            failure = _to_step_failure(error)
            logger.warning("%s was not fetched: %s", video.url, failure.cause, action="fetch_failed", url=video.url)
            return ClipFetchResult(note=note_failed_fetch(video, failure))

    async def _clean_up(self, videos: Sequence[ClipCandidate]) -> None:
        """A failed clean-up does not fail the delivered batch. The files of candidates that a later attempt only has to
        check stay, so that their host is not asked again.
        """
        done = tuple(video.url for video in videos if video.url not in self._retained_urls)
        try:
            await run_step(ClipSteps.cleanup_download_temp, CleanUpDownload(self._goal, done))
        except ActivityError as error:
            logger.warning("scratch left behind: %s", _to_step_failure(error).cause, action="scratch_left")


def _to_step_failure(error: ActivityError) -> StepFailure:
    """The cause in the words of the activity's own error; the causes below it are those of libraries. A cancellation is
    re-raised: it is not a failed clip.
    """
    if is_cancellation(error):
        raise error
    failed = error.cause
    if isinstance(failed, ApplicationError):
        return StepFailure(f"{failed.type}: {failed.message}", retry_for_error(failed.type or ""))
    return StepFailure(describe_root_cause(error), RetryAdvice.ALWAYS)
