"""ReconcileUploadsWorkflow: compares the bucket with the rows, and repairs what no notification told about."""

from dataclasses import replace

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from found_footy.platform.temporal.steps import run_step
    from found_footy.uploads.messages import RECONCILE_UPLOADS_WORKFLOW, ReconcileReport, ReconcileUploads
    from found_footy.uploads.steps import ReconcileSteps


@workflow.defn(name=RECONCILE_UPLOADS_WORKFLOW)
class ReconcileUploadsWorkflow:
    @workflow.run
    async def run(self, request: ReconcileUploads) -> ReconcileReport:
        report = await run_step(ReconcileSteps.reconcile_uploads, request)
        swept = await run_step(ReconcileSteps.sweep_previews, request)
        return replace(report, previews_deleted=swept.deleted)
