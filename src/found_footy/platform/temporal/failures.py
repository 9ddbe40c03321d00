"""Workflows that failed, and their start from the beginning."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import Client, WorkflowHandle, WorkflowHistoryEventFilterType
from temporalio.client import WorkflowExecution as ListedWorkflow
from temporalio.service import RPCError, RPCStatusCode

from found_footy.platform.errors import Conflict, NotFound, Unavailable

_CALL_TIMEOUT = timedelta(seconds=10)
_MAX_CAUSE_LENGTH = 500
# The first task of a workflow ends within its first events, however often it was tried again.
_MAX_EVENTS_READ = 50
_TASK_ENDS = frozenset(
    {
        EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
        EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
        EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
    }
)


@dataclass(frozen=True)
class FailedWorkflow:
    workflow_id: str
    run_id: str
    workflow_type: str
    status: str
    cause: str
    closed_at: datetime | None


async def list_failed_workflows(client: Client, since: datetime, limit: int) -> list[FailedWorkflow]:
    """The runs that failed or ran out of time since then, the newest first. Raises Unavailable if Temporal does not
    answer.
    """
    query = f'ExecutionStatus IN ("Failed", "TimedOut") AND CloseTime > "{since.isoformat()}"'
    try:
        listed = client.list_workflows(query, limit=limit, rpc_timeout=_CALL_TIMEOUT)
        return [await _describe_run(client, run) async for run in listed]
    except RPCError as error:
        raise Unavailable("Temporal", f"failed workflows: {error}") from error


async def _describe_run(client: Client, run: ListedWorkflow) -> FailedWorkflow:
    status = run.status.name.replace("_", " ").lower() if run.status else ""
    cause = await _read_cause(client.get_workflow_handle(run.id, run_id=run.run_id))
    return FailedWorkflow(run.id, run.run_id, run.workflow_type, status, cause or status, run.close_time)


async def _read_cause(handle: "WorkflowHandle[object, object]") -> str:
    """The texts of the failure that ended the run, from the outermost to its cause."""
    closing = handle.fetch_history_events(
        event_filter_type=WorkflowHistoryEventFilterType.CLOSE_EVENT, rpc_timeout=_CALL_TIMEOUT
    )
    async for event in closing:
        return ": ".join(_list_messages(event.workflow_execution_failed_event_attributes.failure))[:_MAX_CAUSE_LENGTH]
    return ""


def _list_messages(failure: Failure) -> list[str]:
    messages: list[str] = []
    while failure.message or failure.HasField("cause"):
        messages += [failure.message] if failure.message and failure.message not in messages else []
        failure = failure.cause
    return messages


async def restart_workflow(client: Client, workflow_id: str, run_id: str, reason: str) -> str:
    """Run a failed workflow again from its beginning, with the input it had; returns the id of the new run. Raises
    NotFound if Temporal no longer has the run, Conflict if a newer run of it is under way.
    """
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    try:
        newest = await client.get_workflow_handle(workflow_id).describe(rpc_timeout=_CALL_TIMEOUT)
        if newest.run_id != run_id:
            raise Conflict(f"the workflow {workflow_id} has run again since")
        request = ResetWorkflowExecutionRequest(
            namespace=client.namespace,
            workflow_execution=WorkflowExecution(workflow_id=workflow_id, run_id=run_id),
            reason=reason,
            workflow_task_finish_event_id=await _find_first_task_end(handle),
            request_id=uuid4().hex,
        )
        answer = await client.workflow_service.reset_workflow_execution(request, timeout=_CALL_TIMEOUT)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise NotFound(f"the workflow {workflow_id} is no longer known to Temporal") from error
        raise Unavailable("Temporal", f"{workflow_id}: {error}") from error
    return answer.run_id


async def _find_first_task_end(handle: "WorkflowHandle[object, object]") -> int:
    event: HistoryEvent
    read = 0
    async for event in handle.fetch_history_events(page_size=_MAX_EVENTS_READ, rpc_timeout=_CALL_TIMEOUT):
        read += 1
        if event.event_type in _TASK_ENDS:
            return event.event_id
        if read >= _MAX_EVENTS_READ:
            break
    raise NotFound("the workflow ended before its first step, so there is nothing to run again")
