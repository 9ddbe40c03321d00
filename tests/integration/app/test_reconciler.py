"""Schedules that are lost or changed come back while workers run, and an ingest that was missed is made."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from temporalio.client import Client, Schedule, ScheduleIntervalSpec, ScheduleOverlapPolicy, ScheduleUpdate
from temporalio.service import RPCError

from found_footy import schedules
from found_footy.app import AppContext
from found_footy.domain import ids
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.fixtures.lifecycle.run_heartbeats import HEARTBEATS, RunHeartbeatStore
from found_footy.fixtures.messages import INGEST_RUN
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import connect
from found_footy.platform.temporal.schedules import ensure_namespace, fetch_schedule_digest, fetch_schedule_state
from found_footy.schedules import ScheduleReconciler, build_schedules, reconcile_schedules
from found_footy.settings import Settings, load_settings

if TYPE_CHECKING:
    from temporalio.client import ScheduleUpdateInput

Eventually = Callable[..., Any]
NAMES = (ids.INGEST_SCHEDULE_ID, ids.MONITOR_SCHEDULE_ID, ids.RETRY_SCHEDULE_ID, "sweep-nightly", "reconcile-uploads")
SETTINGS = {
    "API_FOOTBALL_KEY": "a key",
    "FOOTY_DATA_DIR": "nowhere",
    # Nothing runs these schedules here, so they shall not fire either.
    "FOOTY_FIXTURES__MONITOR_INTERVAL": "12h",
    "FOOTY_UPLOADS__RECONCILE_INTERVAL": "12h",
}
NOW = datetime(2026, 11, 14, 9, 0, tzinfo=UTC)


@pytest.fixture
async def temporal(platform: PlatformEndpoints) -> AsyncIterator[Client]:
    """A client on a namespace that does not exist yet: the schedules have fixed names, and Temporal is shared."""
    async with connect(platform.temporal_address, f"test-{uuid4().hex}") as client:
        yield client


def app_of(database: Database, objects: ObjectStore, temporal: Client, **more: str) -> AppContext:
    return AppContext(load_settings({**SETTINGS, **more}).settings, database, objects, temporal)


@pytest.fixture
def app(database: Database, objects: ObjectStore, temporal: Client) -> AppContext:
    return app_of(database, objects, temporal)


async def begun(one: ScheduleReconciler, eventually: Eventually) -> None:
    """A namespace that was just registered is known everywhere in the server only seconds later."""
    assert await ensure_namespace(one._app.temporal)

    async def known() -> bool:
        try:
            await fetch_schedule_digest(one._app.temporal, "nothing")
            await one._app.temporal.count_workflows()
        except (RPCError, Unavailable):
            return False
        return True

    await eventually(known, 60)
    await one.ensure_schedules()


def asking(question: Callable[..., Awaitable[object]], *about: object) -> Callable[[], Awaitable[bool]]:
    async def asked() -> bool:
        return bool(await question(*about))

    return asked


async def is_there(temporal: Client, name: str) -> bool:
    return (await fetch_schedule_state(temporal, name)).exists


async def ingests_started(temporal: Client) -> tuple[int, int]:
    """How many the schedule has started, and how many it skipped because one was running."""
    info = (await temporal.get_schedule_handle(ids.INGEST_SCHEDULE_ID).describe()).info
    return info.num_actions, info.num_actions_skipped_overlap


async def test_deleted_schedules_are_created_again_while_the_worker_runs(
    app: AppContext, eventually: Eventually
) -> None:
    settings = app.settings.worker.model_copy(update={"reconcile_interval": timedelta(milliseconds=200)})
    app = AppContext(app.settings.model_copy(update={"worker": settings}), app.database, app.objects, app.temporal)
    await begun(ScheduleReconciler(app), eventually)
    async with reconcile_schedules(ScheduleReconciler(app)):
        for name in NAMES:
            await app.temporal.get_schedule_handle(name).delete()
        for name in NAMES:
            await eventually(asking(is_there, app.temporal, name), 60)


async def test_a_changed_schedule_is_set_back_and_a_paused_one_stays_paused(
    app: AppContext, eventually: Eventually
) -> None:
    one = ScheduleReconciler(app)
    await begun(one, eventually)
    handle = app.temporal.get_schedule_handle(ids.MONITOR_SCHEDULE_ID)
    await handle.pause(note="the feed asked us to")
    before = await fetch_schedule_digest(app.temporal, ids.MONITOR_SCHEDULE_ID)

    def rarely(found: "ScheduleUpdateInput") -> ScheduleUpdate:
        schedule: Schedule = found.description.schedule
        schedule.spec.intervals = [ScheduleIntervalSpec(every=timedelta(hours=7))]
        return ScheduleUpdate(schedule)

    await handle.update(rarely)
    assert await fetch_schedule_digest(app.temporal, ids.MONITOR_SCHEDULE_ID) != before
    await one.reconcile()
    found = (await handle.describe()).schedule
    assert [spec.every for spec in found.spec.intervals] == [timedelta(hours=12)]
    assert (found.state.paused, found.state.note) == (True, "the feed asked us to")


async def test_a_schedule_that_is_as_it_should_be_is_not_written_again(app: AppContext, eventually: Eventually) -> None:
    one = ScheduleReconciler(app)
    await begun(one, eventually)

    async def written() -> list[datetime | None]:
        handles = [app.temporal.get_schedule_handle(name) for name in NAMES]
        return [(await handle.describe()).info.last_updated_at for handle in handles]

    before = await written()
    await one.reconcile()
    assert await written() == before


async def test_the_first_start_of_all_ingests_at_once(app: AppContext, eventually: Eventually) -> None:
    await begun(ScheduleReconciler(app), eventually)
    await eventually(asking(started_once, app.temporal), 30)


async def started_once(temporal: Client) -> bool:
    return await ingests_started(temporal) == (1, 0)


async def test_several_workers_that_start_at_once_ingest_once(app: AppContext, eventually: Eventually) -> None:
    await begun(ScheduleReconciler(app), eventually)
    await asyncio.gather(*(ScheduleReconciler(app).ensure_schedules() for _ in range(5)))
    await eventually(asking(started_once, app.temporal), 30)
    # One that is skipped was asked for all the same, so this says that nobody asked.
    assert await ingests_started(app.temporal) == (1, 0)


@pytest.mark.parametrize(
    ("completed", "requested", "claimed"),
    [
        (None, None, True),
        (timedelta(hours=23), None, False),
        (timedelta(hours=25), None, True),
        (timedelta(days=3), None, True),
        # One that was asked for and has not come to its end: running, or failed.
        (timedelta(days=3), timedelta(minutes=59), False),
        (timedelta(days=3), timedelta(minutes=61), True),
        (None, timedelta(minutes=59), False),
        (None, timedelta(minutes=61), True),
        # Recorded by a clock that was ahead and has been set right since; a little ahead is another worker's clock.
        (timedelta(days=-300), None, True),
        (timedelta(days=-300), timedelta(days=-300), True),
        (timedelta(minutes=-30), None, False),
        (None, timedelta(minutes=-30), False),
    ],
)
async def test_an_ingest_is_overdue_after_a_day(
    database: Database, completed: timedelta | None, requested: timedelta | None, claimed: bool
) -> None:
    fields = {"completed_at": completed, "requested_at": requested}
    document = {name: NOW - age for name, age in fields.items() if age is not None}
    if document:
        await database[HEARTBEATS].insert_one({"_id": INGEST_RUN, **document})
    answers = await asyncio.gather(*(RunHeartbeatStore(database).claim_ingest(NOW) for _ in range(4)))
    assert sorted(answers) == [False, False, False, claimed]


async def test_off_from_wednesday_to_saturday_the_ingest_is_made_at_the_start(
    app: AppContext, eventually: Eventually
) -> None:
    await RunHeartbeatStore(app.database).record_run(
        INGEST_RUN, "ingest-scheduled", datetime.now(UTC) - timedelta(days=3)
    )
    await begun(ScheduleReconciler(app), eventually)
    await eventually(asking(started_once, app.temporal), 30)


@pytest.mark.parametrize("reason", ["made this morning", "paused", "no key"])
async def test_an_ingest_is_not_made(
    reason: str, database: Database, objects: ObjectStore, temporal: Client, eventually: Eventually
) -> None:
    keyless = ScheduleReconciler(app_of(database, objects, temporal, API_FOOTBALL_KEY=""))
    await begun(keyless, eventually)
    settings = {"API_FOOTBALL_KEY": ""} if reason == "no key" else {}
    if reason == "paused":
        await temporal.get_schedule_handle(ids.INGEST_SCHEDULE_ID).pause()
    if reason == "made this morning":
        await RunHeartbeatStore(database).record_run(
            INGEST_RUN, "ingest-scheduled", datetime.now(UTC) - timedelta(hours=9)
        )
    await ScheduleReconciler(app_of(database, objects, temporal, **settings)).ensure_schedules()
    assert await ingests_started(temporal) == (0, 0)
    asked = await database[HEARTBEATS].find_one({"requested_at": {"$exists": True}})
    assert asked is None


async def test_an_ingest_that_could_not_be_started_is_tried_again_at_once(
    app: AppContext, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> None:
        raise Unavailable("Temporal", "away")

    with monkeypatch.context() as patched:
        patched.setattr(schedules, "trigger_schedule", refused)
        with pytest.raises(Unavailable):
            await begun(ScheduleReconciler(app), eventually)
    await ScheduleReconciler(app).ensure_schedules()
    await eventually(asking(started_once, app.temporal), 30)


async def test_reconciling_continues_after_a_failure(app: AppContext, eventually: Eventually) -> None:
    calls: list[int] = []
    settings = app.settings.worker.model_copy(update={"reconcile_interval": timedelta(milliseconds=10)})
    app = AppContext(app.settings.model_copy(update={"worker": settings}), app.database, app.objects, app.temporal)

    class Failing(ScheduleReconciler):
        async def reconcile(self) -> None:
            calls.append(1)
            raise Unavailable("Temporal", "away")

    task = asyncio.create_task(Failing(app).run_forever())
    await eventually(lambda: len(calls) > 3, 30)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_every_schedule_skips_what_overlaps_ends_what_hangs_and_catches_up_on_what_is_still_wanted() -> None:
    wanted = build_schedules(Settings())
    assert sorted(wanted) == sorted(NAMES)
    limits = {
        ids.MONITOR_SCHEDULE_ID: (30, 180),
        ids.INGEST_SCHEDULE_ID: (43_200, 7_200),
        ids.RETRY_SCHEDULE_ID: (30, 600),
        "sweep-nightly": (43_200, 72_000),
        "reconcile-uploads": (30, 7_200),
    }
    for name, (catch_up, timeout) in limits.items():
        policy, action = wanted[name].policy, wanted[name].action
        assert policy.overlap is ScheduleOverlapPolicy.SKIP
        assert policy.catchup_window == timedelta(seconds=catch_up)
        assert getattr(action, "execution_timeout", None) == timedelta(seconds=timeout), name


async def test_uploads_are_reconciled_when_a_worker_starts(app: AppContext, eventually: Eventually) -> None:
    """Notifications may have been lost while nothing ran."""
    await begun(ScheduleReconciler(app), eventually)

    async def has_run() -> bool:
        info = (await app.temporal.get_schedule_handle("reconcile-uploads").describe()).info
        return info.num_actions == 1

    await eventually(has_run)


def test_without_uploads_nothing_is_reconciled() -> None:
    settings = load_settings({**SETTINGS, "FOOTY_UPLOADS__ENABLED": "false"}).settings
    assert "reconcile-uploads" not in build_schedules(settings)
