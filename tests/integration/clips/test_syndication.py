"""The embed endpoint is asked once, without cookies, and every way of failing has a name."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.syndication.client import SyndicationClient
from found_footy.clips.fetch.syndication.request_token import compute_token
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.errors import BadInput, Unavailable
from found_footy.platform.http.client import SafeHttpClient
from tests.support.clips.syndication_posts import ID, media, post
from tests.support.loopback_services import host_of, served

LIMIT = timedelta(seconds=10)
# For an answer that never ends, and uses it up.
SHORT_LIMIT = timedelta(seconds=2)
NOW = datetime(2026, 11, 15, 16, 0, tzinfo=UTC)
EPOCH = datetime(2010, 11, 4, 1, 42, 54, 657_000, tzinfo=UTC)


def written(before: timedelta) -> str:
    """The id of a post of that age."""
    return str(((NOW - before - EPOCH) // timedelta(milliseconds=1)) << 22)


class Endpoint:
    """Answers in turn; the last answer stays."""

    def __init__(self) -> None:
        self.answers: list[Response] = []
        self.asked: list[Request] = []
        self.app = Starlette(routes=[Route("/tweet-result", self._answer)])

    async def _answer(self, request: Request) -> Response:
        self.asked.append(request)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def endpoint() -> Iterator[tuple[Endpoint, str]]:
    endpoint = Endpoint()
    with served(endpoint.app) as base:
        yield endpoint, base


@pytest.fixture
def limit() -> timedelta:
    return LIMIT


@pytest.fixture
async def http(endpoint: tuple[Endpoint, str], limit: timedelta) -> AsyncIterator[SafeHttpClient]:
    place = host_of(endpoint[1])
    client = SafeHttpClient(
        system="X embeds", allowed_hosts=[place], trusted_private=[place], timeout=limit, max_bytes=5_000
    )
    yield client
    await client.aclose()


class PostLookup:
    def __init__(self, endpoint: tuple[Endpoint, str], http: SafeHttpClient) -> None:
        self.endpoint, base = endpoint
        self.seconds = 0.0
        self.client = SyndicationClient(
            http, base, retry_delay=timedelta(milliseconds=1), clock=lambda: self.seconds, now=lambda: NOW
        )

    def says(self, *answers: Response) -> None:
        self.endpoint.answers = list(answers)

    async def refused(self, tweet_id: str = ID) -> FetchFailure:
        found = await self.client.fetch_videos(tweet_id)
        assert isinstance(found, FetchFailure), found
        assert found.reason
        return found


@pytest.fixture
def lookup(endpoint: tuple[Endpoint, str], http: SafeHttpClient) -> PostLookup:
    return PostLookup(endpoint, http)


async def test_a_post_is_requested_with_its_token_and_without_cookies(lookup: PostLookup) -> None:
    lookup.says(JSONResponse(post(media()), headers={"set-cookie": "guest_id=1; Path=/"}))
    for _ in range(2):
        found = await lookup.client.fetch_videos(ID)
        assert not isinstance(found, FetchFailure)
    for request in lookup.endpoint.asked:
        assert dict(request.query_params) == {"id": ID, "token": compute_token(ID), "lang": "en"}
        assert not {"cookie", "authorization", "referer"} & set(request.headers)


async def drip() -> AsyncIterator[bytes]:
    while True:
        yield b" "
        await asyncio.sleep(0.1)


FAILURES: list[tuple[Any, ClipOutcome, bool]] = [
    (lambda: HTMLResponse("<title>Not found</title>", 404), ClipOutcome.DOWNLOAD_DELETED, False),
    (lambda: Response(b"", 410), ClipOutcome.DOWNLOAD_DELETED, False),
    (lambda: HTMLResponse("denied", 403), ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    (lambda: HTMLResponse("rate limited", 429), ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    (lambda: HTMLResponse("oops", 500), ClipOutcome.DOWNLOAD_FAILED, True),
    (lambda: HTMLResponse("over capacity", 503), ClipOutcome.DOWNLOAD_FAILED, True),
    (lambda: HTMLResponse("what?", 400), ClipOutcome.DOWNLOAD_FAILED, False),
    (lambda: HTMLResponse("<h1>Something went wrong</h1>"), ClipOutcome.DOWNLOAD_FAILED, True),
    (lambda: Response('{"__typename":"Tweet"}', media_type="text/html"), ClipOutcome.DOWNLOAD_FAILED, True),
    (lambda: Response("{broken", media_type="application/json"), ClipOutcome.DOWNLOAD_FAILED, True),
    (lambda: Response("[" * 4_000, media_type="application/json"), ClipOutcome.DOWNLOAD_FAILED, True),
    (lambda: Response(b""), ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    (lambda: JSONResponse({}), ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    (lambda: JSONResponse({"x": "y" * 6_000}), ClipOutcome.DOWNLOAD_FAILED, False),
    (lambda: Response(b"", 302, {"location": "http://169.254.169.254/"}), ClipOutcome.DOWNLOAD_FAILED, False),
]


@pytest.mark.parametrize(("answer", "outcome", "passing"), FAILURES)
async def test_every_failure_has_an_outcome(
    lookup: PostLookup, answer: Any, outcome: ClipOutcome, passing: bool
) -> None:
    lookup.says(answer())
    refusal = await lookup.refused()
    assert (refusal.outcome, refusal.transient) == (outcome, passing)
    assert len(lookup.endpoint.asked) == 1


@pytest.mark.parametrize("limit", [SHORT_LIMIT])
async def test_an_answer_that_never_ends_is_a_timeout(lookup: PostLookup) -> None:
    lookup.says(StreamingResponse(drip(), media_type="application/json"))
    refusal = await lookup.refused()
    assert (refusal.outcome, refusal.transient) == (ClipOutcome.DOWNLOAD_TIMEOUT, True)
    assert len(lookup.endpoint.asked) == 1


@pytest.mark.parametrize(
    "tweet_id", ["", "123", "2089000000000000001x", "../../etc/passwd", "١" * 19, "1" * 41, "-1" * 9]
)
async def test_what_is_not_the_id_of_a_post_is_not_requested(lookup: PostLookup, tweet_id: str) -> None:
    assert (await lookup.refused(tweet_id)).outcome is ClipOutcome.BAD_URL
    assert lookup.endpoint.asked == []


async def test_an_empty_answer_about_a_new_post_is_requested_once_more(lookup: PostLookup) -> None:
    fresh = written(before=timedelta(seconds=40))
    lookup.says(JSONResponse({}), JSONResponse(post(media(), id_str=fresh)))
    assert not isinstance(await lookup.client.fetch_videos(fresh), FetchFailure)
    lookup.says(JSONResponse({}))
    assert (await lookup.refused(fresh)).transient
    assert len(lookup.endpoint.asked) == 4


async def test_an_empty_answer_about_an_old_post_is_final(lookup: PostLookup) -> None:
    lookup.says(Response(b""))
    await lookup.refused(written(before=timedelta(hours=1)))
    assert len(lookup.endpoint.asked) == 1


async def test_after_a_rate_limit_no_request_is_made_until_its_end(lookup: PostLookup) -> None:
    lookup.says(Response(b"", 429, {"retry-after": "30"}), JSONResponse(post(media())))
    await lookup.refused()
    lookup.seconds = 29.0
    assert (await lookup.refused()).outcome is ClipOutcome.DOWNLOAD_RATE_LIMITED
    assert len(lookup.endpoint.asked) == 1
    lookup.seconds = 31.0
    assert not isinstance(await lookup.client.fetch_videos(ID), FetchFailure)


async def test_a_permanent_failure_is_reported_at_once(lookup: PostLookup) -> None:
    lookup.says(HTMLResponse("gone", 404), HTMLResponse("oops", 500), JSONResponse(post(media(1), media(2))))
    with pytest.raises(BadInput, match="no such post"):
        await lookup.client.fetch_post_videos(ID)
    with pytest.raises(Unavailable):
        await lookup.client.fetch_post_videos(ID)
    assert len(await lookup.client.fetch_post_videos(ID)) == 2
