"""The object store or MongoDB killed and frozen in the middle: every image is classified, once."""

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.errors import ExternalSystemError, NotFound
from found_footy.platform.objects import ObjectStore
from tests.support.embedded.stored_data import all_but
from tests.support.pipeline.services import until
from tests.support.uploads.agent_services import UploadServices, open_uploads, paint, running_uploads_worker
from tests.support.uploads.histories import assert_transitions_are_sound
from tests.support.uploads.intake import Intake, open_intake

NAMES = [f"{number}.png" for number in range(6)]
TIMEOUT = timedelta(seconds=2)


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[Supervisor]:
    async with Supervisor(tmp_path / "data", external=all_but("seaweedfs", "mongodb"), abrupt=True) as supervisor:
        yield supervisor


@pytest.fixture
async def services(
    servers: Supervisor, platform: PlatformEndpoints, temporal: Client, queues: TaskQueues
) -> AsyncIterator[tuple[UploadServices, Intake]]:
    where = servers.endpoints
    async with AsyncExitStack() as stack:
        objects = ObjectStore(
            where.s3_endpoint, where.s3_access_key, where.s3_secret_key, "uploads", timeout=TIMEOUT, attempts=1
        )
        stack.push_async_callback(objects.aclose)
        await objects.ensure_bucket()
        database = await stack.enter_async_context(mongo.connect(where.mongodb_uri, "uploads", timeout=TIMEOUT))
        uploads = await stack.enter_async_context(open_uploads(database, objects, temporal, queues))
        intake = await stack.enter_async_context(open_intake(platform.nats_url, database))
        yield uploads, replace(intake, agents=cast("Any", uploads.agents))


def kill(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def freeze(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", [kill, freeze])
@pytest.mark.parametrize("server", ["seaweedfs", "mongodb"])
async def test_an_outage_in_the_middle_loses_and_doubles_nothing(
    server: str, fault: Callable[[list[int]], None], servers: Supervisor, services: tuple[UploadServices, Intake]
) -> None:
    uploads, intake = services
    events = [uploads.created(name, await uploads.put(name, paint("red"))) for name in NAMES]
    pids = [one.pid for one in servers.list_statuses() if one.name.startswith(server) and one.pid]
    assert pids
    async with running_uploads_worker(uploads), intake.consume():
        for event in events[:3]:
            await intake.publisher.publish(event)
        fault(pids)
        for event in events[3:]:
            await intake.publisher.publish(event)
        if fault is freeze:
            await until(lambda: is_away(uploads, server))
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        else:
            await until(lambda: has_restarted(servers))
        await until(lambda: are_classified(uploads))
        await until(lambda: is_empty(intake))
    assert await intake.letters.count() == 0
    for name in NAMES:
        row = await uploads.row(name)
        assert_transitions_are_sound(row)
        assert [entry["what"] for entry in row["history"]].count("classified") == 1
        assert await uploads.run_count(row["workflowId"], 1) == 1


async def has_restarted(servers: Supervisor) -> bool:
    return any(one.restarts for one in servers.list_statuses())


async def is_away(uploads: UploadServices, server: str) -> bool:
    try:
        await (uploads.objects.head(uuid4().hex) if server == "seaweedfs" else uploads.store.find("acme", "a"))
    except ExternalSystemError:
        return True
    return False


async def are_classified(uploads: UploadServices) -> bool:
    try:
        rows = [await uploads.store.find(uploads.organization_id, name) for name in NAMES]
    except (ExternalSystemError, NotFound):
        return False
    return all(row is not None and row["status"] == "classified" for row in rows)


async def is_empty(intake: Intake) -> bool:
    return (await intake.read_backlog()).messages == 0
