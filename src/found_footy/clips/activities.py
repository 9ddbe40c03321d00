"""Stage three's activities: fetch candidates, check clips, make fingerprints, deliver batches."""

import asyncio

from temporalio import activity
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError

from found_footy.clips.check.checker import ClipChecker
from found_footy.clips.decoding import run_decoding
from found_footy.clips.fetch.fetcher import ClipFetcher, HostFailed
from found_footy.clips.fingerprints.maker import FingerprintMaker
from found_footy.clips.messages import (
    CandidateNote,
    CheckClip,
    CheckResult,
    CleanUpDownload,
    ClipFetchResult,
    ClipFile,
    ClipFingerprint,
    FetchCandidate,
    QueueClips,
    RegisterDownload,
)
from found_footy.clips.metrics import CHECK_SECONDS, CHECKS, DELIVERED_BATCHES, FETCH_SECONDS, FETCHES
from found_footy.clips.steps import ClipSteps
from found_footy.clips.store import ClipStore
from found_footy.domain.ids import upload_workflow_id
from found_footy.domain.messages import ADD_VIDEOS_SIGNAL, UPLOAD_WORKFLOW, ClipBatch, StartUpload
from found_footy.domain.outcomes import RetryAdvice
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.failpoints import failpoint
from found_footy.platform.heartbeat import send_heartbeats
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import SYSTEM

HOST_MAX_ATTEMPTS = 3
MISSING_CLIP_MAX_ATTEMPTS = 5

logger = ActionLogger(__name__)


class ClipActivities(ClipSteps):
    def __init__(
        self,
        store: ClipStore,
        fetcher: ClipFetcher,
        checker: ClipChecker,
        temporal: Client,
        fingerprint_maker: FingerprintMaker,
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._checker = checker
        self._temporal = temporal
        self._fingerprint_maker = fingerprint_maker

    @activity.defn
    async def register_download_workflow(self, register: RegisterDownload) -> bool:
        registered = await self._store.register_download(register.goal, register.download_id)
        failpoint("clips.registered")
        return registered

    @activity.defn
    async def download_single_video(self, request: FetchCandidate) -> ClipFetchResult:
        async with send_heartbeats():
            with FETCH_SECONDS.time():
                result = await self._fetch(request)
        failpoint("clips.fetched")
        if isinstance(result, CandidateNote):
            FETCHES.labels(result.outcome or "unknown").inc()
            fields = {"outcome": result.outcome, "reason": result.reason, "url": result.source_url}
            logger.info("%s is not taken: %s", result.source_url, result.outcome, action="fetch_refused", **fields)
            return ClipFetchResult(note=result)
        FETCHES.labels("kept").inc()
        logger.info(
            "%s fetched: %.1f s, %d bytes",
            result.source_url,
            result.duration,
            result.file_size,
            action="fetched",
            url=result.source_url,
            md5=result.md5,
            seconds=result.duration,
            bytes=result.file_size,
        )
        return ClipFetchResult(clip=result)

    @activity.defn
    async def validate_video_is_soccer(self, request: CheckClip) -> CheckResult:
        async with send_heartbeats():
            with CHECK_SECONDS.time():
                result = await self._check(request)
        failpoint("clips.looked")
        verdict = result.rejected or result.timestamp_status
        CHECKS.labels(result.reader, verdict).inc()
        logger.info(
            "%s is %s",
            request.clip.source_url,
            verdict,
            action="looked",
            url=request.clip.source_url,
            md5=request.clip.md5,
            verdict=verdict,
            minute=result.extracted_minute,
            reason=result.reason,
            reader=result.reader,
        )
        return result

    @activity.defn
    async def generate_video_hash(self, request: CheckClip) -> ClipFingerprint:
        """Store the fingerprint next to the clip. If the clip was deleted because another batch with the same bytes was
        archived meanwhile, the archive knows its MD5 and needs no fingerprint to count this source.
        """
        async with send_heartbeats():
            try:
                await self._fetcher.find_object_key(request.goal, request.clip)
            except NotFound as gone:
                await self._require_settled(request, gone)
                logger.info("%s; left to the archive", gone, action="clip_archived_before")
                return ClipFingerprint()
            fingerprint = await self._make_fingerprint(request)
        failpoint("clips.printed")
        return fingerprint

    @activity.defn
    async def queue_videos_for_upload(self, queue: QueueClips) -> bool:
        await self._store.record_notes(queue.batch.goal, queue.batch.download_id, queue.notes)
        failpoint("clips.noted")
        if not queue.deliver:
            return False
        await self._signal_upload(queue.batch)
        failpoint("clips.queued")
        DELIVERED_BATCHES.inc()
        return True

    @activity.defn
    async def cleanup_download_temp(self, clean: CleanUpDownload) -> bool:
        await asyncio.gather(*(self._fetcher.delete_source_pointer(clean.goal, url) for url in clean.source_urls))
        failpoint("clips.cleaned")
        return True

    async def _fetch(self, request: FetchCandidate) -> ClipFile | CandidateNote:
        """The host and the decoder get a few attempts; the product's own disk and object store as many as the activity
        has, since their outage says nothing about the clip.
        """
        try:
            return await run_decoding(self._fetcher.fetch(request), self._fetcher.is_decoder_working)
        except HostFailed as error:
            if activity.info().attempt < HOST_MAX_ATTEMPTS:
                raise
            return CandidateNote(request.candidate.url, error.outcome, error.message, retry=RetryAdvice.ALWAYS)

    async def _check(self, request: CheckClip) -> CheckResult:
        result = self._checker.check(request, lambda: self._fetcher.get_local_file(request.goal, request.clip))
        return await run_decoding(result, self._fetcher.is_decoder_working)

    async def _make_fingerprint(self, request: CheckClip) -> ClipFingerprint:
        async def make() -> ClipFingerprint:
            return await self._fingerprint_maker.make_fingerprint(
                request.clip, await self._fetcher.get_local_file(request.goal, request.clip)
            )

        return await run_decoding(make(), self._fetcher.is_decoder_working)

    async def _require_settled(self, request: CheckClip, not_found: NotFound) -> None:
        """A clip that is neither in the object store nor in the records was not archived: another store may be
        answering (a wrong bucket, a proxy). It gets a few attempts; after that the candidate is retried later.
        """
        if await self._store.is_settled(request.goal, request.clip.md5):
            return
        if activity.info().attempt >= MISSING_CLIP_MAX_ATTEMPTS:
            raise not_found
        raise Unavailable(SYSTEM, str(not_found)) from not_found

    async def _signal_upload(self, batch: ClipBatch) -> None:
        """Signal-with-start: the batch goes to the running UploadWorkflow of its goal, or starts one."""
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
