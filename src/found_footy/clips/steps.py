"""Activity options of stage three: timeouts, attempts, and the reason for them."""

from datetime import timedelta

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
from found_footy.domain.messages import Goal
from found_footy.platform.temporal import ActivityCall

_SHORT_TIMEOUT = timedelta(seconds=30)
_INITIAL_INTERVAL = timedelta(seconds=2)
# An activity whose worker has died is started on another worker after this.
_HEARTBEAT_TIMEOUT = timedelta(seconds=15)
# For activities without which an attempt would be lost: with intervals of up to a minute, this outlasts an outage of
# half an hour.
_OUTAGE_ATTEMPTS = 35
# Four requests to a slow model, each after the maximum wait for a lease.
_CHECK_TIMEOUT = timedelta(minutes=30)

REGISTER_DOWNLOAD_WORKFLOW = ActivityCall(
    "register_download_workflow",
    RegisterDownload,
    bool,
    reason="the attempt counts only once it is registered, so nothing else comes first",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_INITIAL_INTERVAL,
    is_local=True,
)
CHECK_EVENT_EXISTS = ActivityCall(
    "check_event_exists",
    Goal,
    bool,
    reason="a goal struck out needs no downloads; an outage must not look like that",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_INITIAL_INTERVAL,
    is_local=True,
)
DOWNLOAD_SINGLE_VIDEO = ActivityCall(
    "download_single_video",
    FetchCandidate,
    ClipFetchResult,
    reason="a large clip over a slow line; the host gets three tries, an outage of our own store is waited out",
    start_to_close_timeout=timedelta(minutes=10),
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_INITIAL_INTERVAL,
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
VALIDATE_VIDEO_IS_SOCCER = ActivityCall(
    "validate_video_is_soccer",
    CheckClip,
    CheckResult,
    reason="a few pictures by a busy reader, whose turn has to come; a reader that is away is waited for some minutes",
    start_to_close_timeout=_CHECK_TIMEOUT,
    maximum_attempts=12,
    initial_interval=timedelta(seconds=3),
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
VALIDATE_VIDEO_IS_SOCCER_BRIEFLY = ActivityCall(
    "validate_video_is_soccer",
    CheckClip,
    CheckResult,
    reason="the reader was away for the clip before this one; the link is taken up again later",
    start_to_close_timeout=_CHECK_TIMEOUT,
    maximum_attempts=2,
    initial_interval=timedelta(seconds=3),
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
GENERATE_VIDEO_HASH = ActivityCall(
    "generate_video_hash",
    CheckClip,
    ClipFingerprint,
    reason="one pass over the clip, after others where few are made at once; a full disk or an outage is waited out",
    start_to_close_timeout=timedelta(minutes=10),
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_INITIAL_INTERVAL,
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
QUEUE_VIDEOS_FOR_UPLOAD = ActivityCall(
    "queue_videos_for_upload",
    QueueClips,
    bool,
    reason="the delivery of the attempt; a goal is complete only after all of them",
    start_to_close_timeout=timedelta(seconds=60),
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_INITIAL_INTERVAL,
    is_local=True,
)
CLEANUP_DOWNLOAD_TEMP = ActivityCall(
    "cleanup_download_temp",
    CleanUpDownload,
    bool,
    reason="small leftovers; the sweep of the scratch area takes what stays",
    start_to_close_timeout=_SHORT_TIMEOUT,
    maximum_attempts=2,
    initial_interval=_INITIAL_INTERVAL,
    is_local=True,
)
