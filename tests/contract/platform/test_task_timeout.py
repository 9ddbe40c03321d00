"""A step at hand that takes longer than a workflow task may keeps its task alive and is done once."""

import asyncio
from datetime import timedelta
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from found_footy.platform.temporal import ActivityCall, TypedErrorInterceptor

LONG = timedelta(seconds=60)
# Longer than Temporal's task timeout, which the product leaves as it is.
SLOW_SECONDS = 12.0
done: list[str] = []


@activity.defn(name="take_long")
async def take_long(name: str) -> bool:
    done.append(name)
    await asyncio.sleep(SLOW_SECONDS)
    return True


TAKE_LONG = ActivityCall(
    "take_long", str, bool, reason="a slow database", start_to_close_timeout=LONG, maximum_attempts=3, is_local=True
)


@workflow.defn
class Patient:
    @workflow.run
    async def run(self, name: str) -> bool:
        return await TAKE_LONG(name)


async def test_a_step_at_hand_outlasts_the_task_timeout(temporal: Client) -> None:
    queue = f"test-{uuid4().hex}"
    async with Worker(
        temporal, task_queue=queue, workflows=[Patient], activities=[take_long], interceptors=[TypedErrorInterceptor()]
    ):
        handle = await temporal.start_workflow(Patient.run, queue, id=queue, task_queue=queue, execution_timeout=LONG)
        assert await handle.result()
        kinds = {event.event_type async for event in handle.fetch_history_events()}
    assert done == [queue]
    assert EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT not in kinds
