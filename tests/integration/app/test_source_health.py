"""What a person is told about the sources of candidates: refusals of Reddit, and a source that fell silent."""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from found_footy import app as app_module
from found_footy import health
from found_footy.app import AppContext
from found_footy.cli import console, doctor, source_table
from found_footy.discovery.sources.reddit.store import RedditStore
from found_footy.domain.collections import FixtureCollection
from found_footy.platform.mongo import Database
from found_footy.settings import load_settings
from found_footy.source_health import SOURCES, SourceChecker
from found_footy.views.source_store import SourceStore

if TYPE_CHECKING:
    from temporalio.client import Client

    from found_footy.platform.objects import ObjectStore

NOW = datetime.now(UTC)


@pytest.fixture
def app(database: Database, objects: "ObjectStore", temporal: "Client") -> AppContext:
    return app_of(database, objects, temporal, FOOTY_DISCOVERY__SOURCES="x,reddit")


def app_of(database: Database, objects: "ObjectStore", temporal: "Client", **more: str) -> AppContext:
    environ = {"TWITTER_SERVICE_URL": "http://127.0.0.1:1", "FOOTY_DATA_DIR": "nowhere", "API_FOOTBALL_KEY": "a key"}
    return AppContext(load_settings({**environ, **more}).settings, database, objects, temporal)


async def record_poll(database: Database, **result: Any) -> None:
    store = RedditStore(database)
    claimed = await store.claim_poll(NOW, NOW + timedelta(minutes=2))
    assert claimed is not None
    assert await store.finish_poll(replace(claimed, **result))


async def store_goals(database: Database, count: int, silent: int) -> None:
    """A fixture whose last goals Reddit found nothing for, although it answered."""
    events = []
    for number in range(count):
        at = NOW - timedelta(minutes=count - number)
        sources = ("x",) if number >= count - silent else ("x", "reddit")
        links = [{"url": f"https://e.test/{name}{number}", "source": name, "attempt": 1} for name in sources]
        attempt = {"attempt": 1, "searched_at": at, "sources": {"x": "answered", "reddit": "answered"}}
        events.append({"_first_seen": at, "_discovered_videos": links, "_telemetry": {"attempts": {"d": attempt}}})
    await database[FixtureCollection.ACTIVE].insert_one({"_id": 1, "kickoff": NOW, "events": events})


async def test_reddit_has_a_line_of_its_own_only_if_it_is_a_source(
    database: Database, objects: "ObjectStore", temporal: "Client"
) -> None:
    without = app_of(database, objects, temporal, FOOTY_DISCOVERY__SOURCES="x")
    assert [line.name for line in await health.check_source_rows(without)] == [SOURCES]


@pytest.mark.parametrize(
    ("error", "message", "key", "told", "remedy"),
    [
        ("Blocked", "the list is empty", "", "Blocked: the list is empty; rests until", "REDDIT_CLIENT_ID"),
        ("RateLimited", "too many requests", "", "RateLimited: too many requests; rests until", "nothing to do"),
        ("AuthFailed", "the key is refused", "an id", "(with a key)", "withdrawn the key"),
        ("", "", "", "by its Atom feed, without a key", ""),
    ],
)  # fmt: skip
async def test_doctor_and_the_health_page_tell_what_reddit_answered(
    error: str,
    message: str,
    key: str,
    told: str,
    remedy: str,
    database: Database,
    objects: "ObjectStore",
    temporal: "Client",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await record_poll(database, error=error, message=message, next_at=NOW + timedelta(minutes=15))
    reading = app_of(database, objects, temporal, FOOTY_DISCOVERY__SOURCES="x,reddit", REDDIT_CLIENT_ID=key)

    class Opened:
        async def __aenter__(self) -> AppContext:
            return reading

        async def __aexit__(self, *_: object) -> None:
            return None

    monkeypatch.setattr(app_module, "open_app", lambda _: Opened())
    for rows in (await health.check_outside_systems(reading), await doctor.check_services(reading.settings, [])):
        [line] = [line for line in rows if line.name == health.REDDIT]
        assert (line.ok, line.required, line.vital) == (not error, False, False)
        assert told in line.detail
        assert remedy in line.remedy
        assert bool(line.remedy) == bool(error)


async def test_a_source_that_finds_nothing_while_others_do_is_reported_everywhere(
    app: AppContext, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    await store_goals(database, 30, silent=10)
    [line] = [row for row in await health.check_outside_systems(app) if row.name == SOURCES]
    assert not line.ok
    assert line.detail.startswith("reddit found nothing for the last 10 goals for which others found clips")
    assert "by hand" in line.remedy
    views = await SourceStore(database).read_sources(NOW)
    with console.out.capture() as shown:
        console.out.print(source_table.render_sources(views))
    assert "finds nothing" in shown.get()


async def test_a_suspicion_is_logged_when_it_begins_and_a_reading_is_kept_for_a_minute(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    times = iter([0.0, 0.0, 59.0, 61.0, 61.0, 122.0, 122.0])
    checker = SourceChecker(database, lambda: next(times))
    assert (await checker.check()).ok
    await store_goals(database, 30, silent=10)
    assert (await checker.check()).ok
    assert not (await checker.check()).ok
    assert not (await checker.check()).ok
    said = [record for record in caplog.records if getattr(record, "action", "") == "source_silent"]
    assert len(said) == 1
    assert "reddit found nothing" in said[0].getMessage()


async def test_usual_sources_are_reported_with_their_shares(database: Database) -> None:
    await store_goals(database, 3, silent=1)
    line = await SourceChecker(database).check()
    assert (line.ok, line.detail) == (True, "candidates of the last seven days: reddit 2 (0 right), x 3 (0 right)")
