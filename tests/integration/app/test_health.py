"""What a person is told about the outside systems."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from temporalio import activity
from temporalio.worker import Worker

from found_footy import health, source_health
from found_footy.app import AppContext
from found_footy.discovery.sources.health import UNREACHABLE, SearchPoolReport, ServiceHealth, ServiceInstanceReport
from found_footy.fixtures.lifecycle.run_heartbeats import RunHeartbeatStore
from found_footy.fixtures.messages import INGEST_RUN, MONITOR_RUN
from found_footy.fixtures.store import FixtureStore
from found_footy.platform.mongo import Database
from found_footy.platform.temporal.queues import TaskQueueBacklog, TaskQueueDepth
from found_footy.platform.temporal.schedules import ScheduleState
from found_footy.settings import load_settings
from found_footy.web_factory import build_web_deps
from tests.support.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from temporalio.client import Client

    from found_footy.platform.objects import ObjectStore

NOW = datetime.now(UTC)


@pytest.fixture
def app(database: Database, objects: "ObjectStore", temporal: "Client") -> AppContext:
    return app_of(database, objects, temporal, API_FOOTBALL_KEY="a key")


def app_of(database: Database, objects: "ObjectStore", temporal: "Client", **more: str) -> AppContext:
    unique = uuid4().hex
    queues = {f"FOOTY_QUEUES__{name}": f"{name.lower()}-{unique}" for name in ("MAIN", "MEDIA", "VISION")}
    environ = {"TWITTER_SERVICE_URL": "http://127.0.0.1:1", "FOOTY_DATA_DIR": "nowhere", **queues, **more}
    return AppContext(load_settings(environ).settings, database, objects, temporal)


async def test_a_feed_without_a_key_names_the_setting(
    database: Database, objects: "ObjectStore", temporal: "Client"
) -> None:
    feed, *_ = await health.check_outside_systems(app_of(database, objects, temporal))
    assert not feed.ok
    assert "API_FOOTBALL_KEY" in feed.remedy


async def test_the_last_failure_of_the_feed_is_reported_with_its_kind(app: AppContext) -> None:
    error = {"kind": "Malformed", "text": "API-Football: not JSON", "at": NOW}
    await FixtureStore(app.database).update_feed_state(
        {"last_error": error, "budget": {"day_remaining": 7, "day_limit": 100}}
    )
    feed, *_ = await health.check_outside_systems(app)
    assert not feed.ok
    assert "Malformed" in feed.detail
    assert "7 of 100 calls left today" in feed.detail


async def test_a_search_service_that_is_not_there_is_named(app: AppContext) -> None:
    _, search, *_ = await health.check_outside_systems(app)
    assert not search.ok
    assert "http://127.0.0.1:1: unreachable" in search.detail
    assert not search.required


@pytest.mark.parametrize(
    ("standings", "reported"),
    [
        ([], "start `found-footy xsearch`"),
        ([UNREACHABLE], "start `found-footy xsearch`"),
        ([UNREACHABLE, ServiceHealth()], "start `found-footy xsearch`"),
        ([ServiceHealth(False, "authenticated", budget_left=0, budget_limit=40)], "nothing to do"),
        ([UNREACHABLE, ServiceHealth(False, "authenticated", budget_left=0, budget_limit=40)], "nothing to do"),
        (
            [UNREACHABLE, ServiceHealth(False, "session_expired", budget_left=40, budget_limit=40)],
            "open http://1, and log in",
        ),
        (
            [ServiceHealth(False, "a", budget_left=0, budget_limit=40), ServiceHealth(False, "session_expired")],
            "open http://0 and http://1",
        ),
    ],
)
def test_the_remedy_for_searches_is_the_one_that_helps(standings: list[ServiceHealth], reported: str) -> None:
    instances = (ServiceInstanceReport(f"http://{place}", one, False, 0) for place, one in enumerate(standings))
    assert health.suggest_search_remedy(SearchPoolReport(tuple(instances), 0)).startswith(reported)


async def test_another_program_on_the_port_of_the_search_service_is_not_taken_for_it(
    database: Database, objects: "ObjectStore", temporal: "Client"
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        search = await health.check_search(app_of(database, objects, temporal, TWITTER_SERVICE_URL=base).settings)
    assert not search.ok
    assert search.detail == f"0 of 1 search services healthy; {base}: the server there is not a search service"
    assert "TWITTER_SERVICE_URL" in search.remedy


async def test_the_reader_of_clips_is_reported(app: AppContext) -> None:
    _, _, reader, *_ = await health.check_outside_systems(app)
    assert reader.ok
    assert reader.detail.startswith("local: this machine")


async def test_missing_workers_are_reported_by_the_names_of_the_queues(app: AppContext) -> None:
    worker, *_ = await health.check_processes(app)
    assert not worker.ok
    assert worker.detail == f"no worker polls {', '.join(app.settings.queues.model_dump().values())}"
    assert "found-footy worker" in worker.remedy
    assert (worker.required, worker.state) == (False, "broken")


async def test_a_running_worker_is_reported_and_one_that_has_stopped_is_not(
    app: AppContext, temporal: "Client"
) -> None:
    names = app.settings.queues.model_dump().values()
    async with AsyncExitStack() as stack:
        for name in names:
            await stack.enter_async_context(Worker(temporal, task_queue=name, activities=[do_nothing]))
        deadline = asyncio.get_running_loop().time() + 30
        while not (await health.check_processes(app))[0].ok:
            assert asyncio.get_running_loop().time() < deadline
            await asyncio.sleep(0.05)
    with pytest.MonkeyPatch.context() as patched:
        # A killed worker stays in Temporal's list for minutes; it is told from others by when it last asked.
        patched.setattr("found_footy.platform.temporal.queues._POLLER_TIMEOUT", timedelta(0))
        assert not (await health.check_processes(app))[0].ok


@activity.defn
async def do_nothing() -> None:
    return


async def test_a_stopped_monitor_is_reported_with_the_age_of_its_last_poll(app: AppContext) -> None:
    await RunHeartbeatStore(app.database).record_run(MONITOR_RUN, "monitor-1", datetime.now(UTC) - timedelta(minutes=5))
    _, monitor, ingest = await health.check_processes(app)
    assert not monitor.ok
    assert monitor.detail.startswith("last poll 5 min ago")
    assert (ingest.ok, ingest.detail.split(";")[0]) == (False, "no ingest yet")


async def test_without_a_key_the_ingest_says_so_and_does_not_refer_to_the_workers_log(
    database: Database, objects: "ObjectStore", temporal: "Client"
) -> None:
    *_, ingest = await health.check_processes(app_of(database, objects, temporal))
    assert (ingest.ok, ingest.detail, ingest.remedy) == (False, "no ingest yet; it needs a key", "set API_FOOTBALL_KEY")


async def test_a_past_ingest_is_reported_though_the_key_is_gone(
    database: Database, objects: "ObjectStore", temporal: "Client"
) -> None:
    await RunHeartbeatStore(database).record_run(INGEST_RUN, "ingest-1", datetime.now(UTC) - timedelta(hours=5))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(health, "fetch_schedule_state", _acting)
        *_, ingest = await health.check_processes(app_of(database, objects, temporal))
    assert (ingest.ok, ingest.detail) == (True, "last ingest 5 h ago")


async def _acting(*_: object) -> ScheduleState:
    return ScheduleState()


def _depth(pollers: int, listed: int) -> TaskQueueDepth:
    return TaskQueueDepth(0, timedelta(0), 0.0, 0.0, pollers, listed)


def _backlog(pollers: int, listed: int, workflow_pollers: int = 0) -> TaskQueueBacklog:
    return TaskQueueBacklog(workflow=_depth(workflow_pollers, listed), activity=_depth(pollers, listed))


@pytest.mark.parametrize(
    ("main", "vision", "idle"),
    [
        (_backlog(1, 1), _backlog(1, 1), []),
        (_backlog(1, 1), _backlog(0, 1), []),  # every slot is taken by clips that take minutes to look at
        (_backlog(0, 1, workflow_pollers=1), _backlog(0, 1), []),
        (_backlog(1, 1), _backlog(0, 0), ["vision"]),
        (_backlog(0, 1), _backlog(0, 1), ["main", "vision"]),  # the process stands still
        (_backlog(0, 0), _backlog(1, 1), ["main"]),
    ],
)
def test_a_busy_worker_is_distinguished_from_one_that_is_gone(
    main: TaskQueueBacklog, vision: TaskQueueBacklog, idle: list[str]
) -> None:
    assert health.find_unserved_queues({"main": main, "vision": vision}, "main") == idle


async def test_a_temporal_that_hangs_does_not_hide_when_the_last_poll_was(
    app: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(health, "_SCHEDULE_TIMEOUT", timedelta(milliseconds=100))
    monkeypatch.setattr(health, "fetch_schedule_state", silent)
    await RunHeartbeatStore(app.database).record_run(MONITOR_RUN, "monitor-1", datetime.now(UTC) - timedelta(minutes=5))
    _, monitor, _ = await health.check_processes(app)
    assert (monitor.ok, monitor.detail) == (False, "last poll 5 min ago; Temporal does not report its schedule")


async def test_a_hanging_database_affects_only_the_row_of_the_feed(
    app: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(health, "_CHECK_TIMEOUT", timedelta(seconds=2))
    monkeypatch.setattr(FixtureStore, "read_feed_state", silent)
    rows = await asyncio.wait_for(health.check_outside_systems(app), PATIENCE_SECONDS)
    feed, search, reader, disk, decoder, sources = rows
    assert (feed.name, feed.ok, feed.detail) == (health.FEED, False, "unknown: no answer within 2 s")
    names = (search.name, reader.name, disk.name, decoder.name, sources.name)
    assert names == (health.SEARCH, health.VISION, health.DISK, health.DECODER, source_health.SOURCES)
    assert sources.ok


async def test_the_page_needs_the_database_and_the_store_and_not_temporal(
    database: Database, objects: "ObjectStore", temporal: "Client"
) -> None:
    nowhere = {"MONGODB_URI": "mongodb://127.0.0.1:1", "TEMPORAL_ADDRESS": "127.0.0.1:1"}
    store = {"S3_ENDPOINT": "http://127.0.0.1:1", "S3_ACCESS_KEY": "a", "S3_SECRET_KEY": "b"}
    app = app_of(database, objects, temporal, **nowhere, **store)
    rows = [row for row in await build_web_deps(app).probes() if row.name in ("MongoDB", "Temporal", "object store")]
    assert [row.state for row in rows] == ["broken"] * 3
    assert {row.name for row in rows if row.required} == {"MongoDB", "object store"}


async def test_a_temporal_that_accepts_and_never_answers_is_reported_within_seconds(
    database: Database, objects: "ObjectStore", temporal: "Client", monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_of(database, objects, temporal)

    async def silent(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(health, "_CHECK_TIMEOUT", timedelta(milliseconds=100))
    monkeypatch.setattr("found_footy.platform.temporal.queues.fetch_backlog", silent)
    monkeypatch.setattr(health, "fetch_schedule_state", silent)
    rows = await asyncio.wait_for(health.check_processes(app), PATIENCE_SECONDS)
    assert [row.ok for row in rows] == [False, False, False]
    assert all("no answer within" in row.detail for row in rows)
