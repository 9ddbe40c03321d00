"""NotifyWorkflow: records the moments of goals that are new, then sends the messages that are due."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from found_footy.notify.messages import NOTIFY_WORKFLOW, NotifyRequest, NotifySummary, SendRequest
    from found_footy.notify.steps import NotifySteps
    from found_footy.platform.temporal.steps import run_step


@workflow.defn(name=NOTIFY_WORKFLOW)
class NotifyWorkflow:
    """Started by a schedule. All progress is in MongoDB, so a lost run costs only its interval."""

    @workflow.run
    async def run(self, request: NotifyRequest) -> NotifySummary:
        recorded = await run_step(NotifySteps.record_moments, request)
        sent = await run_step(NotifySteps.send_messages, SendRequest())
        return NotifySummary(recorded, sent)
