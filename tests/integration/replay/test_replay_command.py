"""`found-footy replay`: recorded and running histories against this build."""

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.cli import console, replay
from found_footy.platform.errors import BadInput
from found_footy.platform.temporal.replay import fetch_open_histories, read_histories, replay_histories
from tests.support.histories import HISTORIES
from tests.support.pipeline.services import until

if TYPE_CHECKING:
    from temporalio.client import Client


def test_the_recorded_histories_of_this_build_replay(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay.command(HISTORIES, limit=1) == console.OK
    assert f"{len(list(HISTORIES.glob('*.json')))} histories, 0 do not replay" in capsys.readouterr().out


def test_a_history_that_this_build_cannot_continue_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(HISTORIES / "sweep.json", tmp_path)
    history = json.loads((HISTORIES / "download.json").read_text())
    scheduled = next(event for event in history["events"] if event["eventType"].endswith("ACTIVITY_TASK_SCHEDULED"))
    scheduled["activityTaskScheduledEventAttributes"]["activityType"]["name"] = "an_activity_of_another_build"
    (tmp_path / "changed.json").write_text(json.dumps(history))
    history = json.loads((HISTORIES / "sweep.json").read_text())
    history["events"][0]["workflowExecutionStartedEventAttributes"]["workflowType"]["name"] = "ForeignWorkflow"
    (tmp_path / "foreign.json").write_text(json.dumps(history))
    assert replay.command(tmp_path, limit=1) == console.FAILED
    said = capsys.readouterr()
    assert "3 histories, 2 do not replay" in said.out
    assert "DownloadWorkflow changed: " in said.err
    assert "ForeignWorkflow foreign: " in said.err
    assert "SweepWorkflow sweep: " not in said.err


@pytest.mark.parametrize("content", [None, "no json", "{}", '{"events": []}', '{"events": [{"eventType": 7}]}'])
def test_a_folder_without_histories_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "one.json").write_text(content)
    with pytest.raises(BadInput):
        read_histories(tmp_path)


@workflow.defn(name="WaitingWorkflow")
class WaitingWorkflow:
    @workflow.run
    async def run(self) -> None:
        await workflow.sleep(timedelta(minutes=5))


@workflow.defn(name="WaitingWorkflow")
class ImpatientWorkflow:
    """Does not wait any more: a change that running workflows cannot take."""

    @workflow.run
    async def run(self) -> None:
        return


async def test_running_workflows_are_replayed_from_the_server(temporal: "Client") -> None:
    queue, run_id = f"replay-{uuid4().hex}", f"waiting-{uuid4().hex}"
    async with Worker(
        temporal, task_queue=queue, workflows=[WaitingWorkflow], workflow_runner=UnsandboxedWorkflowRunner()
    ):
        handle = await temporal.start_workflow(WaitingWorkflow.run, id=run_id, task_queue=queue)

        async def is_waiting() -> bool:
            return any(
                event.HasField("timer_started_event_attributes") for event in (await handle.fetch_history()).events
            )

        await until(is_waiting)

        async def fetch_failures(kind: type) -> dict[str, str]:
            outcomes = replay_histories([kind], fetch_open_histories(temporal, 1000))
            return {one.workflow_id: one.failure async for one in outcomes}

        async def is_listed() -> bool:
            return run_id in await fetch_failures(WaitingWorkflow)

        await until(is_listed)
        assert (await fetch_failures(WaitingWorkflow))[run_id] == ""
        assert "Nondeterminism" in (await fetch_failures(ImpatientWorkflow))[run_id]
        await handle.terminate()
