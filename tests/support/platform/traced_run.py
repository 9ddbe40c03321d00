"""A process with traces, as its own because OpenTelemetry allows one tracer provider per process.

A workflow that nobody's span has started, as a schedule does, runs an activity that starts a second workflow; an
activity of that one fails once.

    python -m tests.support.platform.traced_run TEMPORAL_ADDRESS NAMESPACE RECEIVER
"""

import asyncio
import sys
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.platform.errors import Unavailable
from found_footy.platform.logs import ActionLogger, configure_logging
from found_footy.platform.settings.groups import TracingSettings
from found_footy.platform.temporal.client import TypedErrorInterceptor, connect
from found_footy.platform.tracing import trace_process

SECRET = "hunter2"
_TIMEOUT = timedelta(minutes=2)

logger = ActionLogger(__name__)


@workflow.defn
class FirstWorkflow:
    @workflow.run
    async def run(self) -> None:
        logger.info("first", action="first_began")
        await workflow.execute_activity("start_second", start_to_close_timeout=_TIMEOUT)
        await workflow.sleep(0.01)
        logger.info("first", action="first_ended")


@workflow.defn
class SecondWorkflow:
    @workflow.run
    async def run(self) -> None:
        logger.info("second", action="second_began")
        retry = RetryPolicy(initial_interval=timedelta(milliseconds=1), maximum_attempts=2)
        await workflow.execute_activity("fail_once", start_to_close_timeout=_TIMEOUT, retry_policy=retry)


@dataclass
class TracedActivities:
    client: Client
    queue: str

    @activity.defn
    async def start_second(self) -> None:
        logger.info("starting", action="second_started")
        handle = await self.client.start_workflow(
            SecondWorkflow.run, id=f"second-{uuid4().hex}", task_queue=self.queue, run_timeout=_TIMEOUT
        )
        await handle.result()

    @activity.defn
    async def fail_once(self) -> None:
        if activity.info().attempt == 1:
            raise Unavailable("the store", f"no answer of http://somebody:{SECRET}@127.0.0.1/clips")


async def run(address: str, namespace: str, receiver: str) -> None:
    configure_logging("INFO", "json", "traced")
    with trace_process(TracingSettings(endpoint=receiver), "worker") as interceptors:
        async with (
            connect(address, namespace) as plain,
            connect(address, namespace, interceptors=interceptors) as client,
        ):
            activities = TracedActivities(client, f"traced-{uuid4().hex}")
            worker = Worker(
                client,
                task_queue=activities.queue,
                workflows=[FirstWorkflow, SecondWorkflow],
                activities=[activities.start_second, activities.fail_once],
                workflow_runner=UnsandboxedWorkflowRunner(),
                interceptors=[TypedErrorInterceptor()],
                # Every task replays the run from its beginning.
                max_cached_workflows=0,
            )
            async with worker:
                await plain.execute_workflow(
                    FirstWorkflow.run,
                    id=f"first-{uuid4().hex}",
                    task_queue=activities.queue,
                    run_timeout=_TIMEOUT,
                )


if __name__ == "__main__":
    asyncio.run(run(*sys.argv[1:]))
