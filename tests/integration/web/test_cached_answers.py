"""Answers that are given before any route is looked up: the same as those of the routes, and never out of date."""

import gzip
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from prometheus_client import REGISTRY

from found_footy.domain.collections import FixtureCollection
from found_footy.web import cached_answers, page_cache
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.page_cache import CachedPage
from found_footy.web.state import WebState
from tests.support.web import matchday
from tests.support.web.page import PageData

PATHS = ["/", "/days/2026-11-15", "/api/v1/days/2026-11-15", "/api/v1/matches", "/goals/5000_40_234_Goal_1"]


@pytest.fixture
async def served(deps: WebDeps, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[httpx.AsyncClient, WebState]]:
    """A page is kept until a change is published, however slow the machine is."""
    monkeypatch.setattr(page_cache, "_MAX_AGE_SECONDS", float("inf"))
    app = create_app(deps)
    app.state.web.hub.is_following = True
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footy.test") as client:
        yield client, app.state.web


def count_routed(route: str) -> float:
    labels = {"route": route, "method": "GET", "status": "200"}
    return REGISTRY.get_sample_value("found_footy_web_requests_total", labels) or 0.0


@pytest.mark.parametrize("path", PATHS)
async def test_the_second_answer_is_the_first_without_a_route(
    path: str, served: tuple[httpx.AsyncClient, WebState], page_data: PageData, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, web = served
    await page_data.store_playable()
    first = await client.get(path)
    monkeypatch.setattr(web.page_cache, "get", None)  # a route could not answer now
    for headers in ({}, {"accept-encoding": "identity"}, {"if-none-match": first.headers["etag"]}):
        again = await client.get(path, headers=headers)
        if "if-none-match" in headers:
            assert (again.status_code, again.content) == (304, b"")
        else:
            assert (again.status_code, again.content) == (200, first.content)
            assert {k: v for k, v in again.headers.items() if k != "content-length"} == {
                k: v for k, v in first.headers.items() if k not in ("content-length", *_only_packed(again, first))
            }
        assert again.headers["content-security-policy"] == first.headers["content-security-policy"]


def _only_packed(one: httpx.Response, other: httpx.Response) -> set[str]:
    return {"content-encoding"} if "content-encoding" not in one.headers else set()


async def test_answers_are_counted_under_their_route(
    served: tuple[httpx.AsyncClient, WebState], page_data: PageData
) -> None:
    client, _ = served
    before = count_routed("/api/v1/days/{day}")
    for _ in range(3):
        await client.get("/api/v1/days/2026-11-15")
    assert count_routed("/api/v1/days/{day}") == before + 3


async def test_cookies_hosts_and_queries_have_answers_of_their_own(
    served: tuple[httpx.AsyncClient, WebState], page_data: PageData
) -> None:
    client, _ = served
    kickoff = matchday.NOW + timedelta(hours=5)
    await page_data.store_fixture(matchday.fixture(status="NS", kickoff=kickoff), FixtureCollection.STAGING)
    for _ in range(2):
        assert ">01:00<" in (await client.get("/")).text
        assert ">10:00<" in (await client.get("/", headers={"cookie": "zone=Asia/Tokyo"})).text
    await page_data.store_playable(6000)
    goal = "/goals/6000_40_234_Goal_1"
    for _ in range(2):
        for host in ("one.test", "two.test"):
            assert f"http://{host}/goals/" in (await client.get(goal, headers={"host": host})).text


async def test_a_change_ends_an_answer(served: tuple[httpx.AsyncClient, WebState], page_data: PageData) -> None:
    client, web = served
    await page_data.store_playable()
    await client.get("/")
    await page_data.store_fixture(matchday.fixture(5001, teams=_teams("Chelsea", "Everton")))
    assert "Chelsea" not in (await client.get("/")).text
    web.hub.publish_change(5001)
    assert "Chelsea" in (await client.get("/")).text


async def test_a_request_with_a_body_or_a_change_to_see_goes_to_the_routes(
    served: tuple[httpx.AsyncClient, WebState], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, web = served
    await client.get("/")
    assert (await client.request("GET", "/", content=b"x")).status_code == 413
    assert (await client.post("/")).status_code == 405
    routed: list[object] = []
    real = web.page_cache.get

    async def note(key: object, *rest: Any) -> CachedPage:
        routed.append(key)
        return await real(key, *rest)

    monkeypatch.setattr(web.page_cache, "get", note)
    await client.get("/")
    assert not routed
    await client.get("/", headers={"last-event-id": web.hub.cursor})
    assert len(routed) == 1


def _teams(home: str, away: str) -> matchday.Document:
    return {"home": {"id": 1, "name": home}, "away": {"id": 2, "name": away}}


async def test_what_strangers_ask_is_remembered_within_bounds(
    served: tuple[httpx.AsyncClient, WebState], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, web = served
    monkeypatch.setattr(cached_answers, "_MAX_REMEMBERED", 10)
    for number in range(30):
        assert (await client.get("/", headers={"cookie": f"x={number}"})).status_code == 200
    assert len(web.cached_answers) == 10
    await client.get("/", headers={"cookie": "x=" + "y" * 5000})
    assert len(web.cached_answers) == 10


async def test_packed_bytes_are_those_of_the_page(
    served: tuple[httpx.AsyncClient, WebState], page_data: PageData
) -> None:
    client, _ = served
    plain = await client.get("/", headers={"accept-encoding": "identity"})
    async with client.stream("GET", "/", headers={"accept-encoding": "gzip"}) as packed:
        raw = b"".join([chunk async for chunk in packed.aiter_raw()])
    assert gzip.decompress(raw) == plain.content
    assert int(packed.headers["content-length"]) == len(raw)
