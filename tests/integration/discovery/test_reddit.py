"""r/soccer's new posts are read once for all goals, compared by title, and its refusals are told apart."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.messages import RunSearch
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.errors import AuthFailed, Blocked
from found_footy.discovery.sources.goal_facts import GoalFacts
from found_footy.discovery.sources.reddit.client import RedditAddresses, RedditClient, RedditKey
from found_footy.discovery.sources.reddit.polling import PollPace
from found_footy.discovery.sources.reddit.source import RedditSource
from found_footy.discovery.sources.reddit.store import POSTS, RedditStore
from found_footy.discovery.store import DiscoveryStore
from found_footy.domain.collections import FixtureCollection
from found_footy.platform.errors import ExternalSystemError, Malformed, RateLimited, Unavailable
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.mongo import Database
from found_footy_sim.reddit import RedditFault, RedditSimPost, RedditSite
from tests.support.loopback_services import host_of, served
from tests.support.pipeline.goals import make_goal

START = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
GOAL = GoalFacts(("Arsenal", "AFC"), ("Chelsea", "CFC"), 1, 0, True, "Bukayo Saka", 34)
OTHER_GOAL = GoalFacts(("Genoa",), ("Pisa",), 0, 1, False, "Matteo Tramoni", 12)
WANTED = SourceRequest("ignored", (), (), max_age_minutes=10, limit=30, facts=GOAL)
KEY = RedditKey("found-footy", "secret")


class Day:
    """The time of the test."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, **time: float) -> None:
        self.now += timedelta(**time)


def a_post(number: int = 1, title: str = "Arsenal [1] - 0 Chelsea - Bukayo Saka 34'", **changes: Any) -> RedditSimPost:
    facts: dict[str, Any] = {
        "posted_at": START - timedelta(seconds=30 + number),
        "link": f"https://streamin.link/v/{number:08x}",
    }
    return RedditSimPost(f"1w{number}", title, f"fan{number}", **(facts | changes))


def other_posts(count: int, first: int = 100, minutes_ago: float = 5) -> list[RedditSimPost]:
    moment = START - timedelta(minutes=minutes_ago)
    return [
        a_post(first + n, f"Transfer news {n}", posted_at=moment - timedelta(seconds=n), flair=":n_paper: News")
        for n in range(count)
    ]


@pytest.fixture
def day() -> Day:
    return Day()


@pytest.fixture
def site(day: Day) -> RedditSite:
    return RedditSite([a_post(), *other_posts(3)], keys={KEY.client_id: KEY.secret}, now=day)


@pytest.fixture
def base(site: RedditSite) -> Iterator[str]:
    with served(site.app) as url:
        yield url


@asynccontextmanager
async def connected(
    base: str, database: Database, day: Day, key: RedditKey | None = None, **limits: Any
) -> AsyncIterator[RedditSource]:
    hosts = [host_of(base)]
    http = SafeHttpClient(
        system="Reddit", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=5), **limits
    )
    client = RedditClient(http, RedditAddresses(base, f"{base}/oauth"), key)
    try:
        yield RedditSource(client, RedditStore(database), PollPace(), day)
    finally:
        await http.aclose()


@pytest.mark.parametrize("key", [None, KEY], ids=["feed", "key"])
async def test_a_goal_is_found_by_the_title_of_its_post(
    base: str, database: Database, day: Day, key: RedditKey | None
) -> None:
    async with connected(base, database, day, key) as reddit:
        [video] = (await reddit.find_candidates(WANTED)).videos
    assert (video.source, video.url) == ("reddit", "https://www.reddit.com/comments/1w1")
    assert (video.author, video.posted_at) == ("fan1", START - timedelta(seconds=31))
    assert [variant.url for variant in video.variants] == ["https://streamin.link/v/00000001"]
    assert video.witness == "confirmed: teams, score and scorer and minute agree"


async def test_all_goals_share_one_poll_and_one_seen_late_needs_no_call(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    site.posts.append(a_post(2, "Genoa 0-[1] Pisa - M. Tramoni 12'"))
    async with connected(base, database, day) as reddit, connected(base, database, day) as other_worker:
        assert len((await reddit.find_candidates(WANTED)).videos) == 1
        assert len((await other_worker.find_candidates(replace(WANTED, facts=OTHER_GOAL))).videos) == 1
        day.pass_time(seconds=59)
        assert len((await reddit.find_candidates(WANTED)).videos) == 1
        assert len(site.calls) == 1
        day.pass_time(seconds=2)
        await reddit.find_candidates(WANTED)
        assert len(site.calls) == 2


async def test_a_restart_pages_back_to_the_last_known_post(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    async with connected(base, database, day, KEY) as reddit:
        await reddit.find_candidates(WANTED)
    late = a_post(2, "Arsenal [1]-0 Chelsea - Saka 34'", posted_at=START + timedelta(seconds=1))
    newer = [
        replace(post, posted_at=START + timedelta(seconds=200 + n)) for n, post in enumerate(other_posts(150, 500))
    ]
    site.posts += [late, *newer]
    day.pass_time(minutes=7)
    site.calls.clear()
    async with connected(base, database, day, KEY) as restarted:
        found = await restarted.find_candidates(WANTED)
    assert {video.tweet_id for video in found.videos} == {"1w1", "1w2"}
    assert [call.get("after") for call in site.calls if call["path"].endswith("/new")] == [None, "t3_1w550"]


async def test_the_feed_reads_one_page_a_minute_and_closes_the_gap_with_the_next(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    site.posts = [*other_posts(120, 500, minutes_ago=0.1), a_post(1, posted_at=START - timedelta(minutes=6))]
    async with connected(base, database, day) as reddit:
        assert (await reddit.find_candidates(WANTED)).videos == ()
        assert len(site.calls) == 1
        day.pass_time(minutes=1)
        assert len((await reddit.find_candidates(WANTED)).videos) == 1


async def test_a_post_that_is_removed_later_is_not_offered_any_more(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    async with connected(base, database, day, KEY) as reddit:
        assert len((await reddit.find_candidates(WANTED)).videos) == 1
        site.posts[0] = replace(site.posts[0], removed_at=day.now)
        day.pass_time(minutes=1)
        assert (await reddit.find_candidates(WANTED)).videos == ()


async def test_a_post_that_appears_late_and_mirrors_of_one_goal_are_all_candidates(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    site.posts += [a_post(2, "Arsenal 1-0 Chelsea : B. Saka 34'"), a_post(3, visible_at=START + timedelta(minutes=2))]
    async with connected(base, database, day) as reddit:
        assert {video.tweet_id for video in (await reddit.find_candidates(WANTED)).videos} == {"1w1", "1w2"}
        day.pass_time(minutes=3)
        assert {video.tweet_id for video in (await reddit.find_candidates(WANTED)).videos} == {"1w1", "1w2", "1w3"}
        known = replace(WANTED, known_urls=("https://www.reddit.com/comments/1w1",))
        assert {video.tweet_id for video in (await reddit.find_candidates(known)).videos} == {"1w2", "1w3"}


def a_comment(body: str, *replies: dict[str, Any], stickied: bool = False) -> dict[str, Any]:
    below = {"kind": "Listing", "data": {"children": list(replies)}} if replies else ""
    return {"kind": "t1", "data": {"body": body, "stickied": stickied, "replies": below}}


async def test_mirrors_in_the_comments_are_candidates_and_are_read_once(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    pinned = a_comment("Mirrors / Alternate angles", a_comment("[m](https://dubz.link/v/aa1)"), stickied=True)
    others = [
        a_comment("Mirror: https://streamin.link/v/bb2."),
        a_comment("nice https://dropr.co/v/cc3"),
        {"kind": "more"},
    ]
    site.comments["1w1"] = {"kind": "Listing", "data": {"children": [pinned, *others]}}
    async with connected(base, database, day, KEY) as reddit:
        assert len((await reddit.find_candidates(WANTED)).videos) == 1
        day.pass_time(minutes=3)
        found = (await reddit.find_candidates(WANTED)).videos
        assert [video.url for video in found] == [
            "https://www.reddit.com/comments/1w1",
            "https://dubz.link/v/aa1",
            "https://streamin.link/v/bb2",
        ]
        assert all(video.is_confirmed and video.source == "reddit" for video in found)
        day.pass_time(minutes=1)
        assert len((await reddit.find_candidates(WANTED)).videos) == 3
        asked = [call["path"] for call in site.calls if "/comments/" in call["path"]]
        assert asked == ["/oauth/comments/1w1"]


async def test_comments_that_cannot_be_read_cost_nothing_else_and_without_a_key_none_are_asked_for(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    site.comments["1w1"] = {"kind": "Listing", "data": "damaged"}
    day.pass_time(minutes=4)
    async with connected(base, database, day) as without_key:
        assert len((await without_key.find_candidates(WANTED)).videos) == 1
    assert not any("/comments/" in call["path"] for call in site.calls)
    day.pass_time(minutes=1)
    async with connected(base, database, day, KEY) as reddit:
        assert len((await reddit.find_candidates(WANTED)).videos) == 1
    assert any("/comments/" in call["path"] for call in site.calls)


FAULTS = [
    (RedditFault.WALL, Blocked, timedelta(minutes=15)),
    (RedditFault.LOGIN, Blocked, timedelta(minutes=15)),
    (RedditFault.APP_SHELL, Blocked, timedelta(minutes=15)),
    (RedditFault.EMPTY, Blocked, timedelta(minutes=15)),
    (RedditFault.RATE_LIMITED, RateLimited, timedelta(seconds=120)),
    (RedditFault.SERVER_ERROR, Unavailable, timedelta(seconds=60)),
    (RedditFault.NOT_A_LIST, Malformed, timedelta(seconds=60)),
    (RedditFault.REVOKED, AuthFailed, timedelta(minutes=15)),
    (RedditFault.PRIVATE, AuthFailed, timedelta(minutes=15)),
]


@pytest.mark.parametrize("key", [None, KEY], ids=["feed", "key"])
@pytest.mark.parametrize(("fault", "error", "rest"), FAULTS)
async def test_a_refusal_is_told_apart_and_the_source_rests(
    site: RedditSite,
    base: str,
    database: Database,
    day: Day,
    fault: RedditFault,
    error: type[ExternalSystemError],
    rest: timedelta,
    key: RedditKey | None,
) -> None:
    site.fault = fault
    async with connected(base, database, day, key) as reddit:
        with pytest.raises(error) as raised:
            await reddit.find_candidates(WANTED)
        assert type(raised.value) is error
        site.calls.clear()
        day.pass_time(seconds=rest.total_seconds() - 1)
        with pytest.raises(error):
            await reddit.find_candidates(WANTED)
        assert site.calls == []
        site.fault = None
        day.pass_time(seconds=2)
        late = replace(WANTED, max_age_minutes=60)
        assert len((await reddit.find_candidates(late)).videos) == 1


async def test_rests_double_while_the_refusal_lasts_and_survive_a_restart(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    site.fault = RedditFault.RATE_LIMITED
    for expected in (120, 240, 480):
        async with connected(base, database, day) as reddit:
            with pytest.raises(RateLimited) as raised:
                await reddit.find_candidates(WANTED)
        assert raised.value.retry_after == expected
        day.pass_time(seconds=expected)


async def test_retry_after_counts_more_than_the_reset_of_the_budget(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    site.fault, site.retry_after = RedditFault.RATE_LIMITED, "200"
    async with connected(base, database, day) as reddit:
        with pytest.raises(RateLimited) as raised:
            await reddit.find_candidates(WANTED)
    assert raised.value.retry_after == 200


async def test_what_was_read_before_a_refusal_is_still_found(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    async with connected(base, database, day) as reddit:
        await reddit.find_candidates(WANTED)
        site.fault = RedditFault.WALL
        day.pass_time(minutes=1)
        found = await reddit.find_candidates(WANTED)
        assert (len(found.videos), found.incomplete) == (1, True)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_wrong_key_is_refused_and_a_revoked_token_renewed_once(
    site: RedditSite, base: str, database: Database, day: Day, status: int
) -> None:
    site.token_refusal = status
    async with connected(base, database, day, KEY) as reddit:
        await reddit.find_candidates(WANTED)
        site.tokens.clear()
        day.pass_time(minutes=1)
        found = await reddit.find_candidates(WANTED)
        assert (len(found.videos), found.incomplete) == (1, False)
    day.pass_time(minutes=1)
    async with connected(base, database, day, RedditKey("found-footy", "wrong")) as refused:
        with pytest.raises(AuthFailed):
            await refused.find_candidates(replace(WANTED, facts=OTHER_GOAL))


async def test_a_server_that_does_not_answer_or_answers_too_much_is_no_empty_list(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    async with connected("http://127.0.0.1:1", database, day) as nobody:
        with pytest.raises(Unavailable):
            await nobody.find_candidates(WANTED)
    day.pass_time(hours=1)
    async with connected(base, database, day, max_bytes=100) as reddit:
        with pytest.raises(ExternalSystemError):
            await reddit.find_candidates(WANTED)


async def test_a_title_that_says_that_the_goal_did_not_count_is_a_suspicion(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    site.posts += [a_post(2, "Arsenal disallowed goal against Chelsea 34'"), a_post(3, "Pisa disallowed goal 34'")]
    async with connected(base, database, day) as reddit:
        found = await reddit.find_candidates(WANTED)
    assert ([video.tweet_id for video in found.videos], found.suspicions) == (
        ["1w1"],
        ("Arsenal disallowed goal against Chelsea 34'",),
    )


async def test_only_posts_about_goals_are_stored(base: str, database: Database, day: Day) -> None:
    async with connected(base, database, day) as reddit:
        await reddit.find_candidates(WANTED)
    assert [row["_id"] async for row in database[POSTS].find()] == ["1w1"]


async def test_the_search_passes_the_facts_of_the_goal_and_stores_witness_and_suspicion(
    site: RedditSite, base: str, database: Database, day: Day
) -> None:
    goal = make_goal()
    fixture = {
        "_id": goal.fixture_id,
        "teams": {"home": {"id": 40, "name": "Liverpool"}, "away": {"id": 42, "name": "Arsenal"}},
        "events": [
            {
                "_event_id": goal.event_id,
                "_score_before": {"home": 0, "away": 0},
                "_score_after": {"home": 1, "away": 0},
                "player": {"id": 1, "name": goal.player_name},
                "time": {"elapsed": 34, "extra": None},
            }
        ],
    }
    await database[FixtureCollection.ACTIVE].insert_one(fixture)
    scorer = goal.player_name
    site.posts = [
        a_post(1, f"Liverpool [1]-0 Arsenal - {scorer} 34'"),
        a_post(2, "Liverpool disallowed goal against Arsenal 34'"),
    ]
    async with connected(base, database, day) as reddit:
        activities = DiscoveryActivities(DiscoveryStore(database), reddit, DiscoverySettings(), now=day)
        run = RunSearch("ignored", START - timedelta(minutes=5), timedelta(minutes=3), event_id=goal.event_id)
        [video] = (await ActivityEnvironment().run(activities.execute_twitter_search, run)).videos
    assert video.is_confirmed
    stored = await database[FixtureCollection.ACTIVE].find_one({"_id": goal.fixture_id})
    assert stored is not None
    assert stored["events"][0]["_suspicions"] == ["Liverpool disallowed goal against Arsenal 34'"]
