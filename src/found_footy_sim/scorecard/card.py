"""The scorecard: one match day in figures. Pure; `build_scorecard` is the only way to one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from found_footy.views.source_figures import SourceFigures
from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES
from found_footy_sim.scorecard.confusion_matrix import ConfusionMatrix, build_confusion_matrix
from found_footy_sim.scorecard.copy_counts import CopyCounts, count_copies
from found_footy_sim.scorecard.costs import InjectedFault, RunCosts
from found_footy_sim.scorecard.distribution import Distribution, compute_distribution
from found_footy_sim.scorecard.goal_pairing import GoalPairing, pair_goals
from found_footy_sim.scorecard.grades import ClipGrade, GradedClip, grade_clips, grade_phantom_clips
from found_footy_sim.scorecard.ground_truth import GroundTruth, TrueGoal
from found_footy_sim.scorecard.observed_goals import ObservedGoal
from found_footy_sim.scorecard.rates import Rate, compute_rate
from found_footy_sim.scorecard.search_figures import SearchFigures, count_search_results, find_outcome
from found_footy_sim.scorecard.uploads_card import UploadsCard
from found_footy_sim.scorecard.watched_clips import WatchedClips


@dataclass(frozen=True)
class RunConditions:
    """The conditions of the run. `debounce` is how many match seconds pass before a goal is confirmed, `tolerance` by
    how many minutes the clock in a picture may differ from the goal's. `shares` are those of the world's shares that
    were set, `without` the parts of the clip check that were switched off.
    """

    seed: int
    size: str
    speed: float
    debounce: float
    searches: str = ""
    reader: str = ""
    chaos: bool = False
    tolerance: int = CLOCK_TOLERANCE_MINUTES
    shares: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def deviations(self) -> tuple[str, ...]:
        """What was played otherwise than by default."""
        return (*self.shares, *(f"without {part}" for part in self.without))


@dataclass(frozen=True)
class DayChecks:
    """What was tried at the end of the day: the clips that were `watched`, and faults of the archive that were found.
    None for what nobody tried.
    """

    watched: WatchedClips | None = None
    archive_faults: tuple[str, ...] | None = None


_NOTHING_CHECKED = DayChecks()


class MissingClipCause(StrEnum):
    """Why a goal that stands has no right clip."""

    GOAL_MISSED = "the goal was missed"
    NOT_POSTED = "no right clip was posted that could be fetched in time"
    UNFINDABLE = "no right post names the scorer"
    NOT_FOUND = "no search found one"
    NOT_KEPT = "one was found and not kept, or cannot be watched"


@dataclass(frozen=True)
class GoalRow:
    """One goal of the world. `had_clip` if a right clip of it could be found, `found` if one was. Times are match
    seconds after the goal, None for what did not happen; `waited` runs from the first right post that could be found
    to the first clip, which excludes the time people took to post.
    """

    goal: str
    label: str
    fixture: int
    stands: bool
    seen: bool
    removed: bool
    ended: bool
    had_clip: bool
    found: bool
    right: int
    wrong: int
    attempts: int
    confirmed: float | None
    first: float | None
    best: float | None
    posted: float | None = None
    waited: float | None = None
    is_confirmed: bool = False
    without_clip: MissingClipCause | None = None

    @property
    def is_owed(self) -> bool:
        """Whether a right clip of it should be published."""
        return self.stands and self.had_clip


@dataclass(frozen=True)
class GoalFigures:
    """`struck_wrongly`: valid goals that were removed; `kept_wrongly`: invalid goals that were not. `watchable` are
    those of `had_clip` with a right clip, `found` those of which a search found one. `without_clip` counts the goals
    that stand without a right clip, by cause; `by_deadline` those whose time ran out before they were complete.
    """

    true: int
    standing: int
    reattributed: int
    seen: int
    missed: int
    phantom: int
    struck_wrongly: int
    kept_wrongly: int
    had_clip: int
    found: int
    watchable: int
    without_clip: tuple[tuple[str, int], ...]
    endless: int
    by_deadline: int


@dataclass(frozen=True)
class ClipFigures:
    """`wrong_verified`: verified clips of which a viewer sees something else than the goal as it was broadcast.
    `not_showing` are all such clips; `unknown` are those of them whose origin cannot be determined. `unreachable` ones
    could not be fetched or decoded; `watched` says whether anybody tried.
    """

    published: int
    verified: int
    right: int
    wrong_verified: Rate
    not_showing: int
    unknown: int
    unreachable: int
    watched: bool
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
    search: SearchFigures
    archive_faults: tuple[str, ...] | None
    costs: RunCosts
    faults: tuple[InjectedFault, ...]
    rows: tuple[GoalRow, ...]
    uploads: UploadsCard | None = None
    sources: tuple[SourceFigures, ...] = ()

    def per_goal(self, amount: float) -> float:
        return amount / max(1, self.goals.true)


def build_scorecard(
    truth: GroundTruth,
    observed: Sequence[ObservedGoal],
    conditions: RunConditions,
    costs: RunCosts,
    faults: Sequence[InjectedFault] = (),
    checks: DayChecks = _NOTHING_CHECKED,
) -> Scorecard:
    pairing = pair_goals(truth.goals, observed)
    clips = {
        pair.true_goal.goal: grade_clips(truth, pair, conditions.tolerance, checks.watched) for pair in pairing.pairs
    }
    rows = tuple(_build_goal_rows(truth, pairing, clips, conditions.speed))
    # What a goal waits for until it is complete and does not get never comes.
    unserved = sum(row.is_owed and not row.right for row in rows)
    return Scorecard(
        conditions=conditions,
        goals=_count_goals(truth, pairing, rows),
        clips=_count_clips(truth, pairing, clips, watched=checks.watched is not None),
        confirmed=_spread((row.confirmed for row in rows), sum(row.stands and not row.is_confirmed for row in rows)),
        first=_spread((row.first for row in rows), unserved),
        best=_spread((row.best for row in rows), unserved),
        posted=_spread(row.posted for row in rows),
        waited=_spread((row.waited for row in rows), unserved),
        attempts=sum(goal.attempts for goal in observed),
        outcomes=build_confusion_matrix(truth, pairing.pairs, pairing.phantom),
        search=count_search_results(truth, pairing),
        archive_faults=checks.archive_faults,
        costs=costs,
        faults=tuple(faults),
        rows=rows,
    )


def _spread(values: Iterable[float | None], never: int = 0) -> Distribution:
    return compute_distribution((value for value in values if value is not None), never)


def _build_goal_rows(
    truth: GroundTruth, pairing: GoalPairing, clips: dict[str, tuple[GradedClip, ...]], speed: float
) -> Iterable[GoalRow]:
    pairs = {pair.true_goal.goal: pair for pair in pairing.pairs}
    for goal in truth.goals:
        pair = pairs.get(goal.goal)
        observed = pair.observed_goal if pair else None
        shown = clips.get(goal.goal, ())
        right = sorted((one for one in shown if one.is_right), key=lambda one: one.clip.rank)
        first = min((one.clip.added_at for one in right if one.clip.added_at), default=None)
        posted = truth.first_right_post_times.get(goal.goal)
        found = any(post.is_wanted_for(goal.goal) and find_outcome(post, observed) for post in truth.posts)
        yield GoalRow(
            goal=goal.goal,
            label=f"{goal.label} {goal.player}",
            fixture=goal.fixture,
            stands=goal.stands,
            seen=observed is not None,
            removed=observed is not None and observed.removed,
            ended=observed is not None and observed.ended,
            had_clip=goal.right_clip_findable,
            found=found,
            right=len(right),
            wrong=len(shown) - len(right),
            attempts=observed.attempts if observed else 0,
            confirmed=_match_seconds_between(goal.at, observed.confirmed_at if observed else None, speed),
            first=_match_seconds_between(goal.at, first, speed),
            best=_match_seconds_between(goal.at, right[0].clip.added_at if right else None, speed),
            posted=_match_seconds_between(goal.at, posted, speed),
            waited=_match_seconds_between(posted, first, speed),
            is_confirmed=observed is not None and observed.confirmed_at is not None,
            without_clip=None if right or not goal.stands else _find_missing_cause(goal, observed, found=found),
        )


def _find_missing_cause(goal: TrueGoal, observed: ObservedGoal | None, *, found: bool) -> MissingClipCause:
    if observed is None or observed.removed:
        return MissingClipCause.GOAL_MISSED
    if found:
        return MissingClipCause.NOT_KEPT
    if not goal.right_clip_posted:
        return MissingClipCause.NOT_POSTED
    return MissingClipCause.NOT_FOUND if goal.right_clip_findable else MissingClipCause.UNFINDABLE


def _match_seconds_between(start: datetime | None, moment: datetime | None, speed: float) -> float | None:
    """Match seconds from one time to another; None if one of them is unknown, or if they are in the wrong order: a
    result that precedes its cause does not come from it.
    """
    if start is None or moment is None or moment < start:
        return None
    return round((moment - start).total_seconds() * speed, 1)


def _count_goals(truth: GroundTruth, pairing: GoalPairing, rows: Sequence[GoalRow]) -> GoalFigures:
    standing = [row for row in rows if row.stands]
    had = [row for row in rows if row.is_owed]
    causes = Counter(row.without_clip for row in standing if row.without_clip is not None)
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
        found=sum(row.found for row in had),
        watchable=sum(row.right > 0 for row in had),
        without_clip=tuple((cause.value, count) for cause, count in causes.most_common()),
        endless=sum(not goal.ended for goal in seen),
        by_deadline=sum(goal.is_closed_by_deadline for goal in seen),
    )


def _count_clips(
    truth: GroundTruth, pairing: GoalPairing, clips: dict[str, tuple[GradedClip, ...]], *, watched: bool
) -> ClipFigures:
    everything = [one for shown in clips.values() for one in shown]
    # A clip of a phantom goal cannot show it.
    everything += [one for goal in pairing.phantom for one in grade_phantom_clips(goal)]
    verified = [one for one in everything if one.clip.verified]
    by = Counter((one.grade, one.clip.verified) for one in everything)
    return ClipFigures(
        published=len(everything),
        verified=len(verified),
        right=sum(one.is_right for one in everything),
        wrong_verified=compute_rate(sum(one.is_wrong for one in verified), len(verified)),
        not_showing=sum(one.is_wrong for one in everything),
        unknown=sum(one.grade is ClipGrade.UNKNOWN for one in everything),
        unreachable=sum(one.grade is ClipGrade.UNREACHABLE for one in everything),
        watched=watched,
        copies=sum((count_copies(truth, pair, clips[pair.true_goal.goal]) for pair in pairing.pairs), CopyCounts()),
        grades=tuple((grade.value, by[grade, True], by[grade, False]) for grade in ClipGrade),
    )
