"""The fixtures that other tests stand on."""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.embedded.endpoints import find_running_endpoints
from found_footy.platform.errors import NotFound
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.conftest import Eventually
from tests.support.embedded.proc import processes_of

_SHARED_PLATFORM = Path(__file__).parents[2] / "support" / "shared_platform.py"


async def test_a_test_has_a_database_of_its_own(database: Database) -> None:
    await database["things"].insert_one({"_id": 1})
    assert await database["things"].count_documents({}) == 1


async def test_a_test_has_a_bucket_of_its_own(objects: ObjectStore) -> None:
    assert [info async for info in objects.list()] == []


async def test_a_test_has_temporal(temporal: Client, queues: TaskQueues) -> None:
    count = await temporal.count_workflows(f"TaskQueue = '{queues.main}'")
    assert count.count == 0


async def test_a_killed_test_run_leaves_neither_processes_nor_files(run_dir: Path, eventually: Eventually) -> None:
    alive = os.open(run_dir / "alive", os.O_RDWR | os.O_NONBLOCK)
    platform = await asyncio.create_subprocess_exec(sys.executable, _SHARED_PLATFORM, run_dir)
    await eventually(lambda: is_running(run_dir / "data"), timeout=60)
    os.close(alive)  # which the kernel does for a process that is killed
    assert await platform.wait() == 0
    assert not processes_of(run_dir)
    assert run_dir.name not in names_beside(run_dir)


@pytest.fixture
def run_dir() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="found-footy-tests-"))
    os.mkfifo(path / "alive")
    yield path
    shutil.rmtree(path, ignore_errors=True)


def names_beside(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir()}


def is_running(data_dir: Path) -> bool:
    try:
        find_running_endpoints(data_dir)
    except NotFound:
        return False
    return True
