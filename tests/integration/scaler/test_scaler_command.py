"""`found-footy scaler` as it runs: against real servers, with simulated containers and with real worker processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.cli import scaler
from found_footy.domain.messages import TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import ConfigError
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.queues import fetch_backlog
from found_footy.settings import load_settings
from tests.support.loopback_services import served
from tests.support.patience import patient
from tests.support.pipeline.services import until
from tests.support.scaler.docker_api import SimulatedContainer, SimulatedDocker

if TYPE_CHECKING:
    from temporalio.client import Client


@workflow.defn
class ShortWorkflow:
    @workflow.run
    async def run(self) -> None:
        return


@pytest.fixture
def settings_of_the_test(
    platform: PlatformEndpoints,
    database: Database,
    objects: ObjectStore,
    queues: TaskQueues,
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> pytest.MonkeyPatch:
    """The environment of a scaler on the servers of this run, with a database and queues of its own."""
    values = {
        "MONGODB_URI": platform.mongodb_uri,
        "MONGODB_DATABASE": database.name,
        "TEMPORAL_ADDRESS": platform.temporal_address,
        "S3_ENDPOINT": platform.s3_endpoint,
        "S3_ACCESS_KEY": platform.s3_access_key,
        "S3_SECRET_KEY": platform.s3_secret_key,
        "S3_BUCKET": objects.bucket,
        "FOOTY_DATA_DIR": str(data_dir),
        "FOOTY_QUEUES__MAIN": queues.main,
        "FOOTY_QUEUES__MEDIA": queues.media,
        "FOOTY_QUEUES__VISION": queues.vision,
        "FOOTY_UPLOADS__ENABLED": "false",
        "FOOTY_METRICS__PORT": "0",
        "FOOTY_SCALER__CHECK_INTERVAL": "1s",
        "FOOTY_SCALER__COOLDOWN": "1s",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def list_logs(data_dir: Path) -> list[str]:
    return sorted(path.name for path in (data_dir / "scaler" / "logs").iterdir())


@asynccontextmanager
async def scaling() -> AsyncIterator[None]:
    task = asyncio.create_task(scaler.run_scaler(load_settings().settings))
    try:
        yield
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_containers_follow_the_backlog_and_the_goals(
    settings_of_the_test: pytest.MonkeyPatch, temporal: "Client", database: Database, queues: TaskQueues
) -> None:
    docker = SimulatedDocker(
        [SimulatedContainer(name, number) for name in ("worker", "search") for number in range(1, 5)]
    )
    goal = {"_monitor_complete": True, "_download_complete": False}
    with served(docker.app) as url:
        settings_of_the_test.setenv("FOOTY_SCALER__DRIVER", "docker")
        settings_of_the_test.setenv("FOOTY_SCALER__DOCKER_URL", url)

        async def run(workers: int, searchers: int) -> bool:
            return (len(docker.running("worker")), len(docker.running("search"))) == (workers, searchers)

        async with scaling():
            await until(lambda: run(2, 2))
            await database["fixtures_active"].insert_one({"_id": 1, "events": [goal] * 14})
            for _ in range(16):
                await temporal.start_workflow(ShortWorkflow.run, id=f"short-{uuid4().hex}", task_queue=queues.main)
            await until(lambda: run(4, 3))
            await database["fixtures_active"].delete_many({})
            async with Worker(
                temporal,
                task_queue=queues.main,
                workflows=[ShortWorkflow],
                workflow_runner=UnsandboxedWorkflowRunner(),
            ):
                await until(lambda: run(2, 2))
    assert not [call for call in docker.calls if call.startswith("forbidden")]


async def test_worker_processes_are_started_and_stopped_with_the_scaler(
    settings_of_the_test: pytest.MonkeyPatch, temporal: "Client", queues: TaskQueues, data_dir: Path
) -> None:
    settings_of_the_test.setenv("FOOTY_SCALER__DRIVER", "local")
    expected = min(2, scaler.count_usable_cores())

    async def count_pollers() -> int:
        return (await fetch_backlog(temporal, queues.main)).workflow.listed_pollers

    async def is_served() -> bool:
        return await count_pollers() >= expected

    async with scaling():
        await until(is_served, patient(600))
    assert list_logs(data_dir) == ["worker-2.log", "worker.log"][-expected:]


def test_a_scaler_without_a_driver_says_so(settings_of_the_test: pytest.MonkeyPatch) -> None:
    settings_of_the_test.delenv("FOOTY_SCALER__DRIVER", raising=False)
    with pytest.raises(ConfigError, match="FOOTY_SCALER__DRIVER is none"):
        scaler.command()
