"""Pairs goals of the product with goals of the world."""

from collections.abc import Sequence
from dataclasses import dataclass

from found_footy_sim.scorecard.ground_truth import TrueGoal
from found_footy_sim.scorecard.observed_goals import ObservedGoal

# A feed corrects a minute by one or two at most.
_MAX_MINUTES_APART = 5


@dataclass(frozen=True)
class GoalPair:
    true_goal: TrueGoal
    observed_goal: ObservedGoal


@dataclass(frozen=True)
class GoalPairing:
    """`missed`: goals of the world that the product lacks. `phantom`: goals of the product that never happened."""

    pairs: tuple[GoalPair, ...]
    missed: tuple[TrueGoal, ...]
    phantom: tuple[ObservedGoal, ...]


def pair_goals(true: Sequence[TrueGoal], observed: Sequence[ObservedGoal]) -> GoalPairing:
    """Best pairs first: valid with valid, the same scorer, the nearest minute. Each goal is used once."""
    candidates = sorted(
        ((_pair_distance(t, s), t.goal, s.event_id, t, s) for t in true for s in observed if _can_be_same_goal(t, s)),
        key=lambda candidate: candidate[:3],
    )
    pairs: dict[str, GoalPair] = {}
    used: set[str] = set()
    for _, _, _, t, s in candidates:
        if t.goal not in pairs and s.event_id not in used:
            pairs[t.goal] = GoalPair(t, s)
            used.add(s.event_id)
    return GoalPairing(
        tuple(pairs[goal.goal] for goal in true if goal.goal in pairs),
        tuple(goal for goal in true if goal.goal not in pairs),
        tuple(goal for goal in observed if goal.event_id not in used),
    )


def _can_be_same_goal(true: TrueGoal, observed: ObservedGoal) -> bool:
    same_side = true.fixture == observed.fixture and true.team == observed.team
    return same_side and abs(true.minute - observed.minute) <= _MAX_MINUTES_APART


def _pair_distance(true: TrueGoal, observed: ObservedGoal) -> tuple[bool, bool, int]:
    return (true.stands == observed.removed, true.player_id != observed.player_id, abs(true.minute - observed.minute))
