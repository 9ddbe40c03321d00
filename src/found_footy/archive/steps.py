"""Activity options of stage four: timeouts, attempts, and the reason for them."""

from datetime import timedelta

from found_footy.archive.messages import (
    CleanUpFiles,
    CompareClips,
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
from found_footy.domain.messages import ClipBatch, Goal
from found_footy.platform.temporal import ActivityCall

_SHORT_TIMEOUT = timedelta(seconds=30)
# An activity whose worker has died is started on another worker after this.
_HEARTBEAT_TIMEOUT = timedelta(seconds=15)
# With intervals of up to a minute, this outlasts an outage of half an hour: batches wait for the stores.
_OUTAGE_ATTEMPTS = 35

FETCH_EVENT_DATA = ActivityCall(
    "fetch_event_data",
    Goal,
    GoalArchiveSummary,
    reason="one read; without it nothing can be compared",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    is_local=True,
)
DEDUPLICATE_BY_MD5 = ActivityCall(
    "deduplicate_by_md5",
    CompareClips,
    UploadPlan,
    reason="pure; retried only because a worker may die",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    is_local=True,
)
DEDUPLICATE_VIDEOS = ActivityCall(
    "deduplicate_videos",
    ComparePool,
    PoolMatches,
    reason="reads fingerprints and compares them; milliseconds each, but there may be many, so it shows signs of life",
    start_to_close_timeout=timedelta(hours=1),
    maximum_attempts=_OUTAGE_ATTEMPTS,
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
PLAN_UPLOADS = ActivityCall(
    "plan_uploads",
    PlanUploads,
    UploadPlan,
    reason="one read and a decision",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    is_local=True,
)
UPLOAD_SINGLE_VIDEO = ActivityCall(
    "upload_single_video",
    UploadClip,
    UploadedClip,
    reason="a copy inside the store",
    start_to_close_timeout=timedelta(minutes=5),
    maximum_attempts=_OUTAGE_ATTEMPTS,
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
SAVE_VIDEO_OBJECTS = ActivityCall(
    "save_video_objects",
    SaveClips,
    bool,
    reason="one write; the clips are watchable after it",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
)
REPLACE_S3_VIDEO = ActivityCall(
    "replace_s3_video",
    ReplaceObjects,
    bool,
    reason="the record names the better copy already; the sweep takes what stays",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=10,
    is_local=True,
)
CLEANUP_INDIVIDUAL_FILES = ActivityCall(
    "cleanup_individual_files",
    CleanUpFiles,
    bool,
    reason="the sweep of the scratch area takes what stays",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=2,
    is_local=True,
)
CLEANUP_UPLOAD_TEMP = ActivityCall(
    "cleanup_upload_temp",
    Goal,
    bool,
    reason="the sweep of the scratch area takes what stays",
    start_to_close_timeout=timedelta(seconds=60),
    maximum_attempts=2,
)
CHECK_AND_MARK_DOWNLOAD_COMPLETE = ActivityCall(
    "check_and_mark_download_complete",
    ClipBatch,
    bool,
    reason="records the delivery; a goal is complete only after all of them",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    is_local=True,
)
