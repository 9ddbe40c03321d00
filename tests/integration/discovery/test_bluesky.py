"""Bluesky's posts are found by name and team, and their videos can be fetched as files."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.bluesky import MAX_QUERIES, BlueskySource, build_queries, has_any_term
from found_footy.discovery.sources.errors import Blocked
from found_footy.platform.errors import BadInput, ExternalSystemError, Malformed, NotFound, RateLimited, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy_sim.bluesky import BlueskyFault, BlueskyPost, BlueskySite
from tests.support.loopback_services import host_of, served
from tests.support.patience import PATIENCE

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
WANTED = SourceRequest("ignored", ("Florian", "Wirtz"), ("Liverpool", "LFC"), max_age_minutes=3, limit=30)


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def a_post(number: int = 1, text: str = "Wirtz! What a goal #LFC", **changes: Any) -> BlueskyPost:
    facts = {"posted_at": NOW - timedelta(seconds=30), "video": b"film %d" % number, **changes}
    return BlueskyPost(f"fan{number}.bsky.social", f"3l3wdzzedvv{number}", text, **facts)


@pytest.fixture
def site() -> BlueskySite:
    return BlueskySite([a_post()])


@pytest.fixture
def base(site: BlueskySite) -> Iterator[str]:
    with served(site.app) as url:
        yield url


@asynccontextmanager
async def connected(base: str, clock: Clock | None = None) -> AsyncIterator[BlueskySource]:
    hosts = [host_of(base)]
    http = SafeHttpClient(system="Bluesky", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=5))
    yield BlueskySource(http, base, base, clock or Clock(), now=lambda: NOW)
    await http.aclose()


async def test_a_post_is_found_with_the_address_of_its_file(base: str) -> None:
    async with connected(base) as bluesky:
        [video] = (await bluesky.find_candidates(WANTED)).videos
    assert video.source == "bluesky"
    assert video.url == f"https://bsky.app/profile/{a_post().did}/post/{a_post().key}"
    assert (video.author, video.posted_at) == ("fan1.bsky.social", NOW - timedelta(seconds=30))
    assert (video.variants[0].width, video.variants[0].height) == (1280, 720)


async def test_the_file_is_fetched_through_the_redirect_to_its_authors_server(base: str, tmp_path: Path) -> None:
    async with connected(base) as bluesky:
        [video] = (await bluesky.find_candidates(WANTED)).videos
        target = tmp_path / "film.mp4"
        answer = await bluesky._http.download(video.variants[0].url, target, max_bytes=1000, deadline=PATIENCE)
    assert (answer.status, answer.content_type, target.read_bytes()) == (200, "video/mp4", b"film 1")


@pytest.mark.parametrize(
    "post",
    [
        a_post(video=None),
        a_post(text="Wirtz scores for Leverkusen"),
        a_post(text="LFC win again"),
        a_post(text="Wirtzig und LFCschland, both words inside others"),
        a_post(posted_at=NOW - timedelta(minutes=10)),
    ],
    ids=["no video", "other team", "no player", "parts of words", "too old"],
)
async def test_what_is_not_asked_for_is_left_out(site: BlueskySite, base: str, post: BlueskyPost) -> None:
    site.posts = [post]
    async with connected(base) as bluesky:
        assert (await bluesky.find_candidates(WANTED)).videos == ()


async def test_a_video_beside_a_quoted_post_counts(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(quotes=True)]
    async with connected(base) as bluesky:
        assert len((await bluesky.find_candidates(WANTED)).videos) == 1


GOAL_POST = a_post(2, "GOAL! 2-1", posted_at=NOW - timedelta(seconds=70))


@pytest.mark.parametrize(
    "quoting",
    [
        a_post(video=None, quoted=GOAL_POST),
        a_post(gif=True, quoted=GOAL_POST),
        a_post(video=None, quoted=replace(GOAL_POST, quotes=True)),
    ],
    ids=["alone", "below a GIF", "itself a quote with a video"],
)
async def test_the_video_of_a_quoted_post_counts_as_that_posts(
    site: BlueskySite, base: str, quoting: BlueskyPost, tmp_path: Path
) -> None:
    site.posts = [quoting]
    async with connected(base) as bluesky:
        [video] = (await bluesky.find_candidates(WANTED)).videos
        target = tmp_path / "film.mp4"
        await bluesky._http.download(video.variants[0].url, target, max_bytes=1000, deadline=timedelta(seconds=5))
    assert video.url == f"https://bsky.app/profile/{GOAL_POST.did}/post/{GOAL_POST.key}"
    assert (video.author, video.posted_at) == (GOAL_POST.handle, GOAL_POST.posted_at)
    assert video.text == "Wirtz! What a goal #LFC GOAL! 2-1"
    assert target.read_bytes() == b"film 2"


async def test_a_posts_own_video_takes_precedence_over_the_quoted_one(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(1, quoted=GOAL_POST)]
    async with connected(base) as bluesky:
        [video] = (await bluesky.find_candidates(WANTED)).videos
    assert video.author == "fan1.bsky.social"


@pytest.mark.parametrize(
    "post",
    [
        a_post(video=None, quoted=a_post(2, "last week", posted_at=NOW - timedelta(days=7))),
        a_post(video=None, quoted=a_post(2, "no video", video=None)),
        a_post(video=None, quotes=True),
        a_post(gif=True),
    ],
    ids=["of an old video", "without one", "of what is gone", "GIF alone"],
)
async def test_a_quote_that_shows_no_video_of_this_goal_is_left_out(
    site: BlueskySite, base: str, post: BlueskyPost
) -> None:
    site.posts = [post]
    async with connected(base) as bluesky:
        assert (await bluesky.find_candidates(WANTED)).videos == ()


async def test_known_posts_are_not_found_again_and_none_comes_twice(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(1, "Wirtz LFC Liverpool"), a_post(2, "Wirtz LFC Liverpool")]
    async with connected(base) as bluesky:
        first = (await bluesky.find_candidates(WANTED)).videos
        known = SourceRequest("", WANTED.names, WANTED.teams, 3, 30, known_urls=(first[0].url,))
        assert len(first) == 2
        assert [video.url for video in (await bluesky.find_candidates(known)).videos] == [first[1].url]


async def test_what_is_asked_is_what_the_service_understands(site: BlueskySite, base: str) -> None:
    async with connected(base) as bluesky:
        await bluesky.find_candidates(WANTED)
    assert [asked["q"] for asked in site.public_queries] == ["wirtz liverpool", "wirtz lfc"]
    assert {asked["since"] for asked in site.public_queries} == {"2026-11-15T19:57:00Z"}
    assert not any("cursor" in asked for asked in site.public_queries)


async def test_a_moment_in_the_past_is_asked_for_as_such(site: BlueskySite, base: str) -> None:
    async with connected(base) as bluesky:
        await bluesky.find_candidates(replace(WANTED, since=NOW - timedelta(minutes=20)))
        await bluesky.find_candidates(replace(WANTED, since=NOW - timedelta(minutes=1)))
    assert {asked["since"] for asked in site.public_queries[:2]} == {"2026-11-15T19:40:00Z"}
    assert {asked["since"] for asked in site.public_queries[2:]} == {"2026-11-15T19:57:00Z"}


@pytest.mark.parametrize(
    ("breaks", "error"),
    [
        (BlueskyFault.CLOSED, Blocked),
        (BlueskyFault.RATE_LIMITED, RateLimited),
        (BlueskyFault.SERVER_ERROR, Unavailable),
        (BlueskyFault.BAD_QUERY, Unavailable),
        (BlueskyFault.PAGE, Malformed),
        (BlueskyFault.NO_LIST, Malformed),
    ],
)
async def test_a_failure_is_never_nothing_found(
    site: BlueskySite, base: str, breaks: BlueskyFault, error: type[ExternalSystemError]
) -> None:
    site.fault = breaks
    async with connected(base) as bluesky:
        with pytest.raises(error) as raised:
            await bluesky.find_candidates(WANTED)
    assert type(raised.value) is error


@pytest.mark.parametrize("breaks", [BlueskyFault.CLOSED, BlueskyFault.RATE_LIMITED])
async def test_a_search_that_was_refused_is_not_repeated_for_a_while(
    site: BlueskySite, base: str, breaks: BlueskyFault
) -> None:
    site.fault = breaks
    clock = Clock()
    async with connected(base, clock) as bluesky:
        for _ in range(3):
            with pytest.raises(ExternalSystemError):
                await bluesky.find_candidates(WANTED)
        assert len(site.public_queries) == 1
        site.fault = None
        clock.seconds += 3_601
        assert (await bluesky.find_candidates(WANTED)).videos


async def test_out_of_reach_is_unavailable(site: BlueskySite) -> None:
    with served(site.app) as gone:
        pass
    async with connected(gone) as bluesky:
        with pytest.raises(Unavailable):
            await bluesky.find_candidates(WANTED)


async def test_one_post_is_looked_up_by_its_page(base: str) -> None:
    post = a_post()
    async with connected(base) as bluesky:
        by_name = await bluesky.fetch_post(f"https://bsky.app/profile/{post.handle}/post/{post.key}")
        by_did = await bluesky.fetch_post(f"https://bsky.app/profile/{post.did}/post/{post.key}")
    assert by_name == by_did
    assert by_name.variants


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("https://bsky.app/profile/fan1.bsky.social/post/3l3nobody", NotFound),
        ("https://bsky.app/profile/fan1.bsky.social", BadInput),
        ("https://bsky.app/profile/a b/post/3l3", BadInput),
    ],
)
async def test_a_page_without_a_video_is_refused(base: str, page: str, error: type[Exception]) -> None:
    async with connected(base) as bluesky:
        with pytest.raises(error):
            await bluesky.fetch_post(page)


class NoSuchThing:
    """A client to which everything is unknown."""

    async def request(self, *asked: object, **params: object) -> HttpResponse:
        del asked, params
        return HttpResponse(400, {}, b'{"error": "NotFound"}')


async def test_a_search_that_answers_like_a_missing_post_is_a_failure_of_the_source() -> None:
    with pytest.raises(ExternalSystemError):
        await BlueskySource(cast("SafeHttpClient", NoSuchThing()), "http://api", "http://blobs").find_candidates(WANTED)


async def test_a_post_without_a_video_cannot_be_added(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(video=None)]
    async with connected(base) as bluesky:
        with pytest.raises(BadInput, match="no video"):
            await bluesky.fetch_post(f"https://bsky.app/profile/{a_post().handle}/post/{a_post().key}")


@pytest.mark.parametrize(
    "change",
    [
        {"uri": "at://did:plc:short/app.bsky.feed.post/3l3"},
        {"uri": "at://did:web:evil.example/../x/app.bsky.feed.post/3l3"},
        {"embed": {"$type": "app.bsky.embed.video#view", "cid": "../../etc"}},
        {"embed": {"$type": "app.bsky.embed.video#view"}},
        {"embed": []},
        {"uri": 7},
    ],
)
async def test_a_post_that_would_make_no_proper_address_is_dropped(base: str, change: dict[str, Any]) -> None:
    async with connected(base) as bluesky:
        assert bluesky._parse_post({**a_post().to_view(), **change}) is None
        assert bluesky._parse_post("not a post") is None


def test_queries_join_the_telling_name_with_one_alias_each() -> None:
    assert build_queries(("Son", "Heung Min"), ("Spurs", "Tottenham Hotspur")) == (
        '"heung min" spurs',
        '"heung min" "tottenham hotspur"',
    )
    assert len(build_queries(("Wirtz",), ("A", "B", "C", "D", "E"))) == MAX_QUERIES
    assert build_queries((), ("LFC",)) == ("goal lfc",)
    assert build_queries(("Wirtz",), ()) == ("wirtz",)


@pytest.mark.parametrize(
    ("text", "terms", "said"),
    [
        ("Ødegaard!!! #AFC", ("AFC",), True),
        ("ODEGAARD", ("Ødegaard",), True),
        ("Man-City win", ("Man City",), True),
        ("Cityzens", ("City",), False),
        ("anything", (), True),
        ("anything", ("---",), False),
    ],
)
def test_terms_are_looked_for_as_whole_words(text: str, terms: tuple[str, ...], said: bool) -> None:
    assert has_any_term(text, terms) is said
