"""Private mode: nothing is shown to anybody who is not signed in, and streams end with the access to them."""

import asyncio

import httpx
import pytest
from pydantic import SecretStr

from found_footy.access.levels import KeyScope, Role
from found_footy.web import cached_answers, page_cache
from found_footy.web.app import create_app
from found_footy.web.server import serve_app
from tests.support.access.accounts import SITE, AccessSite
from tests.support.patience import PATIENCE_SECONDS
from tests.support.web.page import PageData

TOKEN = "a token of the operator"


async def test_strangers_are_led_to_the_sign_in_and_back(site: AccessSite, page_data: PageData) -> None:
    private = site.with_access(public=False)
    match = await page_data.store_playable()
    media = f"/media/{match['events'][0]['_s3_videos'][0]['_s3_key']}"
    stranger = private.open_browser()
    answer = await stranger.client.get("/search?q=Wirtz&kind=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=%2Fsearch%3Fq%3DWirtz%26kind%3Da")
    for path in (media, "/feeds/goals.rss", "/api/v1/matches", "/events", "/api/openapi.json"):
        refused = await stranger.client.get(path, headers={"accept": "*/*"})
        assert (refused.status_code, refused.headers["cache-control"]) == (401, "no-store"), path
    for path in ("/sign-in", "/static/page.css", "/healthz", "/manifest.webmanifest"):
        assert (await stranger.client.get(path)).status_code == 200, path
    viewer = await private.sign_in("ada", Role.VIEWER)
    shown = await viewer.client.get(media)
    assert shown.status_code == 200
    # A cache in front must not give it to the next visitor.
    assert "private" in shown.headers["cache-control"]
    assert "public" not in shown.headers["cache-control"]
    assert "public" in (await site.open_browser().client.get(media)).headers["cache-control"]


async def test_a_page_that_is_kept_is_shown_to_nobody_who_is_not_signed_in(
    site: AccessSite, page_data: PageData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept answers are given before the gate decides, so they are not for private mode."""
    monkeypatch.setattr(page_cache, "_MAX_AGE_SECONDS", float("inf"))
    monkeypatch.setattr(cached_answers, "_ROUTED_HEADERS", frozenset())
    private = site.with_access(public=False).with_web(admin_token=SecretStr(TOKEN))
    await page_data.store_playable()
    app = create_app(private.deps)
    app.state.web.hub.is_following = True
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=SITE) as client:
        for path in ("/", "/api/v1/matches"):
            for _ in range(2):
                assert (await client.get(path, headers={"authorization": f"Bearer {TOKEN}"})).status_code == 200
            assert (await client.get(path)).status_code == 401


async def test_a_live_stream_ends_with_the_key_that_opened_it(site: AccessSite) -> None:
    private = site.with_access(public=False)
    await private.add_user("ada")
    ada = await private.accounts.require_user("ada")
    key, described = await private.accounts.add_key("the test", ada, "live", KeyScope.READ, None)
    headers = {"authorization": f"Bearer {key}"}
    async with (
        serve_app(create_app(private.deps), private.deps.settings) as address,
        httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client,
        client.stream("GET", "/events", headers=headers) as stream,
    ):
        lines = stream.aiter_lines()
        assert (await anext(lines)).startswith("retry:")
        await private.accounts.revoke_key("the test", described.key_id)
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert [line async for line in lines if line and not line.startswith(":")] == []


async def test_a_feed_reader_sends_a_key_in_the_address_which_opens_feeds_and_nothing_else(
    site: AccessSite, page_data: PageData
) -> None:
    private = site.with_access(public=False)
    await page_data.store_playable()
    await private.add_user("ada", Role.ADMIN)
    ada = await private.accounts.require_user("ada")
    key, described = await private.accounts.add_key("the test", ada, "reader", KeyScope.ADMIN, None)
    reader = private.open_browser().client
    for path in ("/feeds/goals.rss", "/feeds/search.atom", "/feeds/matches.ics"):
        answer = await reader.get(path, params={"key": key})
        assert answer.status_code == 200, path
        # A feed is passed on: it must not carry the key.
        assert key not in answer.text
    for path in ("/", "/api/v1/matches", "/metrics", "/users"):
        assert (await reader.get(path, params={"key": key}, headers={"accept": "*/*"})).status_code == 401, path
    await private.accounts.revoke_key("the test", described.key_id)
    assert (await reader.get("/feeds/goals.rss", params={"key": key})).status_code == 401
    wrong = [(await reader.get("/feeds/goals.rss", params={"key": "guess"})).status_code for _ in range(10)]
    assert (wrong[:9], wrong[-1]) == ([401] * 9, 429)


async def test_an_address_that_is_too_long_to_come_back_to_still_leads_to_the_sign_in(site: AccessSite) -> None:
    stranger = site.with_access(public=False).open_browser()
    answer = await stranger.client.get(f"/search?q={'a' * 1500}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
