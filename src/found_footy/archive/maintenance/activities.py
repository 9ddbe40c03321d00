"""The nightly sweep's activities."""

from temporalio import activity

from found_footy.archive.maintenance.messages import EmptyTrash, SweepRequest, SweepResult
from found_footy.archive.maintenance.metrics import record_sweep
from found_footy.archive.maintenance.sweep import ObjectSweeper


class SweepActivities:
    def __init__(self, sweeper: ObjectSweeper) -> None:
        self._sweeper = sweeper

    @activity.defn(name="sweep_objects")
    async def sweep_objects(self, request: SweepRequest) -> SweepResult:
        return record_sweep(await self._sweeper.sweep(request, activity.heartbeat))

    @activity.defn(name="settle_trash")
    async def settle_trash(self, request: EmptyTrash) -> SweepResult:
        return record_sweep(await self._sweeper.empty_trash(request, activity.heartbeat))
