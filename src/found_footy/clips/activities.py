"""Stage three's activities: fetch, look, fingerprint, hand on."""

import asyncio

from temporalio import activity
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError

from found_footy.clips.decoding import decoded
from found_footy.clips.fetch import ClipFetcher, HostFailed
from found_footy.clips.messages import (
    CleanUpDownload,
    ClipFile,
    ClipHash,
    ClipNote,
    Fetched,
    FetchVideo,
    LookAtClip,
    QueueVideos,
    RegisterDownload,
    Sighting,
)
from found_footy.clips.metrics import BATCHES, FETCH_SECONDS, FETCHES, LOOK_SECONDS, LOOKS
from found_footy.clips.prints import PrintMaker
from found_footy.clips.reader import Reader
from found_footy.clips.store import ClipStore
from found_footy.model.handoff import ADD_VIDEOS_SIGNAL, UPLOAD_WORKFLOW, ClipBatch, StartUpload
from found_footy.model.ids import upload_workflow_id
from found_footy.model.outcome import Retry
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.failpoints import failpoint
from found_footy.platform.heartbeats import beating
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import SYSTEM

HOST_TRIES = 3
MISSING_TRIES = 5

log = ActionLogger(__name__)


class ClipActivities:
    def __init__(
        self, store: ClipStore, fetcher: ClipFetcher, reader: Reader, temporal: Client, prints: PrintMaker
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._reader = reader
        self._temporal = temporal
        self._prints = prints

    @activity.defn(name="register_download_workflow")
    async def register_download_workflow(self, register: RegisterDownload) -> bool:
        registered = await self._store.register(register.goal, register.download_id)
        failpoint("clips.registered")
        return registered

    @activity.defn(name="download_single_video")
    async def download_single_video(self, wanted: FetchVideo) -> Fetched:
        async with beating():
            with FETCH_SECONDS.time():
                result = await self._fetched(wanted)
        failpoint("clips.fetched")
        if isinstance(result, ClipNote):
            FETCHES.labels(result.outcome or "unknown").inc()
            told = {"outcome": result.outcome, "reason": result.reason, "url": result.source_url}
            log.info("%s is not taken: %s", result.source_url, result.outcome, action="fetch_refused", **told)
            return Fetched(note=result)
        FETCHES.labels("kept").inc()
        log.info(
            "%s fetched: %.1f s, %d bytes", result.source_url, result.duration, result.file_size, action="fetched",
            url=result.source_url, md5=result.md5, seconds=result.duration, bytes=result.file_size,
        )  # fmt: skip
        return Fetched(clip=result)

    @activity.defn(name="validate_video_is_soccer")
    async def validate_video_is_soccer(self, look: LookAtClip) -> Sighting:
        async with beating():
            with LOOK_SECONDS.time():
                seen = await self._seen(look)
        failpoint("clips.looked")
        verdict = seen.rejected or seen.timestamp_status
        LOOKS.labels(seen.reader, verdict).inc()
        log.info(
            "%s is %s", look.clip.source_url, verdict, action="looked", url=look.clip.source_url, md5=look.clip.md5,
            verdict=verdict, minute=seen.extracted_minute, reason=seen.reason, reader=seen.reader,
        )  # fmt: skip
        return seen

    @activity.defn(name="generate_video_hash")
    async def generate_video_hash(self, look: LookAtClip) -> ClipHash:
        """The fingerprint goes beside the clip. If that is gone because another batch with the same bytes was archived
        meanwhile, the archive knows them by their MD5 and needs no fingerprint to count this find.
        """
        async with beating():
            try:
                await self._fetcher.whereabouts(look.goal, look.clip)
            except NotFound as gone:
                await self._expect_settled(look, gone)
                log.info("%s; left to the archive", gone, action="clip_archived_before")
                return ClipHash()
            made = await self._printed(look)
        failpoint("clips.printed")
        return made

    @activity.defn(name="queue_videos_for_upload")
    async def queue_videos_for_upload(self, queue: QueueVideos) -> bool:
        await self._store.note(queue.batch.goal, queue.batch.download_id, queue.notes)
        failpoint("clips.noted")
        if not queue.deliver:
            return False
        await self._signal(queue.batch)
        failpoint("clips.queued")
        BATCHES.inc()
        return True

    @activity.defn(name="cleanup_download_temp")
    async def cleanup_download_temp(self, clean: CleanUpDownload) -> bool:
        await asyncio.gather(*(self._fetcher.forget_source(clean.goal, url) for url in clean.source_urls))
        failpoint("clips.cleaned")
        return True

    async def _fetched(self, wanted: FetchVideo) -> ClipFile | ClipNote:
        """The host and the decoder get a few tries; our own disk and store as many as the step has, for their outage is
        not the clip's fault.
        """
        try:
            return await decoded(self._fetcher.fetch(wanted), self._fetcher.decoder_works)
        except HostFailed as error:
            if activity.info().attempt < HOST_TRIES:
                raise
            return ClipNote(wanted.video.url, error.outcome, error.message, retry=Retry.ALWAYS)

    async def _seen(self, look: LookAtClip) -> Sighting:
        seen = self._reader.look(look, lambda: self._fetcher.local(look.goal, look.clip))
        return await decoded(seen, self._fetcher.decoder_works)

    async def _printed(self, look: LookAtClip) -> ClipHash:
        async def printed() -> ClipHash:
            return await self._prints.make(look.clip, await self._fetcher.local(look.goal, look.clip))

        return await decoded(printed(), self._fetcher.decoder_works)

    async def _expect_settled(self, look: LookAtClip, gone: NotFound) -> None:
        """A clip that the store does not find and the records do not know was not archived: another store may be
        answering (a wrong bucket, a proxy). It gets a few tries; after that the link is tried again later.
        """
        if await self._store.is_settled(look.goal, look.clip.md5):
            return
        if activity.info().attempt >= MISSING_TRIES:
            raise gone
        raise Unavailable(SYSTEM, str(gone)) from gone

    async def _signal(self, batch: ClipBatch) -> None:
        """Signal and start in one call: a batch meets the running archive of its goal, or starts one."""
        try:
            await self._temporal.start_workflow(
                UPLOAD_WORKFLOW,
                StartUpload(batch.goal, batch.pace),
                id=upload_workflow_id(batch.goal.event_id),
                task_queue=batch.pace.queues.main,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                execution_timeout=batch.pace.longest_run,
                start_signal=ADD_VIDEOS_SIGNAL,
                start_signal_args=[batch],
            )
        except RPCError as error:
            raise Unavailable("Temporal", f"the batch was not queued: {error}") from error
