"""Confusion matrix of posts: actual outcomes against expected ones."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from found_footy_sim.scorecard.goal_pairing import GoalPair
from found_footy_sim.scorecard.ground_truth import GroundTruth, TruePost
from found_footy_sim.scorecard.observed_goals import ObservedGoal

NOT_LOOKED_AT = "not looked at"
OTHER_GOAL = "shows another goal"
UNKNOWN_POST = "unknown post"
_PUBLISH, _DUPLICATE, _EITHER = "publish", "duplicate", "either"
_EXPECTATIONS_WITH_DETAIL = ("reject", "duplicate_of")


@dataclass(frozen=True)
class ConfusionMatrix:
    """`cells` counts posts by (expected, outcome). Rows and columns are ordered by size."""

    cells: tuple[tuple[str, str, int], ...]

    @property
    def rows(self) -> tuple[str, ...]:
        return _order_by_size((expected, count) for expected, _, count in self.cells)

    @property
    def columns(self) -> tuple[str, ...]:
        return _order_by_size((outcome, count) for _, outcome, count in self.cells)

    @property
    def total(self) -> int:
        return sum(count for _, _, count in self.cells)

    def count_at(self, expected: str, outcome: str) -> int:
        return sum(count for e, o, count in self.cells if (e, o) == (expected, outcome))


def build_confusion_matrix(
    truth: GroundTruth, pairs: Iterable[GoalPair], phantoms: Iterable[ObservedGoal] = ()
) -> ConfusionMatrix:
    """Count every outcome of every goal, and every post that shows a goal of the product and was not checked."""
    counts: Counter[tuple[str, str]] = Counter()
    looked_at: set[str] = set()
    seen = [(pair.observed_goal, pair.true_goal.goal) for pair in pairs] + [(stray, "") for stray in phantoms]
    for goal, true_id in seen:
        for verdict in goal.post_outcomes:
            post = truth.find_post(verdict.url)
            looked_at |= {post.tweet_id} if post else set()
            counts[_expected_label(post, true_id), verdict.outcome] += 1
    for post in truth.posts:
        if post.tweet_id not in looked_at:
            counts[_expected_label(post, post.goal), NOT_LOOKED_AT] += 1
    return ConfusionMatrix(tuple((*key, count) for key, count in sorted(counts.items())))


def _expected_label(post: TruePost | None, goal: str) -> str:
    """The label of the row: the reason for which a post should be rejected, or that it should be kept."""
    if post is None:
        return UNKNOWN_POST
    word, _, detail = post.expected_for_goal(goal).partition(":")
    if word == _EXPECTATIONS_WITH_DETAIL[0]:
        return detail or word
    if post.goal and post.goal != goal and word != _EITHER:
        return OTHER_GOAL
    return _DUPLICATE if word == _EXPECTATIONS_WITH_DETAIL[1] else word or _PUBLISH


def _order_by_size(found: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    sizes: Counter[str] = Counter()
    for name, count in found:
        sizes[name] += count
    return tuple(name for name, _ in sorted(sizes.items(), key=lambda item: (-item[1], item[0])))
