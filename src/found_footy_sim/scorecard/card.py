"""The scorecard: one match day in figures. Pure; `build_scorecard` is the only way to one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES
from found_footy_sim.scorecard.confusion_matrix import ConfusionMatrix, build_confusion_matrix
from found_footy_sim.scorecard.copy_counts import CopyCounts, count_copies
from found_footy_sim.scorecard.costs import InjectedFault, RunCosts
from found_footy_sim.scorecard.distribution import Distribution, compute_distribution
from found_footy_sim.scorecard.goal_pairing import GoalPairing, pair_goals
from found_footy_sim.scorecard.grades import ClipGrade, GradedClip, grade_clips, grade_phantom_clips
from found_footy_sim.scorecard.ground_truth import GroundTruth
from found_footy_sim.scorecard.observed_goals import ObservedGoal
from found_footy_sim.scorecard.uploads_card import UploadsCard


@dataclass(frozen=True)
class RunConditions:
    """The conditions of the run. `debounce` is how many match seconds pass before a goal is confirmed, `tolerance` by
    how many minutes the clock in a picture may differ from the goal's.
    """

    seed: int
    size: str
    speed: float
    debounce: float
    searches: str = ""
    reader: str = ""
    chaos: bool = False
    tolerance: int = CLOCK_TOLERANCE_MINUTES


@dataclass(frozen=True)
class GoalRow:
    """One goal of the world. Times are match seconds after the goal, None for what did not happen; `waited` runs from
    the first right post that could be found to the first clip, which excludes the time people took to post.
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
    """`struck_wrongly`: valid goals that were removed; `kept_wrongly`: invalid goals that were not."""

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
    """`not_showing` are all clips that are not right; `unknown` are those of them whose origin cannot be determined."""

    published: int
    verified: int
    right: int
    wrong_match_verified: int
    wrong_minute_verified: int
    not_showing: int
    unknown: int
    copies: CopyCounts
    grades: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Scorecard:
    conditions: RunConditions
    goals: GoalFigures
    clips: ClipFigures
    confirmed: Distribution
    first: Distribution
    best: Distribution
    posted: Distribution
    waited: Distribution
    attempts: int
    outcomes: ConfusionMatrix
    costs: RunCosts
    faults: tuple[InjectedFault, ...]
    rows: tuple[GoalRow, ...]
    uploads: UploadsCard | None = None

    def per_goal(self, amount: float) -> float:
        return amount / max(1, self.goals.true)


def build_scorecard(
    truth: GroundTruth,
    observed: Sequence[ObservedGoal],
    conditions: RunConditions,
    costs: RunCosts,
    faults: Sequence[InjectedFault] = (),
) -> Scorecard:
    pairing = pair_goals(truth.goals, observed)
    clips = {pair.true_goal.goal: grade_clips(truth, pair, conditions.tolerance) for pair in pairing.pairs}
    rows = tuple(_build_goal_rows(truth, pairing, clips, conditions.speed))
    return Scorecard(
        conditions=conditions,
        goals=_count_goals(truth, pairing, rows),
        clips=_count_clips(truth, pairing, clips),
        confirmed=compute_distribution(row.confirmed for row in rows if row.confirmed is not None),
        first=compute_distribution(row.first for row in rows if row.first is not None),
        best=compute_distribution(row.best for row in rows if row.best is not None),
        posted=compute_distribution(row.posted for row in rows if row.posted is not None),
        waited=compute_distribution(row.waited for row in rows if row.waited is not None),
        attempts=sum(goal.attempts for goal in observed),
        outcomes=build_confusion_matrix(truth, pairing.pairs, pairing.phantom),
        costs=costs,
        faults=tuple(faults),
        rows=rows,
    )


def _build_goal_rows(
    truth: GroundTruth, pairing: GoalPairing, clips: dict[str, tuple[GradedClip, ...]], speed: float
) -> Iterable[GoalRow]:
    pairs = {pair.true_goal.goal: pair for pair in pairing.pairs}
    for goal in truth.goals:
        pair = pairs.get(goal.goal)
        shown = clips.get(goal.goal, ())
        right = sorted((one for one in shown if one.is_right), key=lambda one: one.clip.rank)
        first = min((one.clip.added_at for one in right if one.clip.added_at), default=None)
        posted = truth.first_right_post_times.get(goal.goal)
        yield GoalRow(
            goal=goal.goal,
            label=f"{goal.label} {goal.player}",
            fixture=goal.fixture,
            stands=goal.stands,
            seen=pair is not None,
            removed=pair is not None and pair.observed_goal.removed,
            ended=pair is not None and pair.observed_goal.ended,
            had_clip=goal.right_clip_posted,
            right=len(right),
            wrong=len(shown) - len(right),
            attempts=pair.observed_goal.attempts if pair else 0,
            confirmed=_match_seconds_between(goal.at, pair.observed_goal.confirmed_at if pair else None, speed),
            first=_match_seconds_between(goal.at, first, speed),
            best=_match_seconds_between(goal.at, right[0].clip.added_at if right else None, speed),
            posted=_match_seconds_between(goal.at, posted, speed),
            waited=_match_seconds_between(posted, first, speed),
        )


def _match_seconds_between(start: datetime | None, moment: datetime | None, speed: float) -> float | None:
    """Match seconds from one time to another; None if one of them is unknown, or if they are in the wrong order: a
    result that precedes its cause does not come from it.
    """
    if start is None or moment is None or moment < start:
        return None
    return round((moment - start).total_seconds() * speed, 1)


def _count_goals(truth: GroundTruth, pairing: GoalPairing, rows: Sequence[GoalRow]) -> GoalFigures:
    standing = [row for row in rows if row.stands]
    had = [row for row in standing if row.had_clip]
    seen = [*(pair.observed_goal for pair in pairing.pairs), *pairing.phantom]
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


def _count_clips(truth: GroundTruth, pairing: GoalPairing, clips: dict[str, tuple[GradedClip, ...]]) -> ClipFigures:
    everything = [one for shown in clips.values() for one in shown]
    # A clip of a phantom goal cannot show it.
    everything += [one for goal in pairing.phantom for one in grade_phantom_clips(goal)]
    by = Counter((one.grade, one.clip.verified) for one in everything)
    return ClipFigures(
        published=len(everything),
        verified=sum(one.clip.verified for one in everything),
        right=sum(one.is_right for one in everything),
        wrong_match_verified=by[ClipGrade.WRONG_MATCH, True],
        wrong_minute_verified=by[ClipGrade.WRONG_MINUTE, True],
        not_showing=sum(not one.is_right for one in everything),
        unknown=sum(one.grade is ClipGrade.UNKNOWN for one in everything),
        copies=sum((count_copies(truth, pair, clips[pair.true_goal.goal]) for pair in pairing.pairs), CopyCounts()),
        grades=tuple((grade.value, by[grade, True], by[grade, False]) for grade in ClipGrade),
    )
