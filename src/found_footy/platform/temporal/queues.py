"""Backlog and pollers of a Temporal task queue."""

from dataclasses import dataclass
from datetime import UTC, timedelta

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Unavailable

_CALL_TIMEOUT = timedelta(seconds=10)
# A worker polls again after a minute at the latest.
_POLLER_TIMEOUT = timedelta(seconds=75)


@dataclass(frozen=True)
class TaskQueueDepth:
    """The state of one task type in a queue. The backlog is approximate and may be some seconds old. `pollers` are
    those that polled lately. `listed_pollers` are all that Temporal lists, a killed one for five minutes; a worker
    whose slots are all taken does not poll and is only listed.
    """

    backlog: int
    backlog_age: timedelta
    add_rate: float
    dispatch_rate: float
    pollers: int
    listed_pollers: int


@dataclass(frozen=True)
class TaskQueueBacklog:
    workflow: TaskQueueDepth
    activity: TaskQueueDepth

    @property
    def total(self) -> int:
        return self.workflow.backlog + self.activity.backlog


async def fetch_backlog(client: Client, queue: str) -> TaskQueueBacklog:
    """Fetch backlog and pollers of the task queue. Raises Unavailable if Temporal does not answer."""
    return TaskQueueBacklog(
        workflow=await _fetch_depth(client, queue, TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW),
        activity=await _fetch_depth(client, queue, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY),
    )


async def _fetch_depth(client: Client, queue: str, kind: TaskQueueType.ValueType) -> TaskQueueDepth:
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=kind,
        report_stats=True,
        report_pollers=True,
    )
    try:
        answer = await client.workflow_service.describe_task_queue(request, timeout=_CALL_TIMEOUT)
    except RPCError as error:
        raise Unavailable("Temporal", f"task queue {queue}: {error}") from error
    stats, now = answer.stats, utc_now()
    return TaskQueueDepth(
        backlog=stats.approximate_backlog_count,
        backlog_age=stats.approximate_backlog_age.ToTimedelta(),
        add_rate=stats.tasks_add_rate,
        dispatch_rate=stats.tasks_dispatch_rate,
        pollers=sum(now - each.last_access_time.ToDatetime(UTC) < _POLLER_TIMEOUT for each in answer.pollers),
        listed_pollers=len(answer.pollers),
    )
