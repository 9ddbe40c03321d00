"""A worker that is stopped: all its queues drain together; what outlives the grace period goes to another worker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.platform.heartbeat import send_heartbeats
from found_footy.worker import serve_together
from tests.support.patience import PATIENCE, PATIENCE_SECONDS

if TYPE_CHECKING:
    from temporalio.client import Client

# The matter of the test: longer than any of it takes, and never waited for where all drain together.
LONG_GRACE = timedelta(seconds=PATIENCE_SECONDS)
NO_GRACE = timedelta(seconds=0)


@workflow.defn
class CallsActivity:
    @workflow.run
    async def run(self, task_queue: str) -> int:
        attempt: int = await workflow.execute_activity(
            "hold",
            task_queue=task_queue,
            result_type=int,
            start_to_close_timeout=PATIENCE,
            heartbeat_timeout=timedelta(seconds=10),
            retry_policy=RetryPolicy(initial_interval=timedelta(milliseconds=50), maximum_attempts=5),
        )
        return attempt


class SlowActivities:
    """`started` counts runs; an activity ends when `may_end` is set, or says that its worker is stopping."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.stopping = asyncio.Event()
        self.may_end = asyncio.Event()

    @activity.defn
    async def hold(self) -> int:
        self.started.set()
        stopping = asyncio.create_task(self._notice_stop())
        try:
            async with send_heartbeats():
                await self.may_end.wait()
        finally:
            stopping.cancel()
        return activity.info().attempt

    async def _notice_stop(self) -> None:
        await activity.wait_for_worker_shutdown()
        self.stopping.set()


def worker_of(client: "Client", queue: str, slow: SlowActivities, grace: timedelta) -> Worker:
    return Worker(client, task_queue=queue, activities=[slow.hold], graceful_shutdown_timeout=grace)


@asynccontextmanager
async def orchestrating(client: "Client") -> AsyncIterator[str]:
    """A worker for workflows alone, which lives longer than the others; yields its queue."""
    queue = f"orders-{uuid4().hex}"
    async with Worker(client, task_queue=queue, workflows=[CallsActivity], workflow_runner=UnsandboxedWorkflowRunner()):
        yield queue


async def test_all_queues_stop_polling_at_once_and_running_activities_end(temporal: "Client") -> None:
    """Each activity ends only when the other's worker is stopping, too."""
    first, second = SlowActivities(), SlowActivities()
    first.may_end, second.may_end = second.stopping, first.stopping
    queues = [f"slow-{uuid4().hex}" for _ in range(2)]
    async with orchestrating(temporal) as orders:
        async with serve_together(
            [worker_of(temporal, queue, slow, LONG_GRACE) for queue, slow in zip(queues, (first, second), strict=True)]
        ):
            handles = [
                await temporal.start_workflow(CallsActivity.run, queue, id=f"hold-{uuid4().hex}", task_queue=orders)
                for queue in queues
            ]
            async with asyncio.timeout(PATIENCE_SECONDS):
                await asyncio.gather(first.started.wait(), second.started.wait())
        assert [await handle.result() for handle in handles] == [1, 1]


async def test_an_activity_that_outlives_the_grace_period_is_done_by_another_worker(temporal: "Client") -> None:
    queue, first, second = f"slow-{uuid4().hex}", SlowActivities(), SlowActivities()
    second.may_end.set()
    async with orchestrating(temporal) as orders:
        async with serve_together([worker_of(temporal, queue, first, NO_GRACE)]):
            handle = await temporal.start_workflow(
                CallsActivity.run, queue, id=f"hold-{uuid4().hex}", task_queue=orders
            )
            async with asyncio.timeout(PATIENCE_SECONDS):
                await first.started.wait()
        assert not first.may_end.is_set()
        async with serve_together([worker_of(temporal, queue, second, LONG_GRACE)]):
            assert await asyncio.wait_for(handle.result(), PATIENCE_SECONDS) > 1
