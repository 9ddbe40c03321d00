"""How long each of stage three's steps may take, how often it is tried, and why."""

from datetime import timedelta

from found_footy.clips.messages import (
    CleanUpDownload,
    ClipHash,
    Fetched,
    FetchVideo,
    LookAtClip,
    QueueVideos,
    RegisterDownload,
    Sighting,
)
from found_footy.model.handoff import Goal
from found_footy.platform.temporal import Step

_THIRTY = timedelta(seconds=30)
_TWO = timedelta(seconds=2)
# An activity whose worker has died is begun again elsewhere after this.
_ALIVE = timedelta(seconds=15)
# For steps without which an attempt would be lost: with waits of up to a minute, this outlasts half an hour of outage.
_PATIENT = 35
# Four questions to a slow model, each after as long a wait for its turn as there is.
_LONGEST_LOOK = timedelta(minutes=30)

REGISTER = Step(
    "register_download_workflow", RegisterDownload, bool,
    reason="the attempt counts only once it is registered, so nothing else comes first",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO, at_hand=True,
)  # fmt: skip
CHECK_EVENT_EXISTS = Step(
    "check_event_exists", Goal, bool,
    reason="a goal struck out needs no downloads; an outage must not look like that",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO, at_hand=True,
)  # fmt: skip
FETCH = Step(
    "download_single_video", FetchVideo, Fetched,
    reason="a large clip over a slow line; the host gets three tries, an outage of our own store is waited out",
    start_to_close=timedelta(minutes=10), attempts=_PATIENT, first_wait=_TWO, heartbeat=_ALIVE,
)  # fmt: skip
VALIDATE = Step(
    "validate_video_is_soccer", LookAtClip, Sighting,
    reason="a few pictures by a busy reader, whose turn has to come; a reader that is away is waited for some minutes",
    start_to_close=_LONGEST_LOOK, attempts=12, first_wait=timedelta(seconds=3), heartbeat=_ALIVE,
)  # fmt: skip
VALIDATE_BRIEFLY = Step(
    "validate_video_is_soccer", LookAtClip, Sighting,
    reason="the reader was away for the clip before this one; the link is taken up again later",
    start_to_close=_LONGEST_LOOK, attempts=2, first_wait=timedelta(seconds=3), heartbeat=_ALIVE,
)  # fmt: skip
HASH = Step(
    "generate_video_hash", LookAtClip, ClipHash,
    reason="one pass over the clip, after others where few are made at once; a full disk or an outage is waited out",
    start_to_close=timedelta(minutes=10), attempts=_PATIENT, first_wait=_TWO, heartbeat=_ALIVE,
)  # fmt: skip
QUEUE = Step(
    "queue_videos_for_upload", QueueVideos, bool,
    reason="the delivery of the attempt; a goal is complete only after all of them",
    start_to_close=timedelta(seconds=60), attempts=_PATIENT, first_wait=_TWO, at_hand=True,
)  # fmt: skip
CLEAN_UP = Step(
    "cleanup_download_temp", CleanUpDownload, bool,
    reason="small leftovers; the sweep of the scratch area takes what stays",
    start_to_close=_THIRTY, attempts=2, first_wait=_TWO, at_hand=True,
)  # fmt: skip
