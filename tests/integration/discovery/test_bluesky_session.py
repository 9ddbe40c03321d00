"""Searching Bluesky with an account: closed days do not matter, and its secrets stay secret."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.bluesky import BlueskySource
from found_footy.discovery.sources.bluesky_session import BlueskyAccount, BlueskySession
from found_footy.discovery.sources.errors import Blocked, SessionExpired
from found_footy.platform.errors import ConfigError, Malformed, RateLimited, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.settings import load_settings
from found_footy.source_factory import build_search_sources
from found_footy_sim.bluesky import BlueskyFault, BlueskyPost, BlueskySite
from tests.support.loopback_services import host_of, served

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
WANTED = SourceRequest("ignored", ("Florian", "Wirtz"), ("Liverpool",), max_age_minutes=3, limit=30)
HANDLE, PASSWORD = "footy.bsky.social", "abcd-efgh-ijkl-mnop"
POST = BlueskyPost("fan.bsky.social", "3l3wdzzedvv1", "Wirtz! Liverpool!", NOW - timedelta(seconds=30), b"film")


class Clock:
    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def site() -> BlueskySite:
    return BlueskySite([POST], accounts={HANDLE: PASSWORD})


@pytest.fixture
def base(site: BlueskySite) -> Iterator[str]:
    with served(site.app) as url:
        yield url


@asynccontextmanager
async def logged_in(base: str, password: str = PASSWORD, clock: Clock | None = None) -> AsyncIterator[BlueskySource]:
    hosts = [host_of(base)]
    http = SafeHttpClient(system="Bluesky", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=5))
    ticking = clock or Clock()
    session = BlueskySession(http, base, BlueskyAccount(HANDLE, password), ticking, lambda: NOW)
    yield BlueskySource(http, base, base, ticking, lambda: NOW, session)
    await http.aclose()


async def test_with_an_account_the_search_works_where_the_public_one_is_refused(site: BlueskySite, base: str) -> None:
    site.fault = BlueskyFault.CLOSED
    async with logged_in(base) as bluesky:
        assert len((await bluesky.find_candidates(WANTED)).videos) == 1
        assert len((await bluesky.find_candidates(WANTED)).videos) == 1
    assert site.sessions.created_handles == [HANDLE]
    assert (len(site.public_queries), len(site.logged_in_queries)) == (0, 2)
    assert not any("cursor" in asked for asked in site.logged_in_queries)


async def test_a_stale_token_is_renewed_and_the_request_repeated(site: BlueskySite, base: str) -> None:
    async with logged_in(base) as bluesky:
        await bluesky.find_candidates(WANTED)
        site.sessions.expire()
        assert len((await bluesky.find_candidates(WANTED)).videos) == 1
    assert (len(site.sessions.created_handles), len(site.sessions.refreshed_tokens)) == (1, 1)


async def test_when_the_refresh_token_is_stale_too_the_session_is_made_anew(site: BlueskySite, base: str) -> None:
    async with logged_in(base) as bluesky:
        await bluesky.find_candidates(WANTED)
        site.sessions.expire(include_refresh=True)
        assert len((await bluesky.find_candidates(WANTED)).videos) == 1
    assert (len(site.sessions.created_handles), len(site.sessions.refreshed_tokens)) == (2, 0)


async def test_searches_at_the_same_time_share_one_session(site: BlueskySite, base: str) -> None:
    async with logged_in(base) as bluesky:
        await asyncio.gather(*(bluesky.find_candidates(WANTED) for _ in range(5)))
        site.sessions.expire()
        await asyncio.gather(*(bluesky.find_candidates(WANTED) for _ in range(5)))
    assert (len(site.sessions.created_handles), len(site.sessions.refreshed_tokens)) == (1, 1)


async def test_a_refused_account_is_reported_and_the_public_search_is_used(
    site: BlueskySite, base: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    with caplog.at_level(logging.INFO):
        async with logged_in(base, "wrong-password", clock) as bluesky:
            for _ in range(3):
                assert len((await bluesky.find_candidates(WANTED)).videos) == 1
            site.fault = BlueskyFault.CLOSED
            with pytest.raises(Blocked):
                await bluesky.find_candidates(WANTED)
            site.sessions.passwords[HANDLE] = "wrong-password"
            clock.seconds += 901
            assert len((await bluesky.find_candidates(WANTED)).videos) == 1
    reported = [vars(record)["action"] for record in caplog.records if "action" in vars(record)]
    assert reported == ["bluesky_account_refused", "bluesky_logged_in"]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (HttpResponse(401, {}, b'{"error": "AuthenticationRequired"}'), SessionExpired),
        (HttpResponse(401, {}, b'{"error": "AuthFactorTokenRequired"}'), SessionExpired),
        (HttpResponse(400, {}, b'{"error": "AccountTakedown"}'), SessionExpired),
        (HttpResponse(429, {"retry-after": "40"}, b"{}"), RateLimited),
        (HttpResponse(502, {}, b"<html>"), Unavailable),
        (HttpResponse(200, {}, b"<html>"), Malformed),
        (HttpResponse(200, {}, b'{"accessJwt": "a b", "refreshJwt": "r"}'), Malformed),
        (HttpResponse(200, {}, b'{"accessJwt": "a"}'), Malformed),
    ],
)
async def test_what_is_wrong_with_a_log_in_has_a_class(answer: HttpResponse, error: type[Exception]) -> None:
    session = BlueskySession(Scripted([answer]).http, "https://bsky.social", BlueskyAccount(HANDLE, PASSWORD))
    with pytest.raises(error) as raised:
        await session.get("app.bsky.feed.searchPosts", {})
    assert type(raised.value) is error
    assert PASSWORD not in str(raised.value)


class Scripted:
    """A client with answers of its own; it keeps where it was sent."""

    def __init__(self, answers: list[HttpResponse]) -> None:
        self._answers = answers
        self.urls: list[str] = []

    @property
    def http(self) -> SafeHttpClient:
        return cast("SafeHttpClient", self)

    async def request(self, method: str, url: str, **params: object) -> HttpResponse:
        del method, params
        self.urls.append(url)
        return self._answers.pop(0)


@pytest.mark.parametrize(
    ("endpoint", "asked"),
    [
        ("https://shimeji.us-east.host.bsky.network", "https://shimeji.us-east.host.bsky.network"),
        ("https://bsky.social/", "https://bsky.social"),
        ("https://evil.example.org", "https://bsky.social"),
        ("http://shimeji.us-east.host.bsky.network", "https://bsky.social"),
        ("https://shimeji.host.bsky.network:8443", "https://bsky.social"),
        ("https://x.host.bsky.network:notaport", "https://bsky.social"),
        ("https://evilhost.bsky.network", "https://bsky.social"),
    ],
)
async def test_tokens_go_to_the_accounts_server_only_if_bluesky_hosts_it(endpoint: str, asked: str) -> None:
    body = (
        '{"accessJwt": "a", "refreshJwt": "r", "didDoc": {"service": [{"type": "AtprotoPersonalDataServer",'
        f' "serviceEndpoint": "{endpoint}"}}]}}}}'
    )
    scripted = Scripted([HttpResponse(200, {}, body.encode()), HttpResponse(200, {}, b"{}")])
    await BlueskySession(scripted.http, "https://bsky.social", BlueskyAccount(HANDLE, PASSWORD)).get("app.bsky.x", {})
    assert scripted.urls[1] == f"{asked}/xrpc/app.bsky.x"


async def test_an_account_that_may_not_search_is_not_used_for_a_while() -> None:
    made = HttpResponse(200, {}, b'{"accessJwt": "a", "refreshJwt": "r"}')
    scripted = Scripted([made, HttpResponse(403, {}, b"<html>")])
    session = BlueskySession(scripted.http, "https://bsky.social", BlueskyAccount(HANDLE, PASSWORD), Clock())
    for _ in range(2):
        with pytest.raises(Blocked):
            await session.get("app.bsky.x", {})
    assert len(scripted.urls) == 2


def test_secrets_are_not_shown() -> None:
    assert PASSWORD not in repr(BlueskyAccount(HANDLE, PASSWORD))


def an_environment(**more: str) -> dict[str, Any]:
    return {"FOOTY_DISCOVERY__SOURCES": "bluesky", **more}


@pytest.mark.parametrize("only", ["BLUESKY_HANDLE", "BLUESKY_APP_PASSWORD"])
async def test_half_an_account_is_a_wrong_setting(only: str) -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(ConfigError, match="must be set together"):
            build_search_sources(load_settings(an_environment(**{only: "something"})).settings, stack)


async def test_the_product_searches_with_the_account_that_is_set(site: BlueskySite, base: str) -> None:
    site.fault = BlueskyFault.CLOSED
    site.posts = [BlueskyPost(POST.handle, POST.key, POST.text, datetime.now(UTC), b"film")]
    env = an_environment(
        BLUESKY_HANDLE=f"@{HANDLE}",
        BLUESKY_APP_PASSWORD=PASSWORD,
        FOOTY_DISCOVERY__BLUESKY_SERVICE=base,
        FOOTY_DISCOVERY__BLUESKY_URL=base,
        FOOTY_TRUSTED_HOSTS=host_of(base),
    )
    async with AsyncExitStack() as stack:
        [source] = build_search_sources(load_settings(env).settings, stack)
        assert len((await source.find_candidates(WANTED)).videos) == 1
