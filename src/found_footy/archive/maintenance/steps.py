"""Activities of the nightly sweep as its workflow calls them: timeouts, attempts, and the reason for them."""

from datetime import timedelta
from typing import Protocol

from found_footy.archive.maintenance.messages import EmptyTrash, SweepRequest, SweepResult
from found_footy.platform.temporal_steps import step

_HEARTBEAT_TIMEOUT = timedelta(minutes=2)


class SweepSteps(Protocol):
    @step(
        reason="a walk over every object; what one try leaves the next one takes, and then the next night",
        start_to_close_timeout=timedelta(hours=2),
        maximum_attempts=5,
        initial_interval=timedelta(seconds=30),
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def sweep_objects(self, request: SweepRequest) -> SweepResult: ...

    @step(
        reason="brings back what a record needs, so it holds out; the next night looks again",
        start_to_close_timeout=timedelta(hours=1),
        maximum_attempts=35,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def settle_trash(self, request: EmptyTrash) -> SweepResult: ...
