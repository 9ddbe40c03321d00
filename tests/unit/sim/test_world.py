"""A match day from a seed: always the same one, of the promised size, as plausible and as mean as promised."""

import subprocess
import sys
from collections import Counter
from functools import cache
from hashlib import sha256
from typing import Any

import pytest

from found_footy.sim.clock import Clock, ClockMode
from found_footy.sim.feed.fixture import course_of, feed_at
from found_footy.sim.feed.timeline import Moment, check
from found_footy.sim.script.model import Anchor, Does, Host, Kind, Match, Side, Source
from found_footy.sim.world import Size, World, make_world
from found_footy.sim.world.footage import Kind as Footage
from found_footy.sim.world.sizes import SHAPES, Quirk
from tests.support.patience import PATIENCE_SECONDS
from tests.unit.sim.test_scenarios import START

SEEDS = {Size.SMALL: range(12), Size.DEMO: range(12), Size.FULL: range(6)}
_DIGEST = (
    "from hashlib import sha256; from found_footy.sim.world import make_world; w = make_world(5, 'demo');"
    "print(sha256(repr((w.scenario, w.truth.posts, w.truth.goals)).encode()).hexdigest())"
)


@cache
def world(seed: int, size: Size) -> World:
    return make_world(seed, size)


def every(size: Size) -> list[World]:
    return [world(seed, size) for seed in SEEDS[size]]


def test_the_same_seed_gives_the_same_day_in_another_process() -> None:
    ours = make_world(5, "demo")
    told = sha256(repr((ours.scenario, ours.truth.posts, ours.truth.goals)).encode()).hexdigest()
    theirs = subprocess.run(
        [sys.executable, "-c", _DIGEST], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True
    )
    assert theirs.stdout.strip() == told


def test_another_seed_gives_another_day() -> None:
    assert len({repr(made.scenario.matches) for made in every(Size.SMALL)}) == len(SEEDS[Size.SMALL])
    assert world(1, Size.SMALL).scenario.name == "small-1"


@pytest.mark.parametrize("size", Size)
def test_every_match_can_be_played(size: Size) -> None:
    for made in every(size):
        for match in made.scenario.matches:
            check(match, made.scenario.posts)


@pytest.mark.parametrize(
    ("size", "matches", "least", "most"), [(Size.SMALL, 2, 5, 5), (Size.DEMO, 6, 12, 12), (Size.FULL, 24, 65, 76)]
)
def test_a_day_has_the_promised_size(size: Size, matches: int, least: int, most: int) -> None:
    for made in every(size):
        assert len(made.scenario.matches) == matches
        assert least <= len(made.truth.goals) <= most
        teams = [team.id for match in made.scenario.matches for team in (match.home, match.away)]
        assert len(set(teams)) == 2 * matches


@pytest.mark.parametrize("size", [Size.SMALL, Size.DEMO])
def test_a_short_day_is_under_way_when_it_begins_and_over_soon(size: Size) -> None:
    first, last, _ = SHAPES[size].late or (0.0, 0.0, 0.0)
    for made in every(size):
        assert all(match.kickoff < -60 for match in made.scenario.matches)
        assert all(first <= goal.minute <= last for goal in made.truth.goals)
        assert max(match.kickoff + course_of(match).end for match in made.scenario.matches) < last + 4


@pytest.mark.parametrize("size", [Size.SMALL, Size.DEMO])
def test_a_short_day_has_one_goal_struck_out_and_one_given_to_another(size: Size) -> None:
    for made in every(size):
        quirks = Counter(goal.quirk for goal in made.truth.goals)
        assert (quirks[Quirk.STRUCK_OUT], quirks[Quirk.REATTRIBUTED]) == (1, 1)
        assert len(made.truth.right) == len(made.truth.goals)


def test_a_saturday_comes_in_waves_and_has_everything() -> None:
    for made in every(Size.FULL):
        matches = made.scenario.matches
        assert Counter(round(match.kickoff // 150) for match in matches) == {0: 5, 1: 10, 2: 5, 3: 4}
        assert {match.truth.status for match in matches} == {"FT", "AET", "PEN", "PST", "ABD"}
        assert len({match.league.id for match in matches}) >= 6
        assert any(match.stops for match in matches)
        assert {goal.quirk for goal in made.truth.goals} == {None, *Quirk}
        assert sum(len(match.faults) for match in matches) >= 8


def test_goals_are_of_all_kinds_and_half_of_them_come_late() -> None:
    goals = [goal for made in every(Size.FULL) for goal in made.truth.goals]
    kinds = Counter(goal.kind for goal in goals)
    assert 0.05 < kinds[Kind.PENALTY] / len(goals) < 0.16
    assert 0.01 < kinds[Kind.OWN_GOAL] / len(goals) < 0.09
    assert 0.05 < sum(bool(goal.at.extra) for goal in goals) / len(goals) < 0.25
    assert 0.5 < sum(goal.at.minute > 45 for goal in goals) / len(goals) < 0.75


def test_cup_ties_are_level_when_they_go_on() -> None:
    for match in (match for made in every(Size.FULL) for match in made.scenario.matches if match.extra_time):
        goals = [one for one in match.incidents if one.at.anchor is Anchor.MINUTE]
        for limit in (90, 120) if match.shoot_out else (90,):
            sides = Counter(goal.side for goal in goals if goal.at.minute <= limit)
            assert sides[Side.HOME] == sides[Side.AWAY]


def _ended(match: Match) -> tuple[dict[str, Any], set[tuple[Any, ...]]]:
    kickoff = Clock(world(1, Size.SMALL).scenario, ClockMode.TIMED, 1.0, lambda: START).kickoff(match)
    item = feed_at(match, Moment(course_of(match).end + 60, 999), kickoff)
    assert item is not None
    rows = [row for row in item["events"] if row["type"] == "Goal" and row["comments"] is None]
    told = {(row["player"]["id"], row["time"]["elapsed"], row["time"]["extra"]) for row in rows}
    return item, told


def test_in_the_end_the_feed_tells_the_truth() -> None:
    for match in (match for size in Size for match in world(3, size).scenario.matches):
        item, told = _ended(match)
        status = item["fixture"]["status"]["short"]
        assert status == match.truth.status
        if status != "PST":
            assert told == {(goal.player, goal.minute, goal.extra) for goal in match.truth.goals}
            assert tuple(item["goals"].values()) == match.truth.score


def test_people_post_everything_there_is() -> None:
    made = world(2, Size.FULL)
    kinds = {kind for other in every(Size.FULL) for kind in {post.kind for post in other.truth.posts}}
    assert kinds == {*map(str, Footage), "other_goal", "wrong_match", "spam"}
    assert {post.source for post in made.scenario.posts} == set(Source)
    assert {post.host for post in made.scenario.posts} >= {None, Host.GEO_BLOCKED, Host.DELETED}
    assert any(post.reply for post in made.scenario.posts)
    assert any(not post.in_window for other in every(Size.FULL) for post in other.truth.posts)
    assert 4 < len(made.scenario.posts) / len(made.truth.goals) < 8


def test_some_goals_of_a_saturday_were_filmed_by_nobody() -> None:
    shares = [len(made.truth.right) / len(made.truth.goals) for made in every(Size.FULL)]
    assert all(0.8 < share <= 1 for share in shares)
    assert sum(shares) < len(shares)


def test_there_are_not_too_many_files_to_draw() -> None:
    for size, most in ((Size.SMALL, 45), (Size.DEMO, 85), (Size.FULL, 290)):
        for made in every(size):
            assert len(made.scenario.clips) <= most
            assert len({clip.name for clip in made.scenario.clips}) == len(made.scenario.clips)


def test_a_goal_that_changes_hands_was_another_players_first() -> None:
    for made in every(Size.DEMO):
        (goal,) = (goal for goal in made.truth.goals if goal.quirk is Quirk.REATTRIBUTED)
        match = made.scenario.match(goal.match.id)
        assert match is not None
        (credit,) = (one for one in match.effects if one.goal == goal.id and one.does is Does.CREDIT)
        assert goal.first_given_to is not None
        assert credit.person.id == goal.first_given_to.id != goal.player.id
