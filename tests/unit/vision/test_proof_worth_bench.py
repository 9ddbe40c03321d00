"""The bench that tells what each part of the proof is worth."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.proof_worth import ALL_PARTS, RULES, render_reader, render_worth
from bench.world_clips import Judgement, expected_goal, list_offers
from found_footy.vision.expectation import ProofRules
from found_footy_sim.world.match_day import SimulatedWorld, make_world

FINDINGS = {"minute": "confirmed", "half": "unknown", "teams": "confirmed", "score": "confirmed"}
RIGHT = Judgement("a", "1", ALL_PARTS, True, "right", "bar", True, "verified", FINDINGS, "")


@pytest.fixture(scope="module")
def world() -> SimulatedWorld:
    return make_world(5, "small")


def test_every_clip_that_would_be_checked_is_offered_to_every_goal_of_its_match(world: SimulatedWorld) -> None:
    offers, goals = list_offers(world, Path()), {goal.id: goal for goal in world.truth.goals}
    assert offers
    for offer in offers:
        matches = {goals[goal].match.id for goal in offer.shows}
        assert len(matches) == 1
        assert offer.kind not in ("fancam", "portrait", "snippet")
        assert offer.about in goals
        footage = world.truth.footage[offer.name]
        assert all(
            is_right == (footage.goal == goal) for goal, is_right in offer.shows.items() if footage.kind == "right"
        )


def test_every_clip_can_be_offered_to_every_goal_of_the_day(world: SimulatedWorld) -> None:
    standing = {goal.id for goal in world.truth.goals if goal.is_standing}
    for offer in list_offers(world, Path(), every_goal=True):
        footage = world.truth.footage[offer.name]
        assert standing - {footage.goal, *footage.compiled} <= offer.shows.keys()
        assert not any(is_right for goal, is_right in offer.shows.items() if goal != footage.goal)


def test_the_goal_is_expected_as_the_rules_say(world: SimulatedWorld) -> None:
    goal = world.truth.goals[0]
    whole, bare = (expected_goal(goal, world.truth.goals, RULES[name]) for name in (ALL_PARTS, "the minute alone"))
    assert whole.change is not None
    assert (whole.minute, str(whole.change.after)) == (goal.clock_minute, "{}–{}".format(*goal.score_after))
    assert whole.teams is not None
    assert goal.match.home.name in whole.teams.home
    assert (bare.teams, bare.change, bare.others) == (None, None, ())
    assert not bare.checks_half
    assert not bare.uses_witnesses


def test_only_standing_goals_of_the_match_are_its_other_goals(world: SimulatedWorld) -> None:
    for goal in world.truth.goals:
        others = [one for one in world.truth.goals if one.match is goal.match and one is not goal and one.is_standing]
        assert len(expected_goal(goal, world.truth.goals, ProofRules()).others) == len(others)


def test_the_table_tells_what_was_wrongly_verified_and_wrongly_refused() -> None:
    wrong = replace(RIGHT, is_right=False)
    judged = [RIGHT, RIGHT, wrong, replace(wrong, verdict="wrong_goal"), replace(RIGHT, verdict="wrong_match")]
    line = next(line for line in render_worth(judged).splitlines() if ALL_PARTS in line)
    assert line == "| all parts | 1 of 3 | 0.8% to 90.6% | 1 of 2 | 0 | 2 of 3 | 1 (1 wrong_match) |"


def test_the_reader_is_counted_per_design_and_per_way_of_copying() -> None:
    refuted = replace(
        RIGHT, design="pill", kind="trim", findings={**FINDINGS, "score": "contradicted"}, prints_half=False
    )
    lines = render_reader([RIGHT, refuted, replace(RIGHT, is_right=False), replace(RIGHT, design="none")]).splitlines()
    assert "| bar | 1 | 1 of 1 | 0 of 1 | 1 of 1 | 1 of 1 | 0 |" in lines
    assert "| trim | 1 | 1 of 1 | 0 of 0 | 1 of 1 | 0 of 1 | 1 |" in lines
    assert lines[-1].startswith("| all | 2 | 2 of 2 | 0 of 1 | 2 of 2 | 1 of 2 | 1 (≤ ")
