"""A match day from a seed: always the same one, of the promised size, as plausible and as mean as promised."""

import subprocess
import sys
from collections import Counter
from functools import cache
from hashlib import sha256
from typing import Any

import pytest

from found_footy_sim.clock import ClockMode, SimulatedClock
from found_footy_sim.feed.fixture import build_fixture, get_timeline
from found_footy_sim.feed.timeline import TimelineMoment, check_match
from found_footy_sim.script.model import (
    FeedEffectKind,
    IncidentKind,
    MatchSide,
    PositionAnchor,
    PostPlatform,
    SimulatedMatch,
    VideoHostAnswer,
)
from found_footy_sim.world import SimulatedWorld, WorldSize, make_world
from found_footy_sim.world.footage import FootageKind as Footage
from found_footy_sim.world.sizes import WORLD_SHAPES, FeedQuirk
from tests.integration.sim.test_scenarios import START
from tests.support.patience import PATIENCE_SECONDS

SEEDS = {WorldSize.SMALL: range(12), WorldSize.DEMO: range(12), WorldSize.FULL: range(6)}
_DIGEST = (
    "from hashlib import sha256; from found_footy_sim.world import make_world; w = make_world(5, 'demo');"
    "print(sha256(repr((w.scenario, w.truth.posts, w.truth.goals)).encode()).hexdigest())"
)


@cache
def world(seed: int, size: WorldSize) -> SimulatedWorld:
    return make_world(seed, size)


def every(size: WorldSize) -> list[SimulatedWorld]:
    return [world(seed, size) for seed in SEEDS[size]]


def test_the_same_seed_gives_the_same_day_in_another_process() -> None:
    ours = make_world(5, "demo")
    reported = sha256(repr((ours.scenario, ours.truth.posts, ours.truth.goals)).encode()).hexdigest()
    theirs = subprocess.run(
        [sys.executable, "-c", _DIGEST], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True
    )
    assert theirs.stdout.strip() == reported


def test_another_seed_gives_another_day() -> None:
    assert len({repr(made.scenario.matches) for made in every(WorldSize.SMALL)}) == len(SEEDS[WorldSize.SMALL])
    assert world(1, WorldSize.SMALL).scenario.name == "small-1"


@pytest.mark.parametrize("size", WorldSize)
def test_every_match_can_be_played(size: WorldSize) -> None:
    for made in every(size):
        for match in made.scenario.matches:
            check_match(match, made.scenario.posts)


@pytest.mark.parametrize(
    ("size", "matches", "least", "most"),
    [(WorldSize.SMALL, 2, 5, 5), (WorldSize.DEMO, 6, 12, 12), (WorldSize.FULL, 24, 65, 76)],
)
def test_a_day_has_the_promised_size(size: WorldSize, matches: int, least: int, most: int) -> None:
    for made in every(size):
        assert len(made.scenario.matches) == matches
        assert least <= len(made.truth.goals) <= most
        teams = [team.id for match in made.scenario.matches for team in (match.home, match.away)]
        assert len(set(teams)) == 2 * matches


@pytest.mark.parametrize("size", [WorldSize.SMALL, WorldSize.DEMO])
def test_a_short_day_is_under_way_when_it_begins_and_over_soon(size: WorldSize) -> None:
    first, last, _ = WORLD_SHAPES[size].late_window or (0.0, 0.0, 0.0)
    for made in every(size):
        assert all(match.kickoff < -60 for match in made.scenario.matches)
        assert all(first <= goal.minute <= last for goal in made.truth.goals)
        assert max(match.kickoff + get_timeline(match).end for match in made.scenario.matches) < last + 4


@pytest.mark.parametrize("size", [WorldSize.SMALL, WorldSize.DEMO])
def test_a_short_day_has_one_removed_and_one_reattributed_goal(size: WorldSize) -> None:
    for made in every(size):
        quirks = Counter(goal.quirk for goal in made.truth.goals)
        assert (quirks[FeedQuirk.REMOVED], quirks[FeedQuirk.REATTRIBUTED]) == (1, 1)


def test_a_saturday_comes_in_waves_and_has_everything() -> None:
    for made in every(WorldSize.FULL):
        matches = made.scenario.matches
        assert Counter(round(match.kickoff // 150) for match in matches) == {0: 5, 1: 10, 2: 5, 3: 4}
        assert {match.truth.status for match in matches} == {"FT", "AET", "PEN", "PST", "ABD"}
        assert len({match.league.id for match in matches}) >= 6
        assert any(match.stops for match in matches)
        assert {goal.quirk for goal in made.truth.goals} == {None, *FeedQuirk}
        assert sum(len(match.faults) for match in matches) >= 8


def test_goals_are_of_all_kinds_and_half_of_them_come_late() -> None:
    goals = [goal for made in every(WorldSize.FULL) for goal in made.truth.goals]
    kinds = Counter(goal.kind for goal in goals)
    assert 0.05 < kinds[IncidentKind.PENALTY] / len(goals) < 0.16
    assert 0.01 < kinds[IncidentKind.OWN_GOAL] / len(goals) < 0.09
    assert 0.05 < sum(bool(goal.at.extra) for goal in goals) / len(goals) < 0.25
    assert 0.5 < sum(goal.at.minute > 45 for goal in goals) / len(goals) < 0.75


def test_cup_ties_are_level_when_they_go_on() -> None:
    for match in (match for made in every(WorldSize.FULL) for match in made.scenario.matches if match.extra_time):
        goals = [one for one in match.incidents if one.at.anchor is PositionAnchor.MINUTE]
        for limit in (90, 120) if match.shoot_out else (90,):
            sides = Counter(goal.side for goal in goals if goal.at.minute <= limit)
            assert sides[MatchSide.HOME] == sides[MatchSide.AWAY]


def _ended(match: SimulatedMatch) -> tuple[dict[str, Any], set[tuple[Any, ...]]]:
    kickoff = SimulatedClock(world(1, WorldSize.SMALL).scenario, ClockMode.TIMED, 1.0, lambda: START).kickoff_time(
        match
    )
    item = build_fixture(match, TimelineMoment(get_timeline(match).end + 60, 999), kickoff)
    assert item is not None
    rows = [row for row in item["events"] if row["type"] == "Goal" and row["comments"] is None]
    reported = {(row["player"]["id"], row["time"]["elapsed"], row["time"]["extra"]) for row in rows}
    return item, reported


def test_in_the_end_the_feed_agrees_with_the_truth() -> None:
    for match in (match for size in WorldSize for match in world(3, size).scenario.matches):
        item, reported = _ended(match)
        status = item["fixture"]["status"]["short"]
        assert status == match.truth.status
        if status != "PST":
            assert reported == {(goal.player, goal.minute, goal.extra) for goal in match.truth.goals}
            assert tuple(item["goals"].values()) == match.truth.score


def test_people_post_everything_there_is() -> None:
    made = world(2, WorldSize.FULL)
    kinds = {kind for other in every(WorldSize.FULL) for kind in {post.kind for post in other.truth.posts}}
    assert kinds == {*map(str, Footage), "other_goal", "spam"}
    assert {post.source for post in made.scenario.posts} == set(PostPlatform)
    assert {post.host for post in made.scenario.posts} >= {None, VideoHostAnswer.GEO_BLOCKED, VideoHostAnswer.DELETED}
    assert any(post.reply for post in made.scenario.posts)
    assert any(not post.in_window for other in every(WorldSize.FULL) for post in other.truth.posts)
    assert 4 < len(made.scenario.posts) / len(made.truth.goals) < 8


def test_some_goals_of_a_saturday_were_filmed_by_nobody() -> None:
    shares = [len(made.truth.right_sources) / len(made.truth.goals) for made in every(WorldSize.FULL)]
    assert sum(shares) < len(shares)


def test_there_are_not_too_many_files_to_render() -> None:
    for size, most in ((WorldSize.SMALL, 45), (WorldSize.DEMO, 85), (WorldSize.FULL, 310)):
        for made in every(size):
            assert len(made.scenario.clips) <= most
            assert len({clip.name for clip in made.scenario.clips}) == len(made.scenario.clips)


def test_nobody_scores_while_a_goal_is_reviewed() -> None:
    for made in (*every(WorldSize.DEMO), *every(WorldSize.FULL)):
        for goal in (goal for goal in made.truth.goals if not goal.is_standing):
            later = [one for one in made.truth.goals if one.match is goal.match and one.minute > goal.minute]
            assert all(one.minute - goal.minute > (goal.removed_after or 0) for one in later)


def test_the_score_of_every_goal_counts_those_before_it() -> None:
    for made in every(WorldSize.FULL):
        for goal in made.truth.goals:
            before = [one for one in made.truth.goals if one.match is goal.match and one.minute < goal.minute]
            assert sum(goal.score) == sum(one.is_standing for one in before)


def test_a_reattributed_goal_was_another_players_first() -> None:
    for made in every(WorldSize.DEMO):
        (goal,) = (goal for goal in made.truth.goals if goal.quirk is FeedQuirk.REATTRIBUTED)
        match = made.scenario.find_match(goal.match.id)
        assert match is not None
        (credit,) = (one for one in match.effects if one.goal == goal.id and one.effect_kind is FeedEffectKind.CREDIT)
        assert goal.first_credited_to is not None
        assert credit.person.id == goal.first_credited_to.id != goal.player.id
