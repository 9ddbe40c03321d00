"""Counts copies: how many were published, recognized, or wrongly merged."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from found_footy_sim.scorecard.goal_pairing import GoalPair
from found_footy_sim.scorecard.grades import FILMED_KIND, GradedClip
from found_footy_sim.scorecard.ground_truth import GroundTruth
from found_footy_sim.scorecard.observed_goals import ARCHIVED_OUTCOMES

_COMPILATION_KIND = "compilation"


@dataclass(frozen=True)
class CopyCounts:
    """`published`: clips beyond the first of one recording for one goal; `across_pools` of them are separate only
    because the clock could be read on one and not on the other. `true`: posts that were copies of another post that was
    kept. `recordings` were checked and accepted, and show the goal; `swallowed` ones of them are not among the
    published ones.
    """

    published: int = 0
    across_pools: int = 0
    true: int = 0
    swallowed: int = 0
    recordings: int = 0

    def __add__(self, other: "CopyCounts") -> "CopyCounts":
        return CopyCounts(
            self.published + other.published,
            self.across_pools + other.across_pools,
            self.true + other.true,
            self.swallowed + other.swallowed,
            self.recordings + other.recordings,
        )


def count_copies(truth: GroundTruth, pair: GoalPair, clips: Iterable[GradedClip]) -> CopyCounts:
    """Count the copies of one goal."""
    shown: dict[str, list[bool]] = defaultdict(list)
    graded = list(clips)
    for one in graded:
        if one.recording:
            shown[one.recording].append(one.clip.verified)
    published = sum(len(pool) - 1 for pool in shown.values())
    within = sum(max(0, pool.count(word) - 1) for pool in shown.values() for word in (True, False))
    accepted = _count_accepted_posts(truth, pair)
    # A compilation holds recordings of several goals, so that a recording which is merged with it is not lost.
    compiled = any(one.kind == _COMPILATION_KIND and one.is_right for one in graded)
    return CopyCounts(
        published=published,
        across_pools=published - within,
        true=sum(posts - 1 for posts in accepted.values()),
        swallowed=0 if compiled else len(accepted.keys() - shown.keys()),
        recordings=len(accepted),
    )


def _count_accepted_posts(truth: GroundTruth, pair: GoalPair) -> dict[str, int]:
    """Count the posts that show the goal and were accepted for it, per recording."""
    posts: dict[str, int] = defaultdict(int)
    for verdict in pair.observed_goal.post_outcomes:
        post = truth.find_post(verdict.url)
        shows_goal = post is not None and post.goal == pair.true_goal.goal and post.kind != FILMED_KIND
        if post and shows_goal and post.recording and verdict.outcome in ARCHIVED_OUTCOMES:
            posts[post.recording] += 1
    return posts
