"""Activities of the nightly sweep as its workflow calls them: timeouts, attempts, and the reason for them."""

from datetime import timedelta
from typing import Protocol

from found_footy.archive.maintenance.messages import EmptyTrash, SweepRequest, SweepResult
from found_footy.platform.temporal.steps import OUTAGE_ATTEMPTS, step

_HEARTBEAT_TIMEOUT = timedelta(minutes=2)


class SweepSteps(Protocol):
    @step(
        reason="reads every object; the next attempt or the next night deletes what one attempt leaves",
        start_to_close_timeout=timedelta(hours=2),
        maximum_attempts=5,
        initial_interval=timedelta(seconds=30),
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def sweep_objects(self, request: SweepRequest) -> SweepResult: ...

    @step(
        reason="restores objects that a record refers to, so it retries for long; the next night repeats it",
        start_to_close_timeout=timedelta(hours=1),
        maximum_attempts=OUTAGE_ATTEMPTS,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def settle_trash(self, request: EmptyTrash) -> SweepResult: ...
