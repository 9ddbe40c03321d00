"""Generates one simulated match day: the same seed and size always give the same one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from found_footy_sim.script.model import (
    FeedEffect,
    FeedFault,
    GoalTruth,
    MatchSide,
    MatchTruth,
    RequestLimits,
    Scenario,
    SimulatedMatch,
)
from found_footy_sim.world import feed_misreports, goal_generation
from found_footy_sim.world.expected_outcomes import WorldTruth, build_truth, post_minute
from found_footy_sim.world.footage import FootageCatalog
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.match_generation import generate_matches
from found_footy_sim.world.post_generation import GeneratedPost, PostGenerator
from found_footy_sim.world.shares import DEFAULT_SHARES, WorldShares
from found_footy_sim.world.sizes import WORLD_SHAPES, MatchKind, WorldShape, WorldSize

# At 120 times the usual pace a client makes far more requests than any plan allows.
_REQUEST_LIMITS = RequestLimits(per_minute=6_000, per_day=500_000)


@dataclass(frozen=True)
class SimulatedWorld:
    scenario: Scenario
    truth: WorldTruth


def make_world(seed: int, size: WorldSize | str, shares: WorldShares = DEFAULT_SHARES) -> SimulatedWorld:
    """Generate the match day of this seed: incidents, feed, posts, and the ground truth."""
    size = WorldSize(size)
    shape = WORLD_SHAPES[size]
    random = Random(f"match day {size} {seed}")
    played = generate_matches(shape, random, seed)
    goals = goal_generation.generate_goals(shape, played, shares, random)
    catalog = FootageCatalog(random, shares.side_by_side)
    post_generator = PostGenerator(catalog, goals, shape.delay_factor, shape.share_without_clip, shares)
    posts = sorted((one for goal in goals for one in post_generator.generate_posts(goal, random)), key=post_minute)
    matches = _complete_matches(played, goals, shape, random)
    return SimulatedWorld(
        _build_scenario(seed, size, shape, matches, catalog, posts),
        build_truth(seed, size, goals, posts, catalog.footage),
    )


def _build_scenario(
    seed: int,
    size: WorldSize,
    shape: WorldShape,
    matches: Sequence[SimulatedMatch],
    catalog: FootageCatalog,
    posts: Sequence[GeneratedPost],
) -> Scenario:
    posted = {one.post.clip for one in posts}
    clips = tuple(
        clip for clip in catalog.clips.values() if clip.name in posted or _has_posted_copy(clip.name, catalog, posted)
    )
    about = f"A simulated match day ({size}, seed {seed}): {len(matches)} matches and what people post about them."
    return Scenario(
        f"{size}-{seed}",
        about,
        shape.speed,
        0.5,
        _REQUEST_LIMITS,
        tuple(matches),
        clips,
        tuple(one.post for one in posts),
        (),
        (),
    )


def _has_posted_copy(name: str, catalog: FootageCatalog, posted: set[str]) -> bool:
    return any(catalog.clips[child].parent == name for child in posted)


def _complete_matches(
    played: Sequence[tuple[SimulatedMatch, MatchKind]],
    goals: Sequence[SimulatedGoal],
    shape: WorldShape,
    random: Random,
) -> list[SimulatedMatch]:
    """Return the matches with all their incidents and feed effects."""
    bad = feed_misreports.generate_bad_answers(goals, shape.bad_answers, random)
    return [
        _complete_match(
            match, match_kind, [goal for goal in goals if goal.match is match], bad.get(match.id, []), random
        )
        for match, match_kind in played
    ]


def _complete_match(
    match: SimulatedMatch,
    match_kind: MatchKind,
    goals: Sequence[SimulatedGoal],
    bad: Sequence[FeedEffect | FeedFault],
    random: Random,
) -> SimulatedMatch:
    kicks = tuple(goal_generation.generate_kicks(match, random)) if match.shoot_out else ()
    quirks = [effect for goal in goals for effect in feed_misreports.build_effects(goal, random)]
    return replace(
        match,
        incidents=(*(goal_generation.to_incident(goal) for goal in goals), *kicks),
        effects=(*match.effects, *quirks, *(one for one in bad if isinstance(one, FeedEffect))),
        faults=tuple(one for one in bad if isinstance(one, FeedFault)),
        truth=_match_truth(match_kind, goals),
    )


_FINAL_STATUSES = {
    MatchKind.EXTRA_TIME: "AET",
    MatchKind.SHOOT_OUT: "PEN",
    MatchKind.POSTPONED: "PST",
    MatchKind.ABANDONED: "ABD",
}


def _match_truth(match_kind: MatchKind, goals: Sequence[SimulatedGoal]) -> MatchTruth:
    standing = [goal for goal in goals if goal.is_standing]
    home = sum(goal.side is MatchSide.HOME for goal in standing)
    score = (None, None) if match_kind is MatchKind.POSTPONED else (home, len(standing) - home)
    return MatchTruth(
        tuple(_goal_truth(goal) for goal in standing),
        tuple(_goal_truth(goal) for goal in goals if not goal.is_standing),
        score,
        _FINAL_STATUSES.get(match_kind, "FT"),
    )


def _goal_truth(goal: SimulatedGoal) -> GoalTruth:
    return GoalTruth(goal.side, goal.player.id, goal.at.minute, goal.at.extra)
