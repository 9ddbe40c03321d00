"""Which goal of the product is which goal of the world."""

from collections.abc import Sequence
from dataclasses import dataclass

from found_footy.scorecard.observed import SeenGoal
from found_footy.scorecard.truth import TrueGoal

# A feed that corrects a minute does so by one or two.
_FARTHEST = 5


@dataclass(frozen=True)
class Pair:
    true: TrueGoal
    seen: SeenGoal


@dataclass(frozen=True)
class Pairing:
    """`missed`: goals of the world that the product has not. `phantom`: goals of the product that never were."""

    pairs: tuple[Pair, ...]
    missed: tuple[TrueGoal, ...]
    phantom: tuple[SeenGoal, ...]


def pair_up(true: Sequence[TrueGoal], seen: Sequence[SeenGoal]) -> Pairing:
    """Best matches first: standing with standing, the same scorer, the nearest minute. Each goal is used once."""
    candidates = sorted(
        ((_distance(t, s), t.goal, s.event_id, t, s) for t in true for s in seen if _may_be(t, s)),
        key=lambda candidate: candidate[:3],
    )
    pairs: dict[str, Pair] = {}
    used: set[str] = set()
    for _, _, _, t, s in candidates:
        if t.goal not in pairs and s.event_id not in used:
            pairs[t.goal] = Pair(t, s)
            used.add(s.event_id)
    return Pairing(
        tuple(pairs[goal.goal] for goal in true if goal.goal in pairs),
        tuple(goal for goal in true if goal.goal not in pairs),
        tuple(goal for goal in seen if goal.event_id not in used),
    )


def _may_be(true: TrueGoal, seen: SeenGoal) -> bool:
    same_side = true.fixture == seen.fixture and true.team == seen.team
    return same_side and abs(true.minute - seen.minute) <= _FARTHEST


def _distance(true: TrueGoal, seen: SeenGoal) -> tuple[bool, bool, int]:
    return (true.stands == seen.removed, true.player_id != seen.player_id, abs(true.minute - seen.minute))
