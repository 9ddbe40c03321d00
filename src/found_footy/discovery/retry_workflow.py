"""RetryWorkflow: starts downloads for open candidates that are due for a retry."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from found_footy.discovery.messages import PostponeRetries, RetryRequest, RetrySummary, RetryTime, StartDownload
    from found_footy.discovery.steps import DownloadStartSteps, RetrySteps
    from found_footy.domain.messages import RETRY_WORKFLOW
    from found_footy.platform.temporal.steps import run_step


@workflow.defn(name=RETRY_WORKFLOW)
class RetryWorkflow:
    """Started by a schedule. Open candidates are stored in MongoDB, so a lost run costs only minutes: goals are
    postponed for long only after their downloads have started.
    """

    @workflow.run
    async def run(self, order: RetryRequest) -> RetrySummary:
        taken_up = await run_step(RetrySteps.take_up_open_links, order)
        for download in taken_up.downloads:
            await run_step(
                DownloadStartSteps.start_download_workflow, StartDownload(download.download_id, download.work)
            )
        if taken_up.downloads:
            looks = (RetryTime(download.work.goal.event_id, download.next_at) for download in taken_up.downloads)
            await run_step(RetrySteps.postpone_open_links, PostponeRetries(tuple(looks)))
        return RetrySummary(len(taken_up.downloads), taken_up.settled, taken_up.failed)
