"""Activities of stage four as its workflows call them: timeouts, attempts, and the reason for them."""

from datetime import timedelta
from typing import Protocol

from found_footy.archive.messages import (
    CleanUpFiles,
    ComparePool,
    GoalArchiveSummary,
    PlanUploads,
    PoolMatches,
    ReplaceObjects,
    SaveClips,
    UploadClip,
    UploadedClip,
    UploadPlan,
)
from found_footy.domain.messages import Goal
from found_footy.platform.temporal.steps import OUTAGE_ATTEMPTS, StepOptions, step

_SHORT_TIMEOUT = timedelta(seconds=30)
# An activity whose worker has died is started on another worker after this.
_HEARTBEAT_TIMEOUT = timedelta(seconds=15)

SAVE_AFTER_UPLOAD_OPTIONS = StepOptions(
    reason="one write, which publishes the clips; what it repeats after a worker's death begins after the uploads",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=OUTAGE_ATTEMPTS,
    local=True,
)


class ArchiveSteps(Protocol):
    @step(
        reason="one read; without it nothing can be compared",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        local=True,
    )
    async def fetch_event_data(self, goal: Goal) -> GoalArchiveSummary: ...

    @step(
        reason="reads and compares fingerprints; milliseconds each, but there may be many, so it sends heartbeats",
        start_to_close_timeout=timedelta(hours=1),
        maximum_attempts=OUTAGE_ATTEMPTS,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def deduplicate_videos(self, pool: ComparePool) -> PoolMatches: ...

    @step(
        reason="one read and a decision",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        local=True,
    )
    async def plan_uploads(self, order: PlanUploads) -> UploadPlan: ...

    @step(
        reason="a copy inside the store",
        start_to_close_timeout=timedelta(minutes=5),
        maximum_attempts=OUTAGE_ATTEMPTS,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def upload_single_video(self, upload: UploadClip) -> UploadedClip: ...

    @step(
        reason="one write; it publishes the clips",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
    )
    async def save_video_objects(self, saved: SaveClips) -> bool: ...

    @step(
        reason="the record already refers to the better copy; the sweep deletes what remains",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=10,
        local=True,
    )
    async def replace_s3_video(self, replaced: ReplaceObjects) -> bool: ...

    @step(
        reason="the sweep deletes what remains in the scratch area",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=2,
        local=True,
    )
    async def cleanup_individual_files(self, clean: CleanUpFiles) -> bool: ...

    @step(
        reason="the sweep deletes what remains in the scratch area",
        start_to_close_timeout=timedelta(seconds=60),
        maximum_attempts=2,
    )
    async def cleanup_upload_temp(self, goal: Goal) -> bool: ...
