"""What a person is told about the outside systems."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from found_footy import health
from found_footy.app import App
from found_footy.fixtures.store import FixtureStore
from found_footy.platform.mongo import Database
from found_footy.settings import load_settings

if TYPE_CHECKING:
    from temporalio.client import Client

    from found_footy.platform.objects import ObjectStore

NOW = datetime.now(UTC)


@pytest.fixture
def app(database: Database, objects: "ObjectStore", temporal: "Client") -> App:
    settings = load_settings({"TWITTER_SERVICE_URL": "http://127.0.0.1:1", "FOOTY_DATA_DIR": "nowhere"}).settings
    return App(settings, database, objects, temporal)


async def test_a_feed_without_a_key_says_what_to_set(app: App) -> None:
    feed, *_ = await health.outside(app)
    assert not feed.ok
    assert "API_FOOTBALL_KEY" in feed.remedy


async def test_the_last_failure_of_the_feed_is_told_with_its_kind(app: App) -> None:
    error = {"kind": "Malformed", "text": "API-Football: not JSON", "at": NOW}
    await FixtureStore(app.database).note_feed({"last_error": error, "budget": {"day_remaining": 7, "day_limit": 100}})
    feed, *_ = await health.outside(app)
    assert not feed.ok
    assert "Malformed" in feed.detail
    assert "7 of 100 calls left today" in feed.detail


async def test_a_search_service_that_is_not_there_is_named(app: App) -> None:
    _, search, _ = await health.outside(app)
    assert not search.ok
    assert "http://127.0.0.1:1: unreachable" in search.detail
    assert not search.required


async def test_who_looks_at_clips_is_told(app: App) -> None:
    _, _, reader = await health.outside(app)
    assert reader.ok
    assert reader.detail.startswith("local: this machine")
