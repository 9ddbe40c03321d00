"""SweepWorkflow: every night, moves unneeded objects to the trash, waits, checks again, and empties the trash."""

from dataclasses import replace

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from found_footy.archive.maintenance.messages import SWEEP_WORKFLOW, EmptyTrash, SweepRequest, SweepResult
    from found_footy.archive.maintenance.steps import SweepSteps
    from found_footy.platform.temporal.steps import run_step


@workflow.defn(name=SWEEP_WORKFLOW)
class SweepWorkflow:
    @workflow.run
    async def run(self, request: SweepRequest) -> SweepResult:
        swept = await run_step(SweepSteps.sweep_objects, request)
        await workflow.sleep(request.trash_retention)
        settled = await run_step(SweepSteps.settle_trash, EmptyTrash(request.trash_retention))
        return replace(swept, deleted=settled.deleted, restored=settled.restored)
