"""Activity options of the nightly sweep: timeouts, attempts, and the reason for them."""

from datetime import timedelta

from found_footy.archive.maintenance.messages import EmptyTrash, SweepRequest, SweepResult
from found_footy.platform.temporal import ActivityCall

_HEARTBEAT_TIMEOUT = timedelta(minutes=2)

SWEEP_OBJECTS = ActivityCall(
    "sweep_objects",
    SweepRequest,
    SweepResult,
    reason="a walk over every object; what one try leaves the next one takes, and then the next night",
    start_to_close_timeout=timedelta(hours=2),
    maximum_attempts=5,
    initial_interval=timedelta(seconds=30),
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
SETTLE_TRASH = ActivityCall(
    "settle_trash",
    EmptyTrash,
    SweepResult,
    reason="brings back what a record needs, so it holds out; the next night looks again",
    start_to_close_timeout=timedelta(hours=1),
    maximum_attempts=35,
    heartbeat_timeout=_HEARTBEAT_TIMEOUT,
)
