"""A local step that takes longer than a workflow task may keeps its task alive and is executed once."""

import asyncio
from typing import Protocol
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from found_footy.platform.temporal.client import TypedErrorInterceptor
    from found_footy.platform.temporal.steps import run_step, step
    from tests.support.patience import PATIENCE

LONG = PATIENCE
# Longer than Temporal's task timeout, which the product leaves as it is.
SLOW_SECONDS = 12.0
done: list[str] = []


class SlowSteps(Protocol):
    @step(reason="a slow database", start_to_close_timeout=LONG, maximum_attempts=3, local=True)
    async def take_long(self, name: str) -> bool: ...


class SlowActivities(SlowSteps):
    @activity.defn
    async def take_long(self, name: str) -> bool:
        done.append(name)
        await asyncio.sleep(SLOW_SECONDS)
        return True


@workflow.defn
class SlowStepWorkflow:
    @workflow.run
    async def run(self, name: str) -> bool:
        return await run_step(SlowSteps.take_long, name)


async def test_a_local_step_outlasts_the_task_timeout(temporal: Client) -> None:
    queue = f"test-{uuid4().hex}"
    async with Worker(
        temporal,
        task_queue=queue,
        workflows=[SlowStepWorkflow],
        activities=[SlowActivities().take_long],
        interceptors=[TypedErrorInterceptor()],
    ):
        handle = await temporal.start_workflow(
            SlowStepWorkflow.run, queue, id=queue, task_queue=queue, execution_timeout=LONG
        )
        assert await handle.result()
        kinds = {event.event_type async for event in handle.fetch_history_events()}
    assert done == [queue]
    assert EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT not in kinds
