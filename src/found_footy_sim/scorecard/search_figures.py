"""Right clips that were posted: which of them the searches found, and which were refused then."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from found_footy_sim.scorecard.goal_pairing import GoalPairing
from found_footy_sim.scorecard.ground_truth import GroundTruth, TrueGoal, TruePost
from found_footy_sim.scorecard.observed_goals import ARCHIVED_OUTCOMES, ObservedGoal, PostOutcome
from found_footy_sim.scorecard.rates import Rate, compute_rate


@dataclass(frozen=True)
class SearchFigures:
    """`recall`: of the right posts that name the scorer, come in time and can be fetched, how many a search found;
    `by_names` the same by how they name him, those that name nobody included. `refused`: of the right clips that
    were found, how many were not kept; `refused_by` says by which outcome.
    """

    recall: Rate
    by_names: tuple[tuple[str, Rate], ...]
    refused: Rate
    refused_by: tuple[tuple[str, int], ...]


def count_search_results(truth: GroundTruth, pairing: GoalPairing) -> SearchFigures:
    """Count the right posts of all goals that stand."""
    observed = {pair.true_goal.goal: pair.observed_goal for pair in pairing.pairs}
    posts = [
        (post, find_outcome(post, observed.get(goal.goal)))
        for goal in truth.goals
        if goal.stands
        for post in _list_right_posts(truth, goal)
    ]
    timely = [(post, outcome is not None) for post, outcome in posts if post.in_window]
    outcomes = [outcome.outcome for _, outcome in posts if outcome is not None]
    refused = Counter(outcome for outcome in outcomes if outcome not in ARCHIVED_OUTCOMES)
    return SearchFigures(
        recall=_count_found(found for post, found in timely if post.is_findable),
        by_names=tuple(
            (names, _count_found(found for post, found in timely if post.names == names))
            for names in sorted({post.names for post, _ in timely})
        ),
        refused=compute_rate(refused.total(), len(outcomes)),
        refused_by=tuple(refused.most_common()),
    )


def find_outcome(post: TruePost, goal: ObservedGoal | None) -> PostOutcome | None:
    """Return the outcome of a post for a goal, None if no search for it found the post."""
    outcomes: Mapping[str, PostOutcome] = goal.outcome_by_tweet if goal else {}
    return outcomes.get(post.tweet_id)


def _list_right_posts(truth: GroundTruth, goal: TrueGoal) -> Iterator[TruePost]:
    return (post for post in truth.posts if post.is_wanted_for(goal.goal))


def _count_found(found: Iterator[bool]) -> Rate:
    answers = list(found)
    return compute_rate(sum(answers), len(answers))
