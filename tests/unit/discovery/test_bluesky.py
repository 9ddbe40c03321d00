"""Bluesky's posts are found by name and team, and their videos can be fetched as files."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from found_footy.discovery.bluesky import MOST_QUERIES, Bluesky, mentions, queries
from found_footy.discovery.search_errors import Blocked
from found_footy.discovery.sources import Wanted
from found_footy.platform.errors import BadInput, Malformed, NotFound, OutsideError, RateLimited, Unavailable
from found_footy.platform.http import HttpAnswer, SafeHttp
from found_footy.sim.bluesky import BlueskySite, Breaks, Post
from tests.support.patience import PATIENCE
from tests.unit.discovery.serving import host_of, served

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
WANTED = Wanted("ignored", ("Florian", "Wirtz"), ("Liverpool", "LFC"), max_age_minutes=3, limit=30)


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def a_post(number: int = 1, text: str = "Wirtz! What a goal #LFC", **changes: Any) -> Post:
    facts = {"posted_at": NOW - timedelta(seconds=30), "video": b"film %d" % number, **changes}
    return Post(f"fan{number}.bsky.social", f"3l3wdzzedvv{number}", text, **facts)


@pytest.fixture
def site() -> BlueskySite:
    return BlueskySite([a_post()])


@pytest.fixture
def base(site: BlueskySite) -> Iterator[str]:
    with served(site.app) as url:
        yield url


@asynccontextmanager
async def connected(base: str, clock: Clock | None = None) -> AsyncIterator[Bluesky]:
    hosts = [host_of(base)]
    http = SafeHttp(system="Bluesky", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=5))
    yield Bluesky(http, base, base, clock or Clock(), now=lambda: NOW)
    await http.aclose()


async def test_a_post_is_found_with_where_its_file_lies(base: str) -> None:
    async with connected(base) as bluesky:
        [video] = (await bluesky.find(WANTED)).videos
    assert video.source == "bluesky"
    assert video.url == f"https://bsky.app/profile/{a_post().did}/post/{a_post().key}"
    assert (video.author, video.posted_at) == ("fan1.bsky.social", NOW - timedelta(seconds=30))
    assert (video.variants[0].width, video.variants[0].height) == (1280, 720)


async def test_the_file_comes_through_the_redirect_to_its_authors_machine(base: str, tmp_path: Path) -> None:
    async with connected(base) as bluesky:
        [video] = (await bluesky.find(WANTED)).videos
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
async def test_what_is_not_asked_for_is_left_out(site: BlueskySite, base: str, post: Post) -> None:
    site.posts = [post]
    async with connected(base) as bluesky:
        assert (await bluesky.find(WANTED)).videos == ()


async def test_a_video_beside_a_quoted_post_counts(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(quotes=True)]
    async with connected(base) as bluesky:
        assert len((await bluesky.find(WANTED)).videos) == 1


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
    site: BlueskySite, base: str, quoting: Post, tmp_path: Path
) -> None:
    site.posts = [quoting]
    async with connected(base) as bluesky:
        [video] = (await bluesky.find(WANTED)).videos
        target = tmp_path / "film.mp4"
        await bluesky._http.download(video.variants[0].url, target, max_bytes=1000, deadline=timedelta(seconds=5))
    assert video.url == f"https://bsky.app/profile/{GOAL_POST.did}/post/{GOAL_POST.key}"
    assert (video.author, video.posted_at) == (GOAL_POST.handle, GOAL_POST.posted_at)
    assert video.text == "Wirtz! What a goal #LFC GOAL! 2-1"
    assert target.read_bytes() == b"film 2"


async def test_a_posts_own_video_goes_before_the_quoted_one(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(1, quoted=GOAL_POST)]
    async with connected(base) as bluesky:
        [video] = (await bluesky.find(WANTED)).videos
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
async def test_a_quote_that_shows_no_video_of_this_goal_is_left_out(site: BlueskySite, base: str, post: Post) -> None:
    site.posts = [post]
    async with connected(base) as bluesky:
        assert (await bluesky.find(WANTED)).videos == ()


async def test_known_posts_are_not_found_again_and_none_comes_twice(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(1, "Wirtz LFC Liverpool"), a_post(2, "Wirtz LFC Liverpool")]
    async with connected(base) as bluesky:
        first = (await bluesky.find(WANTED)).videos
        known = Wanted("", WANTED.names, WANTED.teams, 3, 30, known=(first[0].url,))
        assert len(first) == 2
        assert [video.url for video in (await bluesky.find(known)).videos] == [first[1].url]


async def test_what_is_asked_is_what_the_service_understands(site: BlueskySite, base: str) -> None:
    async with connected(base) as bluesky:
        await bluesky.find(WANTED)
    assert [asked["q"] for asked in site.asked] == ["wirtz liverpool", "wirtz lfc"]
    assert {asked["since"] for asked in site.asked} == {"2026-11-15T19:57:00Z"}
    assert not any("cursor" in asked for asked in site.asked)


async def test_a_moment_in_the_past_is_asked_for_as_such(site: BlueskySite, base: str) -> None:
    async with connected(base) as bluesky:
        await bluesky.find(replace(WANTED, since=NOW - timedelta(minutes=20)))
        await bluesky.find(replace(WANTED, since=NOW - timedelta(minutes=1)))
    assert {asked["since"] for asked in site.asked[:2]} == {"2026-11-15T19:40:00Z"}
    assert {asked["since"] for asked in site.asked[2:]} == {"2026-11-15T19:57:00Z"}


@pytest.mark.parametrize(
    ("breaks", "error"),
    [
        (Breaks.CLOSED, Blocked),
        (Breaks.RATE_LIMITED, RateLimited),
        (Breaks.SERVER_ERROR, Unavailable),
        (Breaks.BAD_QUERY, Unavailable),
        (Breaks.PAGE, Malformed),
        (Breaks.NO_LIST, Malformed),
    ],
)
async def test_a_failure_is_never_nothing_found(
    site: BlueskySite, base: str, breaks: Breaks, error: type[OutsideError]
) -> None:
    site.broken = breaks
    async with connected(base) as bluesky:
        with pytest.raises(error) as raised:
            await bluesky.find(WANTED)
    assert type(raised.value) is error


@pytest.mark.parametrize("breaks", [Breaks.CLOSED, Breaks.RATE_LIMITED])
async def test_a_closed_door_is_not_knocked_at_again_for_a_while(site: BlueskySite, base: str, breaks: Breaks) -> None:
    site.broken = breaks
    clock = Clock()
    async with connected(base, clock) as bluesky:
        for _ in range(3):
            with pytest.raises(OutsideError):
                await bluesky.find(WANTED)
        assert len(site.asked) == 1
        site.broken = None
        clock.seconds += 3_601
        assert (await bluesky.find(WANTED)).videos


async def test_out_of_reach_is_unavailable(site: BlueskySite) -> None:
    with served(site.app) as gone:
        pass
    async with connected(gone) as bluesky:
        with pytest.raises(Unavailable):
            await bluesky.find(WANTED)


async def test_one_post_is_looked_up_by_its_page(base: str) -> None:
    post = a_post()
    async with connected(base) as bluesky:
        by_name = await bluesky.post(f"https://bsky.app/profile/{post.handle}/post/{post.key}")
        by_did = await bluesky.post(f"https://bsky.app/profile/{post.did}/post/{post.key}")
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
            await bluesky.post(page)


class NoSuchThing:
    """A client to which everything is unknown."""

    async def request(self, *asked: object, **params: object) -> HttpAnswer:
        del asked, params
        return HttpAnswer(400, {}, b'{"error": "NotFound"}')


async def test_a_search_that_answers_like_a_missing_post_fails_as_a_source_may() -> None:
    with pytest.raises(OutsideError):
        await Bluesky(cast("SafeHttp", NoSuchThing()), "http://api", "http://blobs").find(WANTED)


async def test_a_post_without_a_video_cannot_be_added(site: BlueskySite, base: str) -> None:
    site.posts = [a_post(video=None)]
    async with connected(base) as bluesky:
        with pytest.raises(BadInput, match="no video"):
            await bluesky.post(f"https://bsky.app/profile/{a_post().handle}/post/{a_post().key}")


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
        assert bluesky._video({**a_post().view(), **change}) is None
        assert bluesky._video("not a post") is None


def test_queries_join_the_telling_name_with_one_alias_each() -> None:
    assert queries(("Son", "Heung Min"), ("Spurs", "Tottenham Hotspur")) == (
        '"heung min" spurs', '"heung min" "tottenham hotspur"',
    )  # fmt: skip
    assert len(queries(("Wirtz",), ("A", "B", "C", "D", "E"))) == MOST_QUERIES
    assert queries((), ("LFC",)) == ("goal lfc",)
    assert queries(("Wirtz",), ()) == ("wirtz",)


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
    assert mentions(text, terms) is said
