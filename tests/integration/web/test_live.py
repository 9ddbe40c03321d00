"""Browsers learn of changes as they happen."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import httpx
import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.platform.errors import ConfigError
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.live import random_reconnect_ms
from found_footy.web.server import serve_app
from found_footy.web.settings import WebSettings
from tests.support.patience import PATIENCE_SECONDS
from tests.support.web import matchday
from tests.support.web.page import PageData


@dataclass(frozen=True)
class Event:
    id: str
    kind: str
    data: dict[str, int]


@asynccontextmanager
async def listening(address: str, since: str = "", **headers: str) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of the live stream."""
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
        query = {"since": since} if since else {}
        async with client.stream("GET", "/events", params=query, headers=headers) as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield answer.aiter_lines()


async def next_event(lines: AsyncIterator[str]) -> Event:
    fields: dict[str, str] = {}
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for line in lines:
            if not line and "event" in fields:
                return Event(fields["id"], fields["event"], json.loads(fields["data"]))
            name, _, value = line.partition(": ")
            fields[name] = value
    raise AssertionError("the stream ended")


async def cursor_of(address: str) -> str:
    """What the page says about how current it is, once the server follows the database and has told its reload."""
    async with listening(address, "another-life-1") as lines:
        while (await next_event(lines)).id.endswith("-0"):
            pass
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
        page = (await client.get("/")).text
    return page.split('data-cursor="')[1].split('"')[0]


async def test_a_change_of_a_fixture_is_sent_by_its_id(address: str, page_data: PageData) -> None:
    since = await cursor_of(address)
    async with listening(address, since) as lines:
        await page_data.store_fixture(matchday.fixture(5000))
        assert (await next_event(lines)).data == {"id": 5000}
        await page_data.database[FixtureCollection.ACTIVE].update_one({"_id": 5000}, {"$set": {"goals.home": 2}})
        assert (await next_event(lines)).data == {"id": 5000}
        await page_data.database[FixtureCollection.ACTIVE].delete_one({"_id": 5000})
        event = await next_event(lines)
        assert (event.kind, event.data) == ("match", {"id": 5000})


async def test_changes_between_the_page_and_the_stream_are_sent(address: str, page_data: PageData) -> None:
    since = await cursor_of(address)
    await page_data.store_fixture(matchday.fixture(5001), FixtureCollection.COMPLETED)
    async with listening(address, since) as lines:
        assert (await next_event(lines)).data == {"id": 5001}


async def test_a_reconnecting_browser_gets_what_it_missed(address: str, page_data: PageData) -> None:
    since = await cursor_of(address)
    async with listening(address, since) as lines:
        await page_data.store_fixture(matchday.fixture(5000))
        last = (await next_event(lines)).id
    await page_data.store_fixture(matchday.fixture(5002), FixtureCollection.STAGING)
    async with listening(address, since, **{"last-event-id": last}) as lines:
        assert (await next_event(lines)).data == {"id": 5002}


async def test_a_browser_from_before_a_restart_is_asked_to_reload(address: str) -> None:
    async with listening(address, "another-life-5") as lines:
        assert (await next_event(lines)).kind == "reload"


async def test_changes_of_other_collections_are_not_sent(address: str, page_data: PageData) -> None:
    since = await cursor_of(address)
    async with listening(address, since) as lines:
        await page_data.database.fixtures_live.insert_one({"_id": 4000})
        await page_data.store_fixture(matchday.fixture(5000))
        assert (await next_event(lines)).data == {"id": 5000}


async def test_after_the_database_was_dropped_browsers_reload_and_follow_on(address: str, page_data: PageData) -> None:
    await page_data.store_fixture(matchday.fixture(5000))
    since = await cursor_of(address)
    async with listening(address, since) as lines:
        await page_data.database.client.drop_database(page_data.database.name)
        while (await next_event(lines)).kind != "reload":
            pass
        await page_data.store_fixture(matchday.fixture(5003))
        assert (await next_event(lines)).data == {"id": 5003}


async def test_an_idle_stream_sends_heartbeats(address: str) -> None:
    async with listening(address, await cursor_of(address)) as lines, asyncio.timeout(PATIENCE_SECONDS):
        async for line in lines:
            if line == ": quiet":
                break


async def test_one_browser_too_many_is_refused_and_accepted_when_another_leaves(deps: WebDeps) -> None:
    crowded = replace(deps, settings=WebSettings(port=0, live_clients=1, heartbeat=deps.settings.heartbeat))
    async with serve_app(create_app(crowded), crowded.settings) as address, httpx.AsyncClient() as client:
        async with listening(address) as lines:
            await anext(lines)
            refused = await client.get(f"{address}/events")
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")

        async def status() -> int:
            async with client.stream("GET", f"{address}/events") as answer:
                return answer.status_code

        async with asyncio.timeout(PATIENCE_SECONDS):
            while await status() != 200:
                pass


async def test_the_server_stops_although_browsers_follow(deps: WebDeps) -> None:
    async with serve_app(create_app(deps), deps.settings) as address:
        held = listening(address)
        lines = await held.__aenter__()
        await anext(lines)
        open_stream = asyncio.create_task(_drain(lines))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await open_stream
    await held.__aexit__(None, None, None)


async def _drain(lines: AsyncIterator[str]) -> None:
    async for _ in lines:
        pass


async def test_a_port_that_is_taken_is_named(deps: WebDeps, address: str) -> None:
    port = int(address.rpartition(":")[2])
    taken = WebSettings(port=port)
    with pytest.raises(ConfigError, match=rf"127\.0\.0\.1:{port}.*in use.*FOOTY_WEB__PORT"):
        async with serve_app(create_app(deps), taken):
            pass


def test_browsers_that_lost_their_stream_together_reconnect_one_by_one() -> None:
    waits = {random_reconnect_ms() for _ in range(200)}
    assert 2000 <= min(waits) <= max(waits) < 6000
    assert max(waits) - min(waits) > 1000
