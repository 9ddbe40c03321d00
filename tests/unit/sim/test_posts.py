from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from found_footy_sim import Scenario, parse_scenario
from found_footy_sim.clock import ClockMode, SimulatedClock
from found_footy_sim.post_schedule import PostSchedule, make_record_key, make_snowflake, post_url, search_posts
from found_footy_sim.script.model import PostPlatform, SimulatedPost

START = datetime(2026, 11, 15, 15, 0, tzinfo=UTC)
SCRIPT = """
fixture 1
home "Liverpool"(40)
away "Arsenal"(42)
at 23 goal home "D. Szoboszlai"(234) as g1
clip c1 of g1
post 40s after g1 by one shows c1 "Szoboszlai! Liverpool"
post 100s after g1 by two shows c1 "Szoboszlai again and again"
post at HT by three shows c1 "half time"
"""


class World:
    """A board on a wall clock that stands until it is moved."""

    def __init__(self, mode: ClockMode, script: str = SCRIPT, speed: float = 1.0) -> None:
        self.time = START
        self.scenario: Scenario = parse_scenario("test", script)
        self.clock = SimulatedClock(self.scenario, mode, speed, lambda: self.time)
        self.board = PostSchedule(self.scenario, self.clock, lambda: self.time)

    def authors(self) -> list[str]:
        return [item.author for item in self.board.list_published()]


def test_posts_appear_after_their_goal_newest_first() -> None:
    world = World(ClockMode.MANUAL)
    world.clock.advance(minutes=23)
    assert world.authors() == []
    world.clock.advance(minutes=1)
    assert world.authors() == ["one"]
    world.time += timedelta(seconds=5)
    world.clock.advance(minutes=1)
    assert world.authors() == ["two", "one"]
    world.time += timedelta(seconds=5)
    world.clock.advance(minutes=30)
    assert world.authors() == ["three", "two", "one"]


def test_in_timed_mode_a_post_is_stamped_with_the_time_that_the_script_gives() -> None:
    world = World(ClockMode.TIMED, speed=60)
    world.time += timedelta(minutes=30)
    stamps = {item.author: item.posted_at for item in world.board.list_published()}
    assert stamps["one"] == START + timedelta(seconds=23 + 40 / 60)


def test_else_a_post_is_stamped_when_it_is_first_seen_and_keeps_that_stamp() -> None:
    world = World(ClockMode.MANUAL)
    world.clock.advance(minutes=24)
    (first,) = world.board.list_published()
    world.time += timedelta(minutes=3)
    assert world.board.list_published() == [first]
    assert first.posted_at == START


def test_ids_are_nineteen_digits_too_large_for_a_float_and_grow_with_time() -> None:
    early, late = make_snowflake(START, "a"), make_snowflake(START + timedelta(seconds=1), "a")
    assert len(early) == len(late) == 19
    assert int(early) > 2**53
    assert int(early) < int(late)
    assert (int(early) >> 22) + 1_288_834_974_657 == int(START.timestamp() * 1000)


def test_many_accounts_may_post_one_file_each_under_its_own_address() -> None:
    script = SCRIPT + 'post 10s after g1 by fan x50 shows c1 "Szoboszlai"'
    world = World(ClockMode.MANUAL, script)
    world.clock.advance(minutes=23.5)
    posted = world.board.list_published()
    assert len({item.author for item in posted}) == 50
    assert len({item.tweet_id for item in posted}) == 50
    assert len({item.media for item in posted}) == 50


@pytest.mark.parametrize(
    ("query", "max_age", "limit", "exclude", "found"),
    [
        ("Szoboszlai", 60, 20, [], ["two", "one"]),
        ("Szoboszlai Liverpool", 60, 20, [], ["one"]),
        ("Szoboszlai", 2, 20, [], ["two"]),
        ("Szoboszlai", 60, 1, [], ["two"]),
        ("Szoboszlai", 60, 20, ["two"], ["one"]),
        ("Wirtz", 60, 20, [], []),
    ],
)
def test_a_search_obeys_query_age_limit_and_exclusions(
    query: str, max_age: int, limit: int, exclude: list[str], found: list[str]
) -> None:
    world = World(ClockMode.MANUAL)
    world.clock.advance(minutes=24)
    world.board.list_published()
    world.time += timedelta(minutes=4)
    world.clock.advance(minutes=1)
    posts = world.board.list_published()
    unwanted = frozenset(item.tweet_id for item in posts if item.author in exclude)
    now, age = world.time + timedelta(minutes=1), timedelta(minutes=max_age)
    selected = search_posts(posts, query, now=now, max_age=age, limit=limit, exclude=unwanted)
    assert [item.author for item in selected] == found


def test_exclusions_may_also_be_addresses() -> None:
    world = World(ClockMode.MANUAL)
    world.clock.advance(minutes=24)
    posts = world.board.list_published()
    unwanted = frozenset({f"https://x.com/one/status/{posts[0].tweet_id}"})
    assert search_posts(posts, "Szoboszlai", now=START, max_age=timedelta(hours=1), limit=9, exclude=unwanted) == []


def changed(world: World, **more: Any) -> PostSchedule:
    """A board whose first post differs."""
    first, *others = world.scenario.posts
    posts: tuple[SimulatedPost, ...] = (replace(first, **more), *others)
    return PostSchedule(replace(world.scenario, posts=posts), world.clock, lambda: world.time)


def test_a_post_on_bluesky_is_not_found_on_x_and_has_an_address_there() -> None:
    world = World(ClockMode.MANUAL)
    board = changed(world, source=PostPlatform.BLUESKY)
    world.clock.advance(minutes=26)
    one = next(item for item in board.list_published() if item.author == "one")
    found = search_posts(
        board.list_published(), "Szoboszlai", now=START, max_age=timedelta(1), limit=9, exclude=frozenset()
    )
    assert [item.author for item in found] == ["two"]
    assert post_url(one).startswith("https://bsky.app/profile/did:plc:")
    assert post_url(one).endswith(f"/post/{one.tweet_id}")


def test_keys_of_records_sort_by_their_time() -> None:
    keys = [make_record_key(START + timedelta(seconds=second), "x") for second in range(3)]
    assert keys == sorted(keys)
    assert {len(key) for key in keys} == {13}


def test_a_post_is_gone_once_its_author_has_deleted_it() -> None:
    world = World(ClockMode.MANUAL)
    board = changed(world, gone_after=120.0)
    world.clock.advance(minutes=24)
    (post,) = board.list_published()
    assert not board.is_deleted(post)
    world.clock.advance(minutes=2)
    assert {item.author: board.is_deleted(item) for item in board.list_published()} == {"one": True, "two": False}
    assert board.pending_count == 1
