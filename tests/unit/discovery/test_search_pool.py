"""The pool asks a working search service, and names what is wrong when none works."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.x_service import (
    AccountLocked,
    Blocked,
    ProtocolDrift,
    SessionExpired,
    SourceResult,
    XSearchPool,
    parse_search_response,
)
from found_footy.domain.messages import VideoVariant
from found_footy.platform.errors import ExternalSystemError, Malformed, RateLimited, Unavailable
from found_footy.platform.http.client import SafeHttpClient
from tests.support.pipeline.outside import OutsideServices, serve_outside


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        self.seconds += 0.001
        return self.seconds


@pytest.fixture
def services() -> Iterator[list[OutsideServices]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serve_outside()) for _ in range(3)]


@asynccontextmanager
async def pooled(services: list[OutsideServices], clock: Clock | None = None) -> AsyncIterator[XSearchPool]:
    hosts = [service.host for service in services]
    http = SafeHttpClient(system="X search", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=5))
    yield XSearchPool(http, [s.base for s in services], cooldown=timedelta(seconds=30), clock=clock or Clock())
    await http.aclose()


async def search(pool: XSearchPool) -> SourceResult:
    return await pool.search("Wirtz LFC", max_age_minutes=3, limit=30, exclude=["https://x.com/known"])


async def test_a_search_request_has_the_documented_fields(services: list[OutsideServices]) -> None:
    services[0].finds([services[0].video(1, posted_at="2026-11-15T15:41:07+00:00")])
    async with pooled(services[:1]) as pool:
        found = await search(pool)
    assert services[0].asked == [
        {"query": "Wirtz LFC", "max_age_minutes": 3, "limit": 30, "exclude": ["https://x.com/known"]}
    ]
    [video] = found.videos
    assert video.tweet_id == "2089000000000000001"
    assert video.posted_at == datetime(2026, 11, 15, 15, 41, 7, tzinfo=UTC)
    assert video.variants == (VideoVariant(f"{services[0].base}/1.mp4", 800_000, 320, 180),)


async def test_how_far_back_to_search_is_sent_as_a_time(services: list[OutsideServices]) -> None:
    since = datetime(2026, 11, 15, 15, 39, tzinfo=UTC)
    async with pooled(services[:1]) as pool:
        await pool.find_candidates(SourceRequest("Wirtz LFC", (), (), 3, 30, since=since))
    assert [asked["since"] for asked in services[0].asked] == ["2026-11-15T15:39:00+00:00"]


async def test_nothing_found_is_an_answer(services: list[OutsideServices]) -> None:
    async with pooled(services[:1]) as pool:
        assert await search(pool) == SourceResult(())


async def test_searches_are_spread_over_all_services(services: list[OutsideServices]) -> None:
    async with pooled(services) as pool:
        for _ in range(6):
            await search(pool)
    assert [len(service.asked) for service in services] == [2, 2, 2]


async def test_a_failing_service_is_replaced_by_another_and_then_not_used_for_a_while(
    services: list[OutsideServices],
) -> None:
    services[0].searches = [(503, {"error": "session_expired"})]
    clock = Clock()
    async with pooled(services[:2], clock) as pool:
        for _ in range(4):
            await search(pool)
        assert [len(service.asked) for service in services[:2]] == [1, 4]
        clock.seconds += 31
        services[0].finds([])
        await search(pool)
    assert len(services[0].asked) == 2


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (503, {"error": "session_expired", "detail": "log in again"}, SessionExpired),
        (503, {"error": "blocked"}, Blocked),
        (503, {"error": "account_locked"}, AccountLocked),
        (503, {"error": "protocol_drift"}, ProtocolDrift),
        (503, {"error": "transient"}, Unavailable),
        (503, {"error": "something new"}, Unavailable),
        (500, {}, Unavailable),
        (429, {"error": "rate_limited", "retry_after": 90}, RateLimited),
        (200, {"results": []}, Malformed),
    ],
)
async def test_every_failure_has_its_own_name(
    services: list[OutsideServices], status: int, body: dict[str, Any], error: type[ExternalSystemError]
) -> None:
    services[0].searches = [(status, body)]
    async with pooled(services[:1]) as pool:
        with pytest.raises(error) as raised:
            await search(pool)
    assert type(raised.value) is error


async def test_of_several_failures_the_one_that_ends_soonest_is_reported(services: list[OutsideServices]) -> None:
    services[0].searches = [(503, {"error": "session_expired"})]
    services[1].searches = [(429, {"error": "rate_limited", "retry_after": 300})]
    services[2].searches = [(429, {"error": "rate_limited", "retry_after": 60})]
    async with pooled(services) as pool:
        with pytest.raises(RateLimited) as raised:
            await search(pool)
    assert raised.value.retry_after == 60


async def test_an_unreachable_service_is_unavailable(services: list[OutsideServices]) -> None:
    with serve_outside() as gone:
        pass
    async with pooled([gone]) as pool:
        with pytest.raises(Unavailable):
            await search(pool)


async def test_a_pool_without_services_says_so() -> None:
    async with pooled([]) as pool:
        with pytest.raises(Unavailable, match="no search service"):
            await search(pool)


@pytest.mark.parametrize(
    "tweet_id", ["123", "20890000000000000012345", "2089000000000000x01", 2089000000000000001, None, ""]
)
def test_a_result_whose_id_cannot_be_a_post_is_counted_and_dropped(tweet_id: object) -> None:
    good = {"url": "https://x.com/a/status/1", "tweet_id": "2089000000000000001"}
    found = parse_search_response({"videos": [good, {**good, "tweet_id": tweet_id}]})
    assert len(found.videos) == 1
    assert found.rejected_ids == 1


@pytest.mark.parametrize(
    ("said", "cut_short"),
    [
        ({}, False),
        ({"incomplete": True}, True),
        ({"incomplete": True, "stop": "time"}, True),
        ({"incomplete": True, "stop": "pages"}, False),
        ({"incomplete": True, "stop": "pages", "videos": [{"tweet_id": "2089000000000000001"}]}, True),
        ({"incomplete": False}, False),
        ({"incomplete": "yes"}, False),
    ],
)
def test_a_search_is_cut_short_if_it_says_so_and_another_could_find_more(said: Any, cut_short: bool) -> None:
    assert parse_search_response({"videos": [], **said}).incomplete is cut_short


def test_missing_fields_of_a_result_are_none() -> None:
    result = {
        "url": "https://x.com/a/status/1",
        "tweet_id": "2089000000000000001",
        "author": None,
        "posted_at": "yesterday",
        "duration_seconds": "long",
        "variants": [{"url": "file:///etc/passwd"}, 7, {}],
    }
    [video] = parse_search_response({"videos": [result]}).videos
    assert (video.author, video.posted_at, video.duration_seconds, video.variants) == ("", None, None, ())


def test_values_that_no_store_can_hold_are_dropped() -> None:
    good = {"tweet_id": "2089000000000000001", "url": "https://x.com/a/status/2089000000000000001"}
    bad = [good["url"] + tail for tail in ("\ud83d", "\x00", "\r\nHost: evil", "x" * 4_096)] + ["file:///etc/passwd"]
    found = parse_search_response({"videos": [good, *({**good, "url": url} for url in bad)]})
    assert ([video.url for video in found.videos], found.rejected_ids) == ([good["url"]], len(bad))
    [video] = parse_search_response(
        {"videos": [{**good, "author": "a\ud83d", "text": "half \udc00", "variants": [{"url": bad[0]}]}]}
    ).videos
    assert (video.author, video.text, video.variants) == ("a?", "half ?", ())
