"""Pages are made once for everybody, of a bounded size, and are not sent to who has them."""

import gzip
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from prometheus_client import REGISTRY

from found_footy.domain.collections import FixtureCollection
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from found_footy.web.settings import WebSettings
from tests.integration.web.test_live import cursor_of, listening, next_event
from tests.support.patience import PATIENCE_SECONDS
from tests.support.web import matchday
from tests.support.web.matchday import NOW
from tests.support.web.page import PageData, open_client

PATHS = ["/", "/fragments/matches", "/fragments/match/5000", "/api/v1/status"]


def renders() -> float:
    return REGISTRY.get_sample_value("found_footy_web_render_seconds_count") or 0.0


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_made_again_when_something_changed_and_only_then(
    path: str, address: str, page_data: PageData
) -> None:
    match = await page_data.store_fixture(matchday.fixture())
    since = await cursor_of(address)
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
        first = await client.get(path)
        before = renders()
        for _ in range(5):
            assert (await client.get(path)).content == first.content
        assert renders() == before
        async with listening(address, since) as lines:
            goal = matchday.goal(name="Another Scorer")
            await page_data.store_fixture(match | {"events": [goal], "goals": {"home": 9, "away": 0}})
            reported = await next_event(lines)
        fresh = await client.get(path, headers={"last-event-id": reported.id})
    assert fresh.content != first.content
    assert renders() == before + 1


@pytest.mark.parametrize("path", PATHS)
async def test_a_browser_that_has_the_page_does_not_get_it_again(
    path: str, client: httpx.AsyncClient, page_data: PageData
) -> None:
    await page_data.store_playable()
    first = await client.get(path)
    again = await client.get(path, headers={"if-none-match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert (await client.get(path, headers={"if-none-match": '"other"'})).status_code == 200
    assert first.headers["cache-control"] == "no-cache"
    # It is not the same for every visitor, whatever stands in front.
    assert {"Accept-Encoding", "Cookie"} <= set(first.headers["vary"].split(", "))


async def test_a_page_is_compressed_once_and_sent_plain_on_request(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await page_data.store_playable()
    plain = await client.get("/", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    async with client.stream("GET", "/", headers={"accept-encoding": "gzip"}) as packed:
        raw = b"".join([chunk async for chunk in packed.aiter_raw()])
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw) == plain.content
    assert len(raw) < len(plain.content)


async def test_viewers_of_two_time_zones_have_two_pages(address: str, page_data: PageData) -> None:
    await page_data.store_fixture(
        matchday.fixture(status="NS", kickoff=NOW + timedelta(hours=5)), FixtureCollection.STAGING
    )
    await cursor_of(address)
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
        for _ in range(2):
            for zone, shown in (("Asia/Tokyo", ">10:00<"), ("UTC", ">01:00<")):
                assert shown in (await client.get("/", headers={"cookie": f"zone={zone}"})).text


async def test_a_page_made_for_one_serves_the_others_for_a_moment_without_the_change_stream(
    deps: WebDeps, page_data: PageData
) -> None:
    """As shipped: where MongoDB gives no change stream, reloads cost one page a second at most."""
    settings = deps.settings.model_copy(update={"page_reuse": timedelta(seconds=PATIENCE_SECONDS)})
    async with open_client(replace(deps, settings=settings)) as client:
        before = renders()
        for _ in range(5):
            await client.get("/")
        assert renders() == before + 1
    assert WebSettings().page_reuse > timedelta(0)


async def test_the_page_of_a_visitor_who_reloads_is_live(deps: WebDeps, page_data: PageData) -> None:
    """A page from before a change names its place in the stream, so that the browser is told of the change."""
    settings = deps.settings.model_copy(update={"page_reuse": timedelta(seconds=PATIENCE_SECONDS)})
    async with serve_app(create_app(replace(deps, settings=settings)), settings) as address:
        since = await cursor_of(address)
        async with listening(address, since) as lines:
            await page_data.store_fixture(matchday.fixture())
            reported = await next_event(lines)
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
            text = (await client.get("/")).text
        named = text.split('data-cursor="')[1].split('"')[0]
        async with listening(address, named) as lines:
            assert named == reported.id or (await next_event(lines)).data == {"id": 5000}
