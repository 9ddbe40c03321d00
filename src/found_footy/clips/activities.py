"""Stage three's activities: fetch, look, fingerprint, hand on."""

import asyncio

from temporalio import activity
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError

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
from found_footy.clips.metrics import BATCHES, FETCH_SECONDS, FETCHES
from found_footy.clips.reader import Reader
from found_footy.clips.store import ClipStore
from found_footy.model.handoff import ADD_VIDEOS_SIGNAL, UPLOAD_WORKFLOW, ClipBatch, StartUpload
from found_footy.model.ids import upload_workflow_id
from found_footy.platform.errors import Unavailable

HOST_TRIES = 3


class ClipActivities:
    def __init__(self, store: ClipStore, fetcher: ClipFetcher, reader: Reader, temporal: Client) -> None:
        self._store = store
        self._fetcher = fetcher
        self._reader = reader
        self._temporal = temporal

    @activity.defn(name="register_download_workflow")
    async def register_download_workflow(self, register: RegisterDownload) -> bool:
        return await self._store.register(register.goal, register.download_id)

    @activity.defn(name="download_single_video")
    async def download_single_video(self, wanted: FetchVideo) -> Fetched:
        with FETCH_SECONDS.time():
            result = await self._fetched(wanted)
        if isinstance(result, ClipNote):
            FETCHES.labels(result.outcome or "unknown").inc()
            return Fetched(note=result)
        FETCHES.labels("kept").inc()
        return Fetched(clip=result)

    @activity.defn(name="validate_video_is_soccer")
    async def validate_video_is_soccer(self, look: LookAtClip) -> Sighting:
        return await self._reader.look(look.goal, lambda: self._fetcher.local(look.goal, look.clip))

    @activity.defn(name="generate_video_hash")
    async def generate_video_hash(self, look: LookAtClip) -> ClipHash:
        """No perceptual fingerprint yet; the MD5 is the identity. The object must be there for the archive, though."""
        await self._fetcher.whereabouts(look.goal, look.clip)
        return ClipHash()

    @activity.defn(name="queue_videos_for_upload")
    async def queue_videos_for_upload(self, queue: QueueVideos) -> bool:
        await self._store.note(queue.batch.goal, queue.batch.download_id, queue.notes)
        await self._signal(queue.batch)
        BATCHES.inc()
        return True

    @activity.defn(name="cleanup_download_temp")
    async def cleanup_download_temp(self, clean: CleanUpDownload) -> bool:
        await asyncio.gather(*(self._fetcher.forget_source(clean.goal, url) for url in clean.source_urls))
        return True

    async def _fetched(self, wanted: FetchVideo) -> ClipFile | ClipNote:
        """The host gets a few tries; our own store as many as the step has, for its outage is not the clip's fault."""
        try:
            return await self._fetcher.fetch(wanted)
        except HostFailed as error:
            if activity.info().attempt < HOST_TRIES:
                raise
            return ClipNote(wanted.video.url, error.outcome, error.message)

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
                start_signal=ADD_VIDEOS_SIGNAL,
                start_signal_args=[batch],
            )
        except RPCError as error:
            raise Unavailable("Temporal", f"the batch was not queued: {error}") from error
