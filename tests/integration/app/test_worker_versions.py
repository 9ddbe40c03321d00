"""Old and new builds on one task queue: a run ends on the build that it began on, new runs go to the current one."""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.platform.errors import Conflict, NotFound
from found_footy.platform.temporal.queues import fetch_backlog
from found_footy.platform.temporal.versions import build_deployment, default_build, fetch_deployment, make_current
from found_footy.platform.version import build_info
from tests.support.patience import PATIENCE, PATIENCE_SECONDS
from tests.support.pipeline.services import until

if TYPE_CHECKING:
    from temporalio.client import Client


@workflow.defn(name="Versioned")
class OldWorkflow:
    """Calls an activity that only the old build has."""

    def __init__(self) -> None:
        self._may_go_on = False

    @workflow.signal
    def go_on(self) -> None:
        self._may_go_on = True

    @workflow.run
    async def run(self) -> str:
        await workflow.wait_condition(lambda: self._may_go_on)
        return await workflow.execute_activity(name_old_build, start_to_close_timeout=PATIENCE)


@workflow.defn(name="Versioned")
class NewWorkflow:
    """Incompatible with a run of the old one: no waiting, another activity."""

    @workflow.run
    async def run(self) -> str:
        return await workflow.execute_activity(name_new_build, start_to_close_timeout=PATIENCE)


@activity.defn
async def name_old_build() -> str:
    return "old"


@activity.defn
async def name_new_build() -> str:
    return "new"


def worker_of(client: "Client", queue: str, deployment: str, *, is_new: bool) -> Worker:
    return Worker(
        client,
        task_queue=queue,
        workflows=[NewWorkflow if is_new else OldWorkflow],
        activities=[name_new_build if is_new else name_old_build],
        workflow_runner=UnsandboxedWorkflowRunner(),
        deployment_config=build_deployment(deployment, "2.0-new" if is_new else "1.0-old"),
    )


async def test_each_run_ends_on_the_build_that_it_began_on(temporal: "Client") -> None:
    deployment, queue = f"footy-{uuid4().hex}", f"versioned-{uuid4().hex}"

    async def knows(build: str) -> bool:
        try:
            return build in (await fetch_deployment(temporal, deployment)).builds
        except NotFound:
            return False

    async def start() -> str:
        run = await temporal.start_workflow(
            "Versioned", id=f"versioned-{uuid4().hex}", task_queue=queue, run_timeout=timedelta(minutes=10)
        )
        return run.id

    with pytest.raises(NotFound, match="has started yet"):
        await make_current(temporal, deployment, "1.0-old")
    async with worker_of(temporal, queue, deployment, is_new=False):
        await until(lambda: knows("1.0-old"))
        await make_current(temporal, deployment, "1.0-old")
        with pytest.raises((Conflict, NotFound)):
            await make_current(temporal, deployment, "never-started")
        early = temporal.get_workflow_handle(await start())
        await until(lambda: _has_begun(temporal, early.id))
        async with worker_of(temporal, queue, deployment, is_new=True):
            await until(lambda: knows("2.0-new"))
            await make_current(temporal, deployment, "2.0-new")
            assert (await fetch_deployment(temporal, deployment)).current == "2.0-new"
            late = temporal.get_workflow_handle(await start())
            assert await asyncio.wait_for(late.result(), PATIENCE_SECONDS) == "new"
            await early.signal("go_on")
            assert await asyncio.wait_for(early.result(), PATIENCE_SECONDS) == "old"
    waiting = [temporal.get_workflow_handle(await start()) for _ in range(3)]
    # The scaler sees what waits for a versioned worker, too.
    await until(lambda: _has_backlog(temporal, queue, len(waiting)))
    await asyncio.gather(*(run.terminate() for run in waiting))


async def _has_backlog(client: "Client", queue: str, count: int) -> bool:
    return (await fetch_backlog(client, queue)).total >= count


async def _has_begun(client: "Client", workflow_id: str) -> bool:
    history = await client.get_workflow_handle(workflow_id).fetch_history()
    return any(event.HasField("workflow_task_completed_event_attributes") for event in history.events)


def test_workers_are_unversioned_unless_they_name_a_deployment() -> None:
    assert build_deployment("", "1.0") is None
    config = build_deployment("footy", "")
    assert config is not None
    assert config.version.build_id == default_build()
    assert build_info().commit in default_build()
