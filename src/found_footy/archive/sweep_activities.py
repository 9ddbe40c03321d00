"""The nightly sweep's activities."""

from temporalio import activity

from found_footy.archive.sweep import Sweeper
from found_footy.archive.sweep_messages import Settle, SweepOrder, Swept
from found_footy.archive.sweep_metrics import count


class SweepActivities:
    def __init__(self, sweeper: Sweeper) -> None:
        self._sweeper = sweeper

    @activity.defn(name="sweep_objects")
    async def sweep_objects(self, order: SweepOrder) -> Swept:
        return count(await self._sweeper.sweep(order, activity.heartbeat))

    @activity.defn(name="settle_trash")
    async def settle_trash(self, order: Settle) -> Swept:
        return count(await self._sweeper.settle(order, activity.heartbeat))
