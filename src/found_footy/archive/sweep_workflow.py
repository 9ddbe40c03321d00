"""SweepWorkflow: every night, move what nothing needs to the trash, wait, look once more, and empty it."""

from dataclasses import replace

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from found_footy.archive.sweep_messages import SWEEP_WORKFLOW, Settle, SweepOrder, Swept
    from found_footy.archive.sweep_policies import SETTLE_TRASH, SWEEP_OBJECTS


@workflow.defn(name=SWEEP_WORKFLOW)
class SweepWorkflow:
    @workflow.run
    async def run(self, order: SweepOrder) -> Swept:
        swept = await SWEEP_OBJECTS(order)
        await workflow.sleep(order.rest)
        settled = await SETTLE_TRASH(Settle(order.rest))
        return replace(swept, deleted=settled.deleted, restored=settled.restored)
