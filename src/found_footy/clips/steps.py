"""Activities of stage three as its workflow calls them: timeouts, attempts, and the reason for them."""

from datetime import timedelta
from typing import Protocol

from found_footy.clips.messages import (
    CheckClip,
    CheckResult,
    CleanUpDownload,
    ClipFetchResult,
    ClipFingerprint,
    FetchCandidate,
    QueueClips,
    RegisterDownload,
)
from found_footy.platform.temporal.steps import OUTAGE_ATTEMPTS, StepOptions, step

_SHORT_TIMEOUT = timedelta(seconds=30)
_INITIAL_INTERVAL = timedelta(seconds=2)
# An activity whose worker has died is started on another worker after this.
_HEARTBEAT_TIMEOUT = timedelta(seconds=15)
# Four requests to a slow model, each after the maximum wait for a lease.
_CHECK_TIMEOUT = timedelta(minutes=30)

BRIEF_CHECK_OPTIONS = StepOptions(
    reason="the vision reader was unavailable for the clip before this one; this candidate is retried later",
    start_to_close_timeout=_CHECK_TIMEOUT,
    maximum_attempts=2,
    initial_interval=timedelta(seconds=3),
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)


class ClipSteps(Protocol):
    @step(
        reason="the attempt counts only once it is registered, so nothing else comes first",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_INITIAL_INTERVAL,
        local=True,
    )
    async def register_download_workflow(self, register: RegisterDownload) -> bool: ...

    @step(
        reason="a large clip over a slow line; the host gets three attempts, retries outlast an outage of our store",
        start_to_close_timeout=timedelta(minutes=10),
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_INITIAL_INTERVAL,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def download_single_video(self, request: FetchCandidate) -> ClipFetchResult: ...

    @step(
        reason="a few frames, after a wait for the vision lease; retries outlast minutes of an outage of the reader",
        start_to_close_timeout=_CHECK_TIMEOUT,
        maximum_attempts=12,
        initial_interval=timedelta(seconds=3),
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def validate_video_is_soccer(self, request: CheckClip) -> CheckResult: ...

    @step(
        reason="one pass over the clip, queued behind other fingerprints; retries outlast a full disk or an outage",
        start_to_close_timeout=timedelta(minutes=10),
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_INITIAL_INTERVAL,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def generate_video_hash(self, request: CheckClip) -> ClipFingerprint: ...

    @step(
        reason="delivers the clips of the attempt; a goal is complete only after all deliveries",
        start_to_close_timeout=timedelta(seconds=60),
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_INITIAL_INTERVAL,
        local=True,
    )
    async def queue_videos_for_upload(self, queue: QueueClips) -> bool: ...

    @step(
        reason="small files; the sweep deletes what remains in the scratch area",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=2,
        initial_interval=_INITIAL_INTERVAL,
        local=True,
    )
    async def cleanup_download_temp(self, clean: CleanUpDownload) -> bool: ...
