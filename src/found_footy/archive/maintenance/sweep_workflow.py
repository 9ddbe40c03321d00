"""SweepWorkflow: every night, moves unneeded objects to the trash, waits, checks again, and empties the trash."""

from dataclasses import replace

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from found_footy.archive.maintenance.messages import SWEEP_WORKFLOW, EmptyTrash, SweepRequest, SweepResult
    from found_footy.archive.maintenance.steps import SETTLE_TRASH, SWEEP_OBJECTS


@workflow.defn(name=SWEEP_WORKFLOW)
class SweepWorkflow:
    @workflow.run
    async def run(self, request: SweepRequest) -> SweepResult:
        swept = await SWEEP_OBJECTS(request)
        await workflow.sleep(request.trash_retention)
        settled = await SETTLE_TRASH(EmptyTrash(request.trash_retention))
        return replace(swept, deleted=settled.deleted, restored=settled.restored)
