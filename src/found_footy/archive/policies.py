"""How long each of stage four's steps may take, how often it is tried, and why."""

from datetime import timedelta

from found_footy.archive.messages import (
    CleanUpFiles,
    CompareClips,
    ComparePool,
    EventData,
    Matches,
    Plan,
    PlanBatch,
    ReplaceObjects,
    SaveClips,
    UploadClip,
    Uploaded,
)
from found_footy.model.handoff import ClipBatch, Goal
from found_footy.platform.temporal import Step

_THIRTY = timedelta(seconds=30)
# An activity whose worker has died is begun again elsewhere after this.
_ALIVE = timedelta(seconds=15)
# With waits of up to a minute, this outlasts half an hour of outage: batches wait for the stores, they are not dropped.
_PATIENT = 35

FETCH_EVENT_DATA = Step(
    "fetch_event_data", Goal, EventData,
    reason="one read; without it nothing can be compared",
    start_to_close=_THIRTY, attempts=_PATIENT, at_hand=True,
)  # fmt: skip
DEDUPLICATE_BY_MD5 = Step(
    "deduplicate_by_md5", CompareClips, Plan,
    reason="pure; retried only because a worker may die",
    start_to_close=_THIRTY, attempts=_PATIENT, at_hand=True,
)  # fmt: skip
DEDUPLICATE_VIDEOS = Step(
    "deduplicate_videos", ComparePool, Matches,
    reason="reads fingerprints and compares them; milliseconds each, but there may be many, so it shows signs of life",
    start_to_close=timedelta(hours=1), attempts=_PATIENT, heartbeat=_ALIVE,
)  # fmt: skip
PLAN_UPLOADS = Step(
    "plan_uploads", PlanBatch, Plan,
    reason="one read and a decision",
    start_to_close=_THIRTY, attempts=_PATIENT, at_hand=True,
)  # fmt: skip
UPLOAD_SINGLE_VIDEO = Step(
    "upload_single_video", UploadClip, Uploaded,
    reason="a copy inside the store",
    start_to_close=timedelta(minutes=5), attempts=_PATIENT, heartbeat=_ALIVE,
)  # fmt: skip
SAVE_VIDEO_OBJECTS = Step(
    "save_video_objects", SaveClips, bool,
    reason="one write; the clips are watchable after it",
    start_to_close=_THIRTY, attempts=_PATIENT,
)  # fmt: skip
REPLACE_S3_VIDEO = Step(
    "replace_s3_video", ReplaceObjects, bool,
    reason="the record names the better copy already; the sweep takes what stays",
    start_to_close=_THIRTY, attempts=10, at_hand=True,
)  # fmt: skip
CLEANUP_INDIVIDUAL_FILES = Step(
    "cleanup_individual_files", CleanUpFiles, bool,
    reason="the sweep of the scratch area takes what stays",
    start_to_close=_THIRTY, attempts=2, at_hand=True,
)  # fmt: skip
CLEANUP_UPLOAD_TEMP = Step(
    "cleanup_upload_temp", Goal, bool,
    reason="the sweep of the scratch area takes what stays",
    start_to_close=timedelta(seconds=60), attempts=2,
)  # fmt: skip
CHECK_COMPLETE = Step(
    "check_and_mark_download_complete", ClipBatch, bool,
    reason="records the delivery; a goal is complete only after all of them",
    start_to_close=_THIRTY, attempts=_PATIENT, at_hand=True,
)  # fmt: skip
