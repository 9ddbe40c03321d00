"""How long the nightly sweep's steps may take, how often they are tried, and why."""

from datetime import timedelta

from found_footy.archive.sweep_messages import Settle, SweepOrder, Swept
from found_footy.platform.temporal import Step

_HEARTBEAT = timedelta(minutes=2)

SWEEP_OBJECTS = Step(
    "sweep_objects", SweepOrder, Swept,
    reason="a walk over every object; what one try leaves the next one takes, and then the next night",
    start_to_close=timedelta(hours=2), attempts=5, first_wait=timedelta(seconds=30), heartbeat=_HEARTBEAT,
)  # fmt: skip
SETTLE_TRASH = Step(
    "settle_trash", Settle, Swept,
    reason="brings back what a record needs, so it holds out; the next night looks again",
    start_to_close=timedelta(hours=1), attempts=35, heartbeat=_HEARTBEAT,
)  # fmt: skip
