"""The scaler against real servers: load from Temporal and MongoDB, processes that drain, reported decisions."""

import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy import health
from found_footy.app import AppContext
from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.program_pool import ProgramPool
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import FoundFootyError, Unavailable
from found_footy.platform.mongo import Database
from found_footy.scaler.decision import MeasuredLoad, PoolHistory, ScalingRules
from found_footy.scaler.load import measure_active_goals, measure_queues
from found_footy.scaler.pool import ScaledPool
from found_footy.scaler.report import build_scaler_report
from found_footy.scaler.scaler import InstanceScaler
from found_footy.scaler.store import ScalerStore
from found_footy.settings import load_settings
from tests.conftest import Eventually
from tests.support.embedded.stored_data import all_but
from tests.support.pipeline.services import until

if TYPE_CHECKING:
    from temporalio.client import Client

    from found_footy.domain.documents import ScalerPoolDocument
    from found_footy.platform.objects import ObjectStore

RULES = ScalingRules(2, 8, 5, 2, timedelta(seconds=30), timedelta(seconds=60))
# Writes a line when it is told to end, after a moment of work.
DRAINING = """
import pathlib, signal, sys, time
def drain(*_):
    time.sleep(0.2)
    pathlib.Path(sys.argv[1]).write_text("drained")
    raise SystemExit(0)
signal.signal(signal.SIGTERM, drain)
pathlib.Path(sys.argv[1]).write_text("ready")
while True: time.sleep(600)
"""


@workflow.defn
class IdleWorkflow:
    @workflow.run
    async def run(self) -> None:
        return


class FakePool:
    """Instances that exist as a number only: for what the scaler does around them."""

    def __init__(self, running: int = 2, failure: FoundFootyError | None = None) -> None:
        self.running, self.failure = running, failure

    async def count_running(self) -> int:
        if self.failure:
            raise self.failure
        return self.running

    async def count_places(self) -> int:
        return 16

    async def resize(self, count: int) -> None:
        self.running = count


async def test_the_backlog_of_queues_that_nobody_serves_is_measured(temporal: "Client") -> None:
    queues = [f"scaled-{uuid4().hex}" for _ in range(2)]
    measure = measure_queues(temporal, queues)
    assert (await measure()).pending == 0
    for number in range(7):
        await temporal.start_workflow(
            IdleWorkflow.run, id=f"idle-{uuid4().hex}", task_queue=queues[number % 2], run_timeout=timedelta(minutes=5)
        )

    async def is_complete() -> bool:
        return (await measure()).pending == 7

    await until(is_complete)
    workers = [
        Worker(temporal, task_queue=queue, workflows=[IdleWorkflow], workflow_runner=UnsandboxedWorkflowRunner())
        for queue in queues
    ]
    async with workers[0], workers[1]:

        async def is_drained() -> bool:
            return (await measure()).pending == 0

        await until(is_drained)


async def test_goals_that_are_searched_for_are_counted(database: Database) -> None:
    searched = {"_monitor_complete": True, "_download_complete": False}
    goals = [
        searched,
        {"_monitor_complete": True},
        {**searched, "_removed": True},
        {"_monitor_complete": True, "_download_complete": True},
        {"_monitor_complete": False},
        {},
    ]
    measure = measure_active_goals(database)
    assert await measure() == MeasuredLoad(0)
    await database[FixtureCollection.ACTIVE].insert_many(
        [{"_id": 1, "events": goals}, {"_id": 2, "events": [searched]}, {"_id": 3, "events": []}, {"_id": 4}]
    )
    assert await measure() == MeasuredLoad(3)


async def test_processes_are_added_and_drained(data_dir: Path, tmp_path: Path, eventually: Eventually) -> None:
    def build(number: int) -> ProgramSpec:
        argv = (sys.executable, "-c", DRAINING, str(tmp_path / str(number)))
        return ProgramSpec("worker" if number == 1 else f"worker-{number}", argv, is_optional=number > 1)

    def tells(number: int, text: str) -> Callable[[], bool]:
        return lambda: (tmp_path / str(number)).exists() and (tmp_path / str(number)).read_text() == text

    async with Supervisor(data_dir, external=all_but(), abrupt=False) as supervisor:
        await supervisor.run_program(build(1))
        pool = ProgramPool(supervisor, build, capacity=3)
        assert (await pool.count_running(), await pool.count_places()) == (1, 3)
        await pool.resize(3)
        for number in (1, 2, 3):
            await eventually(tells(number, "ready"))
        assert await pool.count_running() == 3
        await pool.resize(1)
        assert await pool.count_running() == 1
        assert [(tmp_path / str(number)).read_text() for number in (1, 2, 3)] == ["ready", "drained", "drained"]
        await pool.resize(2)
        await eventually(tells(2, "ready"))
        assert await pool.count_running() == 2


def scaler_of(
    database: Database, pool: FakePool, load: MeasuredLoad | FoundFootyError
) -> tuple[InstanceScaler, ScaledPool]:
    async def measure() -> MeasuredLoad:
        if isinstance(load, FoundFootyError):
            raise load
        return load

    scaled = ScaledPool("worker", "pending tasks", pool, measure)
    return InstanceScaler([scaled], RULES, ScalerStore(database), utc_now), scaled


async def test_a_decision_is_applied_recorded_and_shown(
    database: Database, objects: "ObjectStore", temporal: "Client", caplog: pytest.LogCaptureFixture
) -> None:
    environ = {"FOOTY_DATA_DIR": "nowhere", "FOOTY_SCALER__DRIVER": "local"}
    app = AppContext(load_settings(environ).settings, database, objects, temporal)
    *_, before = await health.check_processes(app)
    assert (before.name, before.ok) == (health.SCALER, False)
    pool = FakePool()
    scaler, scaled = scaler_of(database, pool, MeasuredLoad(23))
    with caplog.at_level("INFO"):
        history, words = await scaler.check_pool(scaled, PoolHistory(), "")
        assert pool.running == 5
        await scaler.check_pool(scaled, history, words)
    logged = [record.getMessage() for record in caplog.records if record.name.endswith("scaler.scaler")]
    assert logged[0] == "worker: 2 → 5 instances, the load is high (23 pending tasks)"
    assert logged[1] == "worker: 5 instances, the load is between the thresholds (23 pending tasks)"
    assert len(logged) == 2
    *_, shown = await health.check_processes(app)
    assert shown.ok
    assert shown.detail == logged[1]


async def test_a_load_that_cannot_be_measured_changes_nothing_and_is_reported(database: Database) -> None:
    pool = FakePool(running=6)
    scaler, scaled = scaler_of(database, pool, Unavailable("Temporal", "no answer"))
    await scaler.check_pool(scaled, PoolHistory(), "")
    assert pool.running == 6
    report = build_scaler_report(await scaler.store.list_pools(), RULES.check_interval, utc_now())
    assert not report.ok
    assert "the load is unknown; Temporal: no answer" in report.text


async def test_a_place_that_does_not_answer_is_reported_and_asked_again(database: Database) -> None:
    pool = FakePool(failure=Unavailable("Docker", "no answer"))
    scaler, scaled = scaler_of(database, pool, MeasuredLoad(50))
    history, words = await scaler.check_pool(scaled, PoolHistory(), "")
    report = build_scaler_report(await scaler.store.list_pools(), RULES.check_interval, utc_now())
    assert (report.ok, report.text) == (False, "worker: Docker: no answer")
    pool.failure = None
    await scaler.check_pool(scaled, history, words)
    assert pool.running == 8


async def test_a_scaler_that_no_longer_checks_is_reported(database: Database) -> None:
    scaler, scaled = scaler_of(database, FakePool(), MeasuredLoad(0))
    await scaler.check_pool(scaled, PoolHistory(), "")
    late = datetime.now(UTC) + timedelta(minutes=10)
    report = build_scaler_report(await scaler.store.list_pools(), RULES.check_interval, late)
    assert not report.ok
    assert report.text.startswith("no check of worker for 1")


async def test_one_pool_that_is_no_longer_checked_is_reported_beside_others_that_are(database: Database) -> None:
    scaler, scaled = scaler_of(database, FakePool(), MeasuredLoad(0))
    await scaler.check_pool(scaled, PoolHistory(), "")
    [checked] = await scaler.store.list_pools()
    stuck = {**checked, "_id": "search", "at": checked["at"] - timedelta(minutes=10)}
    report = build_scaler_report([checked, cast("ScalerPoolDocument", stuck)], RULES.check_interval, checked["at"])
    assert not report.ok
    assert report.text.startswith("no check of search for 10 min")


async def test_the_cooldown_outlives_the_scaler(database: Database) -> None:
    scaler, scaled = scaler_of(database, FakePool(), MeasuredLoad(23))
    await scaler.check_pool(scaled, PoolHistory(), "")
    [decided] = await scaler.store.list_pools()
    given_up = {**decided, "_id": "worker-media", "error": "no answer"}
    await scaler.store.record_decision(cast("ScalerPoolDocument", given_up))
    pool = FakePool(running=5)
    restarted, _ = scaler_of(database, pool, MeasuredLoad(900))
    task = asyncio.create_task(restarted.run())
    try:

        async def has_decided() -> bool:
            return (await restarted.store.list_pools())[0]["reason"] == "cooling_down"

        await until(has_decided)
        assert pool.running == 5
        # What an earlier configuration scaled is forgotten: nobody checks it any more.
        assert [one["_id"] for one in await restarted.store.list_pools()] == ["worker"]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
