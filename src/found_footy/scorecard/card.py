"""The scorecard: one match day in figures. Pure; `score` is the only way to one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from found_footy.scorecard.confusion import Confusion, confusion
from found_footy.scorecard.copies import Copies, copies_of
from found_footy.scorecard.costs import Costs, Fault
from found_footy.scorecard.grades import Grade, Graded, graded, of_no_goal
from found_footy.scorecard.observed import SeenGoal
from found_footy.scorecard.pairing import Pairing, pair_up
from found_footy.scorecard.spread import Spread, spread
from found_footy.scorecard.truth import Truth
from found_footy.vision.clock import TOLERANCE


@dataclass(frozen=True)
class Conditions:
    """How the day was played. `debounce` is how many match seconds a goal is watched before it is believed, `tolerance`
    by how many minutes the clock in a picture may differ from the goal's.
    """

    seed: int
    size: str
    speed: float
    debounce: float
    searches: str = ""
    reader: str = ""
    chaos: bool = False
    tolerance: int = TOLERANCE


@dataclass(frozen=True)
class GoalRow:
    """One goal of the world. Times are match seconds after the goal, None for what did not happen; `waited` runs from
    the first right post that could be found to the first clip: what people took is not in it.
    """

    goal: str
    label: str
    fixture: int
    stands: bool
    seen: bool
    removed: bool
    ended: bool
    had_clip: bool
    right: int
    wrong: int
    attempts: int
    confirmed: float | None
    first: float | None
    best: float | None
    posted: float | None = None
    waited: float | None = None


@dataclass(frozen=True)
class GoalFigures:
    """`struck_wrongly`: goals that stand and were removed; `kept_wrongly`: goals that do not and were not."""

    true: int
    standing: int
    reattributed: int
    seen: int
    missed: int
    phantom: int
    struck_wrongly: int
    kept_wrongly: int
    had_clip: int
    watchable: int
    endless: int


@dataclass(frozen=True)
class ClipFigures:
    """`not_showing` are all that are not right; `unknown` are those of them whose origin nobody can tell."""

    published: int
    verified: int
    right: int
    wrong_match_verified: int
    wrong_minute_verified: int
    not_showing: int
    unknown: int
    copies: Copies
    grades: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Scorecard:
    conditions: Conditions
    goals: GoalFigures
    clips: ClipFigures
    confirmed: Spread
    first: Spread
    best: Spread
    posted: Spread
    waited: Spread
    attempts: int
    outcomes: Confusion
    costs: Costs
    faults: tuple[Fault, ...]
    rows: tuple[GoalRow, ...]

    def per_goal(self, amount: float) -> float:
        return amount / max(1, self.goals.true)


def score(
    truth: Truth, seen: Sequence[SeenGoal], conditions: Conditions, costs: Costs, faults: Sequence[Fault] = ()
) -> Scorecard:
    pairing = pair_up(truth.goals, seen)
    clips = {pair.true.goal: graded(truth, pair, conditions.tolerance) for pair in pairing.pairs}
    rows = tuple(_rows(truth, pairing, clips, conditions.speed))
    return Scorecard(
        conditions=conditions,
        goals=_goals(truth, pairing, rows),
        clips=_clips(truth, pairing, clips),
        confirmed=spread(row.confirmed for row in rows if row.confirmed is not None),
        first=spread(row.first for row in rows if row.first is not None),
        best=spread(row.best for row in rows if row.best is not None),
        posted=spread(row.posted for row in rows if row.posted is not None),
        waited=spread(row.waited for row in rows if row.waited is not None),
        attempts=sum(goal.attempts for goal in seen),
        outcomes=confusion(truth, pairing.pairs, pairing.phantom),
        costs=costs,
        faults=tuple(faults),
        rows=rows,
    )


def _rows(truth: Truth, pairing: Pairing, clips: dict[str, tuple[Graded, ...]], speed: float) -> Iterable[GoalRow]:
    pairs = {pair.true.goal: pair for pair in pairing.pairs}
    for goal in truth.goals:
        pair = pairs.get(goal.goal)
        shown = clips.get(goal.goal, ())
        right = sorted((one for one in shown if one.right), key=lambda one: one.clip.rank)
        first = min((one.clip.added_at for one in right if one.clip.added_at), default=None)
        posted = truth.first_right_post.get(goal.goal)
        yield GoalRow(
            goal=goal.goal,
            label=f"{goal.label} {goal.player}",
            fixture=goal.fixture,
            stands=goal.stands,
            seen=pair is not None,
            removed=pair is not None and pair.seen.removed,
            ended=pair is not None and pair.seen.ended,
            had_clip=goal.right_clip_posted,
            right=len(right),
            wrong=len(shown) - len(right),
            attempts=pair.seen.attempts if pair else 0,
            confirmed=_after(goal.at, pair.seen.confirmed_at if pair else None, speed),
            first=_after(goal.at, first, speed),
            best=_after(goal.at, right[0].clip.added_at if right else None, speed),
            posted=_after(goal.at, posted, speed),
            waited=_after(posted, first, speed),
        )


def _after(start: datetime | None, moment: datetime | None, speed: float) -> float | None:
    """Match seconds from one moment to another; None if one of them is not known, or if they are the wrong way round:
    what was there before its cause did not come of it.
    """
    if start is None or moment is None or moment < start:
        return None
    return round((moment - start).total_seconds() * speed, 1)


def _goals(truth: Truth, pairing: Pairing, rows: Sequence[GoalRow]) -> GoalFigures:
    standing = [row for row in rows if row.stands]
    had = [row for row in standing if row.had_clip]
    seen = [*(pair.seen for pair in pairing.pairs), *pairing.phantom]
    return GoalFigures(
        true=len(rows),
        standing=len(standing),
        reattributed=sum(bool(goal.reattributed_from) for goal in truth.goals),
        seen=len(pairing.pairs),
        missed=sum(not row.seen for row in standing),
        phantom=sum(not goal.removed for goal in pairing.phantom),
        struck_wrongly=sum(row.removed for row in standing),
        kept_wrongly=sum(row.seen and not row.removed for row in rows if not row.stands),
        had_clip=len(had),
        watchable=sum(row.right > 0 for row in had),
        endless=sum(not goal.ended for goal in seen),
    )


def _clips(truth: Truth, pairing: Pairing, clips: dict[str, tuple[Graded, ...]]) -> ClipFigures:
    everything = [one for shown in clips.values() for one in shown]
    # A clip of a goal that never was cannot show it.
    everything += [one for goal in pairing.phantom for one in of_no_goal(goal)]
    by = Counter((one.grade, one.clip.verified) for one in everything)
    return ClipFigures(
        published=len(everything),
        verified=sum(one.clip.verified for one in everything),
        right=sum(one.right for one in everything),
        wrong_match_verified=by[Grade.WRONG_MATCH, True],
        wrong_minute_verified=by[Grade.WRONG_MINUTE, True],
        not_showing=sum(not one.right for one in everything),
        unknown=sum(one.grade is Grade.UNKNOWN for one in everything),
        copies=sum((copies_of(truth, pair, clips[pair.true.goal]) for pair in pairing.pairs), Copies()),
        grades=tuple((grade.value, by[grade, True], by[grade, False]) for grade in Grade),
    )
