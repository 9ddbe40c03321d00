"""Workflows that failed, on a real server: listed with their cause, and run again from the beginning."""

from datetime import timedelta
from typing import ClassVar
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Conflict, NotFound
from found_footy.platform.temporal.failures import FailedWorkflow, list_failed_workflows, restart_workflow
from tests.support.patience import Eventually

LONG = timedelta(minutes=5)


@workflow.defn(sandboxed=False)
class FailsUntilSolved:
    is_solved: ClassVar[bool] = False

    @workflow.run
    async def run(self) -> str:
        if not self.is_solved:
            raise ApplicationError("no space left on device", type="DiskFailed")
        return "done"


async def find_failed(temporal: Client, workflow_id: str) -> list[FailedWorkflow]:
    found = await list_failed_workflows(temporal, utc_now() - timedelta(hours=1), 100)
    return [one for one in found if one.workflow_id == workflow_id]


async def test_a_failed_workflow_is_listed_and_runs_again(
    temporal: Client, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"test-{uuid4().hex}"
    async with Worker(
        temporal, task_queue=name, workflows=[FailsUntilSolved], workflow_runner=UnsandboxedWorkflowRunner()
    ):
        handle = await temporal.start_workflow(FailsUntilSolved.run, id=name, task_queue=name, execution_timeout=LONG)
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        found: list[FailedWorkflow] = await eventually(lambda: find_failed(temporal, name))
        failed = found[0]
        assert (failed.workflow_type, failed.status) == ("FailsUntilSolved", "failed")
        assert failed.cause == "no space left on device"
        monkeypatch.setattr(FailsUntilSolved, "is_solved", True)
        new_run = await restart_workflow(temporal, name, failed.run_id, "a test")
        assert new_run != failed.run_id
        assert await temporal.get_workflow_handle(name).result() == "done"
        with pytest.raises(Conflict, match="has run again"):
            await restart_workflow(temporal, name, failed.run_id, "a test")


async def test_an_unknown_workflow_cannot_be_run_again(temporal: Client) -> None:
    with pytest.raises(NotFound, match="no longer known"):
        await restart_workflow(temporal, f"test-{uuid4().hex}", str(uuid4()), "a test")
