"""The lines of workflows and activities as they leave a worker of a real Temporal server."""

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from found_footy.platform import logs
    from found_footy.platform.errors import Unavailable
    from found_footy.platform.temporal.client import TypedErrorInterceptor
    from tests.support.patience import PATIENCE

LONG = PATIENCE
GOAL = "7_40_19_Goal_1"

log = logs.ActionLogger("found_footy.tests.kick")


@dataclass(frozen=True)
class Match:
    fixture_id: int
    event_id: str


@dataclass(frozen=True)
class Kick:
    goal: Match


@activity.defn
async def shoot(kick: Kick) -> str:
    log.info("shot", action="shoot", corner="left")
    logging.getLogger("found_footy.tests.deep").info("deep inside", extra={"action": "deep"})
    return kick.goal.event_id


@activity.defn
async def slip(_: Kick) -> None:
    if activity.info().attempt == 1:
        raise Unavailable("pitch", "wet")
    raise ValueError("nobody foresaw this")


@workflow.defn
class LoggingWorkflow:
    @workflow.run
    async def run(self, kick: Kick) -> None:
        log.info("before", action="started")
        for _ in range(2):
            await workflow.execute_activity(shoot, kick, start_to_close_timeout=LONG)
        await workflow.sleep(0.01)
        log.info("after", action="ended")

    @workflow.signal
    def whistle(self, kick: Kick) -> None:
        log.info("heard", action="whistled")


@workflow.defn
class FailingWorkflow:
    @workflow.run
    async def run(self, kick: Kick) -> None:
        twice = RetryPolicy(maximum_attempts=2, initial_interval=timedelta(milliseconds=10))
        await workflow.execute_activity(slip, kick, start_to_close_timeout=LONG, retry_policy=twice)


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    logs.configure_logging("INFO", "json", "worker", stream)
    yield stream
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


async def lines_of(
    temporal: Client, stream: io.StringIO, kind: Any, **options: Any
) -> tuple[str, list[dict[str, Any]]]:
    """Run the workflow with an empty cache, so that every step is a replay of all before it."""
    queue = f"test-{uuid4().hex}"
    async with Worker(
        temporal,
        task_queue=queue,
        workflows=[LoggingWorkflow, FailingWorkflow],
        activities=[shoot, slip],
        interceptors=[TypedErrorInterceptor()],
        max_cached_workflows=0,
    ):
        handle = await temporal.start_workflow(
            kind.run, Kick(Match(7, GOAL)), id=queue, task_queue=queue, execution_timeout=LONG, **options
        )
        try:
            await handle.result()
        except Exception:  # noqa: BLE001  how it ends is not asked here
            assert kind is FailingWorkflow
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    return queue, [line for line in lines if not line["module"].startswith("temporalio.worker")]


async def test_a_workflows_lines_name_module_action_and_goal_and_are_written_once(
    temporal: Client, stream: io.StringIO
) -> None:
    signal = {"start_signal": "whistle", "start_signal_args": [Kick(Match(7, GOAL))]}
    workflow_id, lines = await lines_of(temporal, stream, LoggingWorkflow, **signal)
    own = [line for line in lines if "workflow" in line]
    assert sorted((line["action"], line["msg"]) for line in own) == [
        ("ended", "after"),
        ("started", "before"),
        ("whistled", "heard"),
    ]
    for line in own:
        assert line["module"] == "found_footy.tests.kick"
        assert (line["event_id"], line["fixture_id"]) == (GOAL, 7)
        assert (line["workflow"], line["workflow_id"], line["attempt"]) == ("LoggingWorkflow", workflow_id, 1)


async def test_an_activitys_lines_name_the_goal_even_deep_inside(temporal: Client, stream: io.StringIO) -> None:
    workflow_id, lines = await lines_of(temporal, stream, LoggingWorkflow)
    shots = [line for line in lines if line["action"] in {"shoot", "deep"}]
    assert [line["module"] for line in shots] == ["found_footy.tests.kick", "found_footy.tests.deep"] * 2
    for line in shots:
        assert (line["event_id"], line["fixture_id"], line["activity"]) == (GOAL, 7, "shoot")
        assert (line["workflow_id"], line["attempt"]) == (workflow_id, 1)
    assert shots[0]["corner"] == "left"


async def test_a_failure_is_logged_once_with_fields_and_a_trace_only_for_programming_errors(
    temporal: Client, stream: io.StringIO
) -> None:
    _, lines = await lines_of(temporal, stream, FailingWorkflow)
    assert [line["action"] for line in lines] == ["activity_failed", "activity_crashed", "workflow_failed"]
    failed, crashed, ended = lines
    assert "error_trace" not in failed
    assert "nobody foresaw this" in crashed["error_trace"]
    assert all(line["event_id"] == GOAL and "{" not in line["msg"] for line in lines)
    assert (failed["attempt"], crashed["attempt"]) == (1, 2)
    assert (ended["module"], ended["workflow"]) == ("found_footy.platform.temporal.client", "FailingWorkflow")
