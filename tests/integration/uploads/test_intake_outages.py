"""NATS killed and frozen in the middle: publishers are not slowed, what was stored is not lost, the intake goes on."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database
from tests.support.embedded.stored_data import all_but
from tests.support.patience import PATIENCE_SECONDS, eventually
from tests.support.uploads.intake import Intake, created, open_intake


@pytest.fixture
async def nats(tmp_path: Path) -> AsyncIterator[Supervisor]:
    async with Supervisor(tmp_path / "data", external=all_but("nats"), abrupt=True) as supervisor:
        yield supervisor


@pytest.fixture
async def intake(nats: Supervisor, database: Database) -> AsyncIterator[Intake]:
    async with open_intake(nats.endpoints.nats_url, database) as opened:
        yield opened


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def freeze(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)


@pytest.mark.parametrize("fault", [kill, freeze])
async def test_an_outage_of_nats_loses_nothing_and_slows_no_publisher(
    fault: Callable[[int], None], nats: Supervisor, intake: Intake
) -> None:
    stored = [f"acme/{number}.jpg" for number in range(30)]
    await intake.publish(*stored)
    pid = nats.list_statuses()[0].pid or 0
    fault(pid)
    try:
        failed_at_once: bool = await eventually(lambda: _fails_at_once(intake))
        assert failed_at_once
        began = time.monotonic()
        for number in range(50):
            with pytest.raises(Unavailable):
                await intake.publisher.publish(created(f"acme/lost-{number}.jpg"))
        assert time.monotonic() - began < 2
    finally:
        if fault is freeze:
            os.kill(pid, signal.SIGCONT)
    async with intake.consume() as running:
        await eventually(lambda: set(stored) <= set(intake.agents.ingested))
        await eventually(lambda: intake.connection.is_ready)
        await intake.publish("acme/after.jpg")
        await eventually(lambda: "acme/after.jpg" in intake.agents.ingested)
        assert not running.done()


async def _fails_at_once(intake: Intake) -> bool:
    began = time.monotonic()
    try:
        await intake.publisher.publish(created("acme/probe.jpg"))
    except Unavailable:
        return time.monotonic() - began < 0.5
    return False


async def test_outages_in_the_middle_leave_no_subscription_behind(nats: Supervisor, intake: Intake) -> None:
    async with intake.consume():
        for number in range(3):
            await eventually(lambda: intake.connection.is_ready)
            await _publish_until_stored(intake, f"acme/{number}.jpg")
            await eventually(lambda: len(set(intake.agents.ingested)) == number + 1)  # noqa: B023  awaited here
            kill(nats.list_statuses()[0].pid or 0)
            await eventually(lambda: nats.list_statuses()[0].restarts > number)  # noqa: B023
        await _publish_until_stored(intake, "acme/last.jpg")
        await eventually(lambda: "acme/last.jpg" in intake.agents.ingested)
        # One of the consumer of acme, and one for the answers to requests.
        assert len(intake.connection.get_queue().client._subs) <= 2


async def _publish_until_stored(intake: Intake, key: str) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                await intake.publish(key)
            except Unavailable:
                await asyncio.sleep(timedelta(milliseconds=100).total_seconds())
            else:
                return
