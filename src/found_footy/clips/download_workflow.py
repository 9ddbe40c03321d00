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
        Looked,
        failed_fetch,
        failed_hash,
        failed_look,
        kept_for_another_try,
        noted,
        priority,
        removed,
        same_bytes,
        screened,
        seen_as,
    )
    from found_footy.model.handoff import DOWNLOAD_WORKFLOW, ClipBatch, DownloadClips, FoundVideo, ScreenedClip
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal import cause_of, is_cancellation

# Runs that began when the clips of an attempt waited for each other end as they began.
AS_THEY_COME = "clips-as-they-come"
# And those that began when every link was forgotten, whether or not it would be tried again.
KEPT_FOR_ANOTHER_TRY = "kept-for-another-try"

log = ActionLogger(__name__)


@workflow.defn(name=DOWNLOAD_WORKFLOW)
class DownloadWorkflow:
    def __init__(self) -> None:
        self._notes: list[ClipNote] = []
        self._kept: set[str] = set()
        self._looks: dict[str, asyncio.Task[Looked]] = {}
        self._looking = asyncio.Lock()
        self._under_way = 0
        self._ahead = 0

    @workflow.run
    async def run(self, work: DownloadClips) -> DownloadEnded:
        self._work, self._goal, self._queues = work, work.goal, work.pace.queues
        self._priority = priority(work.attempt)
        if not await REGISTER(RegisterDownload(work.goal, workflow.info().workflow_id)):
            return self._ended(0, removed=True)
        clips = await self._passing(work.videos) if await self._is_there(work.videos) else ()
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

    async def _is_there(self, videos: Sequence[FoundVideo]) -> bool:
        if await CHECK_EVENT_EXISTS(self._goal):
            return True
        self._notes += [removed(video) for video in videos]
        return False

    async def _passing(self, videos: Sequence[FoundVideo]) -> tuple[ScreenedClip, ...]:
        """Those that the last delivery brings; a first one may have been sent ahead."""
        if videos and not workflow.patched(AS_THEY_COME):
            return await self._all_together(videos)
        self._under_way = len(videos)
        found = await asyncio.gather(*map(self._one, videos))
        return tuple(clip for clip in found if clip)

    async def _one(self, video: FoundVideo) -> ScreenedClip | None:
        """The first clip of an attempt that passes does not wait for the others: people wait for it."""
        clip = await self._screened(video)
        self._under_way -= 1
        if clip is None or self._ahead or not self._under_way:
            return clip
        self._ahead = 1
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
                "%s: %s", clip.source_url, looked.failed, action="clip_skipped", url=clip.source_url, md5=clip.md5
            )
        self._notes.append(noted(clip, looked))
        return screened(clip, looked.seen, looked.made) if looked.seen and looked.made else None

    async def _looked(self, clip: ClipFile) -> Looked:
        """One clip is looked at after another, in the order in which they come; a fingerprint is made meanwhile."""
        try:
            async with self._looking:
                seen = await VALIDATE(LookAtClip(self._goal, clip), queue=self._queues.vision, priority=self._priority)
        except ActivityError as error:
            return Looked(failed=_cause(error))
        if seen.rejected:
            return Looked(seen)
        try:
            return Looked(
                seen, await HASH(LookAtClip(self._goal, clip), queue=self._queues.media, priority=self._priority)
            )
        except ActivityError as error:
            return Looked(seen, failed=_cause(error))

    async def _hand_on(self, clips: tuple[ScreenedClip, ...], *, last: bool = True) -> None:
        batch = ClipBatch(self._goal, self._work.pace, workflow.info().workflow_id, clips, last)
        notes, self._notes = tuple(self._notes), []
        self._kept |= kept_for_another_try(notes)
        await QUEUE(QueueVideos(batch, notes))

    async def _all_together(self, videos: Sequence[FoundVideo]) -> tuple[ScreenedClip, ...]:
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
            return await FETCH(FetchVideo(self._goal, video), queue=self._queues.media, priority=self._priority)
        except ActivityError as error:
            log.warning("%s was not fetched: %s", video.url, _cause(error), action="fetch_failed", url=video.url)
            return Fetched(note=failed_fetch(video, _cause(error)))

    async def _look(self, clips: Sequence[ClipFile]) -> Sighting | None:
        try:
            seen = await VALIDATE(LookAtClip(self._goal, clips[0]), queue=self._queues.vision, priority=self._priority)
        except ActivityError as error:
            self._notes += [failed_look(clip, _cause(error)) for clip in clips]
            return None
        self._notes += [seen_as(clip, seen) for clip in clips]
        return None if seen.rejected else seen

    async def _hash(self, clips: Sequence[ClipFile]) -> ClipHash | None:
        try:
            return await HASH(LookAtClip(self._goal, clips[0]), queue=self._queues.media, priority=self._priority)
        except ActivityError as error:
            self._notes += [failed_hash(clip, _cause(error)) for clip in clips]
            return None

    async def _clean_up(self, videos: Sequence[FoundVideo]) -> None:
        """The batch is delivered; leftovers are no reason to fail. What another attempt will only have to look at
        stays, so that its host is not asked again.
        """
        kept = self._kept if self._kept and workflow.patched(KEPT_FOR_ANOTHER_TRY) else ()
        done = tuple(video.url for video in videos if video.url not in kept)
        try:
            await CLEAN_UP(CleanUpDownload(self._goal, done))
        except ActivityError as error:
            log.warning("scratch left behind: %s", _cause(error), action="scratch_left")


def _cause(error: ActivityError) -> str:
    """What went wrong, in the words of the step that failed: below them lie only those of libraries. A cancelled
    workflow is not a failed clip, so that passes through.
    """
    if is_cancellation(error):
        raise error
    failed = error.cause
    return f"{failed.type}: {failed.message}" if isinstance(failed, ApplicationError) else cause_of(error)
