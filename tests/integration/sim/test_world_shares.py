"""What makes a match day hard is a setting each, and each has its effect."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from found_footy_sim.search_query import split_words
from found_footy_sim.world import SimulatedWorld, WorldShares, make_world
from found_footy_sim.world.clubs import clubs_by_id
from found_footy_sim.world.post_texts import NameStyle, write_name
from found_footy_sim.world.shares import DEFAULT_SHARES, SHARE_NAMES, UnknownShare, parse_shares

NONE = WorldShares(**dict.fromkeys(SHARE_NAMES, 0.0))
UNUSUAL = (NameStyle.GLUED, NameStyle.MISSPELT, NameStyle.SHORT)


def played(**shares: float) -> SimulatedWorld:
    return make_world(3, "full", replace(NONE, **shares))


def kinds(world: SimulatedWorld) -> Counter[str]:
    return Counter(post.kind for post in world.truth.posts)


def close_pairs(world: SimulatedWorld) -> list[tuple[str, str]]:
    goals = world.truth.goals
    return [(one.id, other.id) for one in goals for other in goals if one.id < other.id and one.is_close_to(other)]


def test_goals_fall_at_any_minute_and_a_share_of_them_close_to_another() -> None:
    free, most = close_pairs(played()), close_pairs(played(goals_close=1.0))
    assert free
    assert len(most) > 3 * len(free)


def test_the_later_of_two_close_goals_may_be_the_same_players() -> None:
    def doubles(world: SimulatedWorld) -> int:
        goals = {goal.id: goal for goal in world.truth.goals}
        return sum(goals[one].player is goals[other].player for one, other in close_pairs(world))

    assert doubles(played(goals_close=1.0, doubles=1.0)) > doubles(played(goals_close=1.0)) + 5


def test_goals_fall_around_half_time() -> None:
    def around(world: SimulatedWorld) -> int:
        return sum(
            goal.at.minute in (46, 47, 48) or bool(goal.at.minute == 45 and goal.at.extra) for goal in world.truth.goals
        )

    assert around(played(goals_at_half_time=1.0)) > around(played()) + 20


@pytest.mark.parametrize(
    ("share", "kind"),
    [
        ("other_goal", "other_goal"),
        ("old_goal", "old_goal"),
        ("other_match", "other_match"),
        ("other_side", "other_side"),
        ("compilation", "compilation"),
        ("filmed", "filmed"),
        ("caption", "caption"),
    ],
)
def test_posts_of_a_kind_appear_as_often_as_their_share_says(share: str, kind: str) -> None:
    assert kinds(played())[kind] == 0
    some, all_of_them = kinds(played(**{share: 0.3}))[kind], kinds(played(**{share: 1.0}))[kind]
    assert 0 < some < all_of_them


def camera_angles(world: SimulatedWorld) -> dict[str, list[int]]:
    """By goal, those of its broadcasts, in their order."""
    found: dict[str, list[int]] = {}
    for clip in world.scenario.clips:
        if clip.scene is not None and "-tv" in clip.name:
            found.setdefault(clip.name.rpartition("-")[0], []).append(clip.scene.angle)
    return found


def test_broadcasters_may_film_from_beside_each_other_and_nothing_else_changes() -> None:
    apart, beside = played(), played(side_by_side=1.0)
    assert not any(6 in angles for angles in camera_angles(apart).values())
    assert {angles[:2] == [1, 6] for angles in camera_angles(beside).values() if len(angles) > 1} == {True}
    assert all(len(set(angles)) == len(angles) for angles in camera_angles(beside).values())
    assert [post.text for post in apart.scenario.posts] == [post.text for post in beside.scenario.posts]


def minutes_off(world: SimulatedWorld) -> list[int | None]:
    """By how many minutes the clocks of goals from elsewhere miss the goal they were posted about."""
    goals = {goal.id: goal for goal in world.truth.goals}
    posted = zip(world.truth.posts, world.scenario.posts, strict=True)
    shown = [
        (world.truth.footage[post.clip].clock, goals[truth.about]) for truth, post in posted if truth.kind == "old_goal"
    ]
    return [None if clock is None else abs(clock - goal.clock_minute) for clock, goal in shown]


def test_goals_from_elsewhere_show_any_minute_this_goals_too_or_none() -> None:
    assert all(off is not None and off <= 3 for off in minutes_off(played(old_goal=1.0, same_minute=1.0)))
    free = [off for off in minutes_off(played(old_goal=1.0)) if off is not None]
    assert min(free) <= 3 < max(free)
    assert set(minutes_off(played(old_goal=1.0, without_clock=1.0))) == {None}


def test_a_post_of_another_goal_may_pose_as_one_of_this() -> None:
    def posing(share: float) -> int:
        world = played(old_goal=1.0, posed_as_goal=share)
        texts = zip(world.scenario.posts, world.truth.posts, strict=True)
        old = ("last week", "never gets old", "Vintage")
        return sum(not any(word in post.text for word in old) for post, truth in texts if truth.kind == "old_goal")

    assert posing(0.0) == 0 < posing(1.0)


def test_posts_name_the_scorer_in_unusual_ways_or_not_at_all() -> None:
    assert {post.names for post in played().truth.posts} == {NameStyle.USUAL}
    assert {post.names for post in played(unusual_names=1.0).truth.posts} == set(UNUSUAL)
    nameless = played(unfindable=1.0)
    assert {post.names for post in nameless.truth.posts} == {NameStyle.NONE}
    assert nameless.truth.right_sources
    assert nameless.truth.findable_goals == frozenset()


@pytest.mark.parametrize("names", UNUSUAL)
def test_an_unusual_name_has_no_word_of_the_usual_one(names: NameStyle) -> None:
    random = Random(1)
    for player in (player for club in clubs_by_id().values() for player in club.players):
        written = write_name(player, names, random)
        assert not set(split_words(written)) & set(split_words(player.common_name)), written


def test_shares_are_set_by_name() -> None:
    assert parse_shares([]) == DEFAULT_SHARES
    assert parse_shares(["doubles=0.5", "filmed=0"]) == replace(DEFAULT_SHARES, doubles=0.5, filmed=0.0)


@pytest.mark.parametrize("setting", ["nonsense=1", "filmed", "filmed=often", "filmed=1.5", "filmed=-0.1", "filmed=nan"])
def test_a_share_that_is_none_is_refused(setting: str) -> None:
    with pytest.raises(UnknownShare):
        parse_shares([setting])
