"""DownloadWorkflow: one attempt's videos, fetched, looked at and handed to the archive."""

import asyncio
from collections.abc import Sequence

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from found_footy.clips.messages import (
        CleanUpDownload,
        ClipFile,
        ClipHash,
        ClipNote,
        DownloadEnded,
        Fetched,
        FetchVideo,
        LookAtClip,
        QueueVideos,
        RegisterDownload,
        Sighting,
    )
    from found_footy.clips.policies import CHECK_EVENT_EXISTS, CLEAN_UP, FETCH, HASH, QUEUE, REGISTER, VALIDATE
    from found_footy.clips.verdicts import (
        failed_fetch,
        failed_hash,
        failed_look,
        removed,
        same_bytes,
        screened,
        seen_as,
    )
    from found_footy.model.handoff import DOWNLOAD_WORKFLOW, ClipBatch, DownloadClips, FoundVideo, ScreenedClip
    from found_footy.platform.temporal import cause_of, is_cancellation


@workflow.defn(name=DOWNLOAD_WORKFLOW)
class DownloadWorkflow:
    def __init__(self) -> None:
        self._notes: list[ClipNote] = []

    @workflow.run
    async def run(self, work: DownloadClips) -> DownloadEnded:
        self._goal, self._queues = work.goal, work.pace.queues
        download_id = workflow.info().workflow_id
        if not await REGISTER(RegisterDownload(work.goal, download_id)):
            return DownloadEnded(len(work.videos), 0, event_removed=True)
        clips = await self._screened(work.videos) if await self._is_there(work.videos) else ()
        batch = ClipBatch(work.goal, work.pace, download_id, clips)
        await QUEUE(QueueVideos(batch, tuple(self._notes)))
        await self._clean_up(work.videos)
        return DownloadEnded(len(work.videos), len(clips))

    async def _is_there(self, videos: Sequence[FoundVideo]) -> bool:
        if await CHECK_EVENT_EXISTS(self._goal):
            return True
        self._notes += [removed(video) for video in videos]
        return False

    async def _screened(self, videos: Sequence[FoundVideo]) -> tuple[ScreenedClip, ...]:
        """Same bytes are looked at once, and handed on once for each place they were found at."""
        fetched = await asyncio.gather(*(self._fetch(video) for video in videos))
        self._notes += [result.note for result in fetched if result.note]
        groups = same_bytes([result.clip for result in fetched if result.clip])
        passed = [(clips, seen) for clips in groups if (seen := await self._look(clips)) is not None]
        hashes = await asyncio.gather(*(self._hash(clips) for clips, _ in passed))
        return tuple(
            screened(clip, seen, made)
            for (clips, seen), made in zip(passed, hashes, strict=True)
            if made is not None
            for clip in clips
        )

    async def _fetch(self, video: FoundVideo) -> Fetched:
        try:
            return await FETCH(FetchVideo(self._goal, video), queue=self._queues.media)
        except ActivityError as error:
            return Fetched(note=failed_fetch(video, _cause(error)))

    async def _look(self, clips: Sequence[ClipFile]) -> Sighting | None:
        try:
            seen = await VALIDATE(LookAtClip(self._goal, clips[0]), queue=self._queues.vision)
        except ActivityError as error:
            self._notes += [failed_look(clip, _cause(error)) for clip in clips]
            return None
        self._notes += [seen_as(clip, seen) for clip in clips]
        return None if seen.rejected else seen

    async def _hash(self, clips: Sequence[ClipFile]) -> ClipHash | None:
        try:
            return await HASH(LookAtClip(self._goal, clips[0]), queue=self._queues.media)
        except ActivityError as error:
            self._notes += [failed_hash(clip, _cause(error)) for clip in clips]
            return None

    async def _clean_up(self, videos: Sequence[FoundVideo]) -> None:
        """The batch is delivered; leftovers are no reason to fail."""
        try:
            await CLEAN_UP(CleanUpDownload(self._goal, tuple(video.url for video in videos)))
        except ActivityError as error:
            workflow.logger.warning("scratch left behind: %s", _cause(error))


def _cause(error: ActivityError) -> str:
    """What went wrong, in the words of the step that failed: below them lie only those of libraries. A cancelled
    workflow is not a failed clip, so that passes through.
    """
    if is_cancellation(error):
        raise error
    failed = error.cause
    return f"{failed.type}: {failed.message}" if isinstance(failed, ApplicationError) else cause_of(error)
