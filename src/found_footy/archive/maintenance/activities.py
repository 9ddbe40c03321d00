"""The nightly sweep's activities."""

from temporalio import activity

from found_footy.archive.maintenance.messages import EmptyTrash, SweepRequest, SweepResult
from found_footy.archive.maintenance.metrics import record_sweep
from found_footy.archive.maintenance.steps import SweepSteps
from found_footy.archive.maintenance.sweep import ObjectSweeper


class SweepActivities(SweepSteps):
    def __init__(self, sweeper: ObjectSweeper) -> None:
        self._sweeper = sweeper

    @activity.defn
    async def sweep_objects(self, request: SweepRequest) -> SweepResult:
        return record_sweep(await self._sweeper.sweep(request, activity.heartbeat))

    @activity.defn
    async def settle_trash(self, request: EmptyTrash) -> SweepResult:
        return record_sweep(await self._sweeper.empty_trash(request, activity.heartbeat))
