"""DownloadWorkflow: one attempt's videos, fetched, looked at and handed to the archive."""

import asyncio
from collections.abc import Sequence

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from found_footy.clips.messages import (
        CleanUpDownload,
        ClipFile,
        ClipNote,
        DownloadEnded,
        Fetched,
        FetchVideo,
        LookAtClip,
        QueueVideos,
        RegisterDownload,
        Sighting,
    )
    from found_footy.clips.policies import (
        CHECK_EVENT_EXISTS,
        CLEAN_UP,
        FETCH,
        HASH,
        QUEUE,
        REGISTER,
        VALIDATE,
        VALIDATE_BRIEFLY,
    )
    from found_footy.clips.verdicts import (
        Failure,
        Looked,
        failed_fetch,
        kept_for_another_try,
        noted,
        priority,
        removed,
        retry_after,
        screened,
    )
    from found_footy.model.handoff import DOWNLOAD_WORKFLOW, ClipBatch, DownloadClips, FoundVideo, ScreenedClip
    from found_footy.model.outcome import Retry
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal import cause_of, is_cancellation

log = ActionLogger(__name__)


@workflow.defn(name=DOWNLOAD_WORKFLOW)
class DownloadWorkflow:
    def __init__(self) -> None:
        self._notes: list[ClipNote] = []
        self._kept: set[str] = set()
        self._looks: dict[str, asyncio.Task[Looked]] = {}
        self._looking = asyncio.Lock()
        self._reader_is_away = False
        self._under_way = 0
        self._ahead = 0

    @workflow.run
    async def run(self, work: DownloadClips) -> DownloadEnded:
        self._work, self._goal, self._queues = work, work.goal, work.pace.queues
        self._priority = priority(work.attempt)
        if not await self._is_there():
            await self._note_removed()
            return self._ended(0, removed=True)
        clips = await self._passing(work.videos)
        await self._hand_on(clips)
        await self._clean_up(work.videos)
        return self._ended(len(clips) + self._ahead)

    def _ended(self, accepted: int, *, removed: bool = False) -> DownloadEnded:
        found = len(self._work.videos)
        why = ", the goal is gone" if removed else ""
        log.info(
            "%d of %d videos handed to the archive%s", accepted, found, why, action="download_ended",
            search=self._work.attempt, found=found, accepted=accepted, removed=removed,
        )  # fmt: skip
        return DownloadEnded(found, accepted, removed)

    async def _is_there(self) -> bool:
        registered = await REGISTER(RegisterDownload(self._goal, workflow.info().workflow_id))
        return registered and await CHECK_EVENT_EXISTS(self._goal)

    async def _note_removed(self) -> None:
        if notes := tuple(map(removed, self._work.videos)):
            batch = ClipBatch(self._goal, self._work.pace, workflow.info().workflow_id)
            await QUEUE(QueueVideos(batch, notes, deliver=False))

    async def _passing(self, videos: Sequence[FoundVideo]) -> tuple[ScreenedClip, ...]:
        """Those that the last delivery brings; the others were handed on as they passed."""
        self._under_way = len(videos)
        found = await asyncio.gather(*map(self._one, videos))
        return tuple(clip for clip in found if clip)

    async def _one(self, video: FoundVideo) -> ScreenedClip | None:
        """A clip that passes waits for no other: one slow host or heavy file holds up nobody but itself."""
        clip = await self._screened(video)
        self._under_way -= 1
        if clip is None or not self._under_way:
            return clip
        self._ahead += 1
        await self._hand_on((clip,), last=False)
        return None

    async def _screened(self, video: FoundVideo) -> ScreenedClip | None:
        """From link to fingerprint. A slow host holds up its own clip only; same bytes are looked at once, and handed
        on once for each place they were found at.
        """
        fetched = await self._fetch(video)
        if (clip := fetched.clip) is None:
            self._notes += [fetched.note] if fetched.note else []
            return None
        if clip.md5 not in self._looks:
            self._looks[clip.md5] = asyncio.create_task(self._looked(clip))
        looked = await self._looks[clip.md5]
        if looked.failed:
            log.warning(
                "%s: %s", clip.source_url, looked.failed.cause, action="clip_skipped", url=clip.source_url,
                md5=clip.md5, retry=looked.failed.retry.value,
            )  # fmt: skip
        self._notes.append(noted(clip, looked))
        return screened(clip, looked.seen, looked.made) if looked.seen and looked.made else None

    async def _looked(self, clip: ClipFile) -> Looked:
        """One clip is looked at after another, in the order in which they come; a fingerprint is made meanwhile."""
        look = LookAtClip(self._goal, clip)
        try:
            async with self._looking:
                seen = await self._look(look)
        except ActivityError as error:
            return Looked(failed=_failure(error))
        if seen.rejected:
            return Looked(seen)
        try:
            return Looked(seen, await HASH(look, queue=self._queues.media, priority=self._priority))
        except ActivityError as error:
            return Looked(seen, failed=_failure(error))

    async def _look(self, look: LookAtClip) -> Sighting:
        """A reader that is away is waited for once per download: the other clips do not wait as long again."""
        step = VALIDATE_BRIEFLY if self._reader_is_away else VALIDATE
        try:
            seen = await step(look, queue=self._queues.vision, priority=self._priority)
        except ActivityError as error:
            self._reader_is_away = _failure(error).retry is Retry.ALWAYS
            raise
        self._reader_is_away = False
        return seen

    async def _hand_on(self, clips: tuple[ScreenedClip, ...], *, last: bool = True) -> None:
        batch = ClipBatch(self._goal, self._work.pace, workflow.info().workflow_id, clips, last)
        notes, self._notes = tuple(self._notes), []
        self._kept |= kept_for_another_try(notes)
        await QUEUE(QueueVideos(batch, notes))

    async def _fetch(self, video: FoundVideo) -> Fetched:
        try:
            return await FETCH(FetchVideo(self._goal, video), queue=self._queues.media, priority=self._priority)
        except ActivityError as error:
            failure = _failure(error)
            log.warning("%s was not fetched: %s", video.url, failure.cause, action="fetch_failed", url=video.url)
            return Fetched(note=failed_fetch(video, failure))

    async def _clean_up(self, videos: Sequence[FoundVideo]) -> None:
        """The batch is delivered; leftovers are no reason to fail. What another attempt will only have to look at
        stays, so that its host is not asked again.
        """
        done = tuple(video.url for video in videos if video.url not in self._kept)
        try:
            await CLEAN_UP(CleanUpDownload(self._goal, done))
        except ActivityError as error:
            log.warning("scratch left behind: %s", _failure(error).cause, action="scratch_left")


def _failure(error: ActivityError) -> Failure:
    """What went wrong, in the words of the step that failed: below them lie only those of libraries. A cancelled
    workflow is not a failed clip, so that passes through.
    """
    if is_cancellation(error):
        raise error
    failed = error.cause
    if isinstance(failed, ApplicationError):
        return Failure(f"{failed.type}: {failed.message}", retry_after(failed.type or ""))
    return Failure(cause_of(error), Retry.ALWAYS)
