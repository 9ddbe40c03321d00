"""RetryWorkflow: starts downloads for open candidates that are due for a retry."""

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.workflow import ParentClosePolicy

with workflow.unsafe.imports_passed_through():
    from found_footy.discovery.messages import PostponeRetries, RetryDownload, RetryRequest, RetrySummary, RetryTime
    from found_footy.discovery.steps import RetrySteps
    from found_footy.domain.messages import DOWNLOAD_WORKFLOW, RETRY_WORKFLOW
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal_steps import run_step

logger = ActionLogger(__name__)


@workflow.defn(name=RETRY_WORKFLOW)
class RetryWorkflow:
    """Started by a schedule. Open candidates are stored in MongoDB, so a lost run costs only minutes: goals are
    postponed for long only after their downloads have started.
    """

    @workflow.run
    async def run(self, order: RetryRequest) -> RetrySummary:
        taken_up = await run_step(RetrySteps.take_up_open_links, order)
        for download in taken_up.downloads:
            await self._start_download(download)
        if taken_up.downloads:
            looks = (RetryTime(download.work.goal.event_id, download.next_at) for download in taken_up.downloads)
            await run_step(RetrySteps.postpone_open_links, PostponeRetries(tuple(looks)))
        return RetrySummary(len(taken_up.downloads), taken_up.settled, taken_up.failed)

    async def _start_download(self, download: RetryDownload) -> None:
        try:
            await workflow.start_child_workflow(
                DOWNLOAD_WORKFLOW,
                download.work,
                id=download.download_id,
                parent_close_policy=ParentClosePolicy.ABANDON,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
                execution_timeout=download.work.pace.longest_run,
            )
        except WorkflowAlreadyStartedError:
            logger.info("%s was started before", download.download_id, action="download_known")
