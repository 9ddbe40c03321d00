"""Temporal: schedules that are never doubled, backlogs, and failures logged with their cause."""

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleIntervalSpec,
    ScheduleSpec,
    WorkflowFailureError,
)
from temporalio.common import RetryPolicy
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.platform.errors import Denied, Unavailable
from found_footy.platform.temporal import client as platform_temporal
from found_footy.platform.temporal.client import TypedErrorInterceptor, connect, describe_root_cause
from found_footy.platform.temporal.queues import fetch_backlog
from found_footy.platform.temporal.schedules import ensure_schedule
from tests.support.patience import PATIENCE

LONG = PATIENCE


def every(interval: timedelta, queue: str) -> Schedule:
    """A schedule whose workflow nobody runs."""
    action = ScheduleActionStartWorkflow("NobodysWorkflow", id=f"{queue}-run", task_queue=queue)
    return Schedule(action=action, spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=interval)]))


async def test_a_schedule_is_created_then_updated_and_never_doubled(temporal: Client) -> None:
    name = f"test-{uuid4().hex}"
    for interval in (timedelta(hours=1), timedelta(hours=1), timedelta(hours=2)):
        await ensure_schedule(temporal, name, every(interval, name))
    found = await temporal.get_schedule_handle(name).describe()
    assert [spec.every for spec in found.schedule.spec.intervals] == [timedelta(hours=2)]
    await temporal.get_schedule_handle(name).delete()


async def test_a_schedule_that_a_person_paused_stays_paused(temporal: Client) -> None:
    name = f"test-{uuid4().hex}"
    await ensure_schedule(temporal, name, every(timedelta(hours=1), name))
    handle = temporal.get_schedule_handle(name)
    await handle.pause(note="maintenance")
    await ensure_schedule(temporal, name, every(timedelta(hours=2), name))
    found = (await handle.describe()).schedule
    assert (found.state.paused, found.state.note) == (True, "maintenance")
    assert found.spec.intervals[0].every == timedelta(hours=2)
    await handle.delete()


async def test_two_processes_that_start_at_once_make_one_schedule(temporal: Client) -> None:
    name = f"test-{uuid4().hex}"
    await asyncio.gather(*(ensure_schedule(temporal, name, every(timedelta(hours=1), name)) for _ in range(4)))
    await temporal.get_schedule_handle(name).describe()
    await temporal.get_schedule_handle(name).delete()


async def test_what_waits_in_a_queue_is_counted(temporal: Client, eventually: Callable[..., Any]) -> None:
    queue = f"test-{uuid4().hex}"
    assert (await fetch_backlog(temporal, queue)).total == 0
    handles = [await temporal.start_workflow("NobodysWorkflow", id=f"{queue}-{n}", task_queue=queue) for n in range(3)]

    async def all_counted() -> bool:
        return (await fetch_backlog(temporal, queue)).workflow.backlog == 3

    await eventually(all_counted, 30)
    depth = await fetch_backlog(temporal, queue)
    assert (depth.total, depth.activity.backlog, depth.workflow.pollers) == (3, 0, 0)
    assert depth.workflow.backlog_age > timedelta(0)
    for handle in handles:
        await handle.terminate()


async def test_a_dead_port_is_unavailable_and_named(dead_port: int) -> None:
    with pytest.raises(Unavailable, match=rf"Temporal: no answer at 127\.0\.0\.1:{dead_port}"):
        async with connect(f"127.0.0.1:{dead_port}", "default"):
            pytest.fail("nobody is there")


async def test_a_server_that_never_answers_is_unavailable(black_hole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform_temporal, "_CONNECT_TIMEOUT", timedelta(milliseconds=300))
    with pytest.raises(Unavailable, match="no answer"):
        async with connect(f"127.0.0.1:{black_hole}", "default"):
            pytest.fail("nobody answered")


@activity.defn
async def knock() -> None:
    raise Denied("door", "locked from inside")


@workflow.defn(sandboxed=False)
class ChildWorkflow:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(
            knock, start_to_close_timeout=LONG, retry_policy=RetryPolicy(maximum_attempts=3)
        )


@workflow.defn(sandboxed=False)
class ParentWorkflow:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_child_workflow(ChildWorkflow.run, id=f"{workflow.info().workflow_id}-visit")


@workflow.defn(sandboxed=False)
class Wait:
    @workflow.run
    async def run(self) -> None:
        await asyncio.Event().wait()


async def run(temporal: Client, kind: Any, cancel: bool = False) -> WorkflowFailureError:
    queue = f"test-{uuid4().hex}"
    async with Worker(
        temporal,
        task_queue=queue,
        workflows=[ChildWorkflow, ParentWorkflow, Wait],
        activities=[knock],
        interceptors=[TypedErrorInterceptor()],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        handle = await temporal.start_workflow(kind.run, id=queue, task_queue=queue, execution_timeout=LONG)
        if cancel:
            await handle.cancel()
        with pytest.raises(WorkflowFailureError) as caught:
            await handle.result()
        return caught.value


def failures(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str]]:
    records = [vars(record) for record in caplog.records if vars(record).get("action") == "workflow_failed"]
    return [(record["workflow"], record["error"], record["message"]) for record in records]


async def test_an_error_keeps_its_class_between_processes_and_is_not_retried(temporal: Client) -> None:
    error = await run(temporal, ChildWorkflow)
    assert describe_root_cause(error) == "Denied: door: locked from inside"


async def test_a_failed_workflow_is_logged_with_the_innermost_cause(
    temporal: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        await run(temporal, ParentWorkflow)
    assert [(kind, error) for kind, error, _ in failures(caplog)] == [
        ("ChildWorkflow", "Denied"),
        ("ParentWorkflow", "Denied"),
    ]
    assert all("door: locked from inside" in message for *_, message in failures(caplog))


async def test_a_cancelled_workflow_is_not_logged_as_failed(temporal: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await run(temporal, Wait, cancel=True)
    assert failures(caplog) == []
