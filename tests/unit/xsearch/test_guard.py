"""Who may talk to the service."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.routing import APIRoute
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from found_footy import source_factory
from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.health import TOKEN_REFUSED
from found_footy.health import check_search as search_health
from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.settings import load_settings
from found_footy.xsearch.access import SearchAccessMiddleware
from found_footy.xsearch.app import create_app
from found_footy.xsearch.results.search_results import SearchResults, StopReason
from found_footy.xsearch.service import XSearchService
from tests.support.loopback_services import served
from tests.support.patience import PATIENCE_SECONDS
from tests.unit.xsearch.test_app import client_of, service_in

if TYPE_CHECKING:
    from tests.support.xsearch.stand_in_browser import StandIns

TOKEN = "a-token-of-enough-characters"
WITH_TOKEN = {"authorization": f"Bearer {TOKEN}"}
HERE, ELSEWHERE = "127.0.0.1", "10.0.0.9"
# What anybody may have: a page without content, its style and script, and that the process lives.
PUBLIC = {("GET", "/"), ("GET", "/assets/{name}"), ("GET", "/healthz")}


@pytest.fixture
def open_service(stand_ins: "StandIns", tmp_path: Path) -> XSearchService:
    return service_in(stand_ins, tmp_path)


@pytest.fixture
def service(stand_ins: "StandIns", tmp_path: Path) -> XSearchService:
    return service_in(stand_ins, tmp_path, token=TOKEN)


def routes(service: XSearchService) -> Iterator[tuple[str, str]]:
    for route in create_app(service).routes:
        assert isinstance(route, APIRoute | Route), f"{route}: neither guarded nor known here"
        yield from ((method, route.path) for method in sorted(route.methods or ()))


async def statuses(service: XSearchService, peer: str, name: str = "localhost", **headers: str) -> set[int]:
    """What a caller gets from every route that is not public."""
    answers = set()
    async with client_of(service, peer, name) as caller:
        for method, path in routes(service):
            if (method, path) not in PUBLIC:
                answer = await caller.request(method, path, headers=headers)
                assert "authenticated" not in answer.text
                answers.add(answer.status_code)
    return answers


async def test_every_route_but_the_public_ones_needs_the_token_once_there_is_one(service: XSearchService) -> None:
    assert len(set(routes(service)) - PUBLIC) >= 8
    assert set(routes(service)) >= PUBLIC
    for peer in (HERE, ELSEWHERE):
        assert await statuses(service, peer) == {401}
        for wrong in ("Bearer wrong", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer "):
            assert await statuses(service, peer, authorization=wrong) == {401}


async def test_without_a_token_every_route_but_the_public_ones_is_for_this_machine(
    open_service: XSearchService,
) -> None:
    assert await statuses(open_service, ELSEWHERE) == {403}
    for header in ("x-forwarded-for", "forwarded", "via", "x-real-ip", "x-forwarded-host"):
        assert await statuses(open_service, HERE, **{header: "1.2.3.4"}) == {403}
    # A foreign name that was made to lead here: what a page of that name asks, it may read.
    for name in ("rebound.example", "127.0.0.1.rebound.example", "localhost.rebound.example"):
        assert await statuses(open_service, HERE, name) == {421}


async def test_public_routes_show_nothing_private(service: XSearchService) -> None:
    async with client_of(service, ELSEWHERE, "rebound.example") as stranger:
        for path in ("/", "/healthz", "/assets/page.css", "/assets/page.js"):
            answer = await stranger.get(path)
            assert answer.status_code == 200
            assert not any(word in answer.text for word in ("x.com", "running", "authenticated", service.settings.site))
        assert (await stranger.get("/healthz")).json() == {"status": "ok"}
        assert (await stranger.post("/healthz")).status_code == 401
        for path in ("/openapi.json", "/docs", "/redoc", "/nothing", "/assets/../health"):
            assert (await stranger.get(path)).status_code in (401, 404)


async def test_authorized_callers_are_served(service: XSearchService, open_service: XSearchService) -> None:
    async with client_of(service, ELSEWHERE, "xsearch") as friend:
        for path in ("/health", "/session", "/metrics", "/page"):
            assert (await friend.get(path, headers=WITH_TOKEN)).status_code == 200
    for peer in ("127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"):
        for name in ("localhost", "127.0.0.1", "[::1]"):
            async with client_of(open_service, peer, name) as local:
                assert (await local.get("/health")).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "http://localhost:8888", "sec-fetch-site": "same-origin"}, 422),
        ({}, 422),
    ],
)
async def test_a_page_of_another_site_may_not_search(
    service: XSearchService, headers: Mapping[str, str], status: int
) -> None:
    async with client_of(service) as client:
        answer = await client.post("/search", json={}, headers={**WITH_TOKEN, **headers})
        assert answer.status_code == status


@pytest.mark.parametrize("length", [True, False], ids=["told", "chunked"])
async def test_a_body_is_read_up_to_its_limit_and_not_at_all_for_unauthorized_callers(
    service: XSearchService, length: bool
) -> None:
    sent: list[int] = []

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(100):
            sent.append(64 * 1024)
            yield b"x" * sent[-1]

    reported = {"content-length": str(100 * 64 * 1024)} if length else {}
    kind = {"content-type": "application/json"}
    async with client_of(service) as client:
        for path, most in (("/search", 256 * 1024), ("/session/check", 256 * 1024), ("/session", 1_000_000)):
            for rights, status in ((WITH_TOKEN, 413), ({}, 401)):
                sent.clear()
                answer = await client.post(path, content=parts(), headers={**rights, **reported, **kind})
                assert answer.status_code == status
                assert sum(sent) <= (most + 64 * 1024 if rights and not length else 0)


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("reached")(scope, receive, send)

    async def silent() -> Message:
        await asyncio.Event().wait()
        return {}

    answers: list[Message] = []

    async def send(message: Message) -> None:
        answers.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/search",
        "client": (HERE, 1),
        "headers": [(b"host", b"localhost"), (b"content-length", b"10")],
    }
    async with asyncio.timeout(PATIENCE_SECONDS):
        await SearchAccessMiddleware(application, None, body_timeout=timedelta(milliseconds=20))(scope, silent, send)
    assert answers[0]["status"] == 408


def test_a_token_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(ConfigError, match="X_SEARCH_TOKEN"):
        load_settings({"FOOTY_DATA_DIR": "/nonexistent", "X_SEARCH_TOKEN": "fifteen letters"})


async def test_workers_send_the_token_and_say_when_it_is_not_the_services(
    service: XSearchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found(*_: Any) -> SearchResults:
        return SearchResults(stop=StopReason.END)

    monkeypatch.setattr(service, "search", found)
    wanted = SourceRequest("Saka", ("Saka",), ("Arsenal",), 3, 30)
    with served(create_app(service)) as base:
        environ = {"FOOTY_DATA_DIR": "/nonexistent", "TWITTER_SERVICE_URL": base, "FOOTY_DISCOVERY__SOURCES": "x"}
        ours = load_settings({**environ, "X_SEARCH_TOKEN": TOKEN}).settings
        other = load_settings({**environ, "X_SEARCH_TOKEN": TOKEN[::-1]}).settings
        async with AsyncExitStack() as stack:
            [source] = source_factory.build_search_sources(ours, stack)
            assert (await source.find_candidates(wanted)).videos == ()
            for settings in (other, load_settings(environ).settings):
                [source] = source_factory.build_search_sources(settings, stack)
                with pytest.raises(Unavailable, match="X_SEARCH_TOKEN"):
                    await source.find_candidates(wanted)
                [instance] = (await source_factory.fetch_search_report(settings)).instances
                assert instance.health == TOKEN_REFUSED
                assert "set X_SEARCH_TOKEN" in (await search_health(settings)).remedy
        assert (await source_factory.fetch_search_report(ours)).instances[
            0
        ].health.healthy is False  # it has no browser
