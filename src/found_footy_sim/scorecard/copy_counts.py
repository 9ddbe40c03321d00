"""Counts copies: how many were published, recognized, or wrongly merged."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from found_footy_sim.scorecard.goal_pairing import GoalPair
from found_footy_sim.scorecard.grades import GradedClip
from found_footy_sim.scorecard.ground_truth import GroundTruth
from found_footy_sim.scorecard.observed_goals import ARCHIVED_OUTCOMES


@dataclass(frozen=True)
class CopyCounts:
    """`published`: clips beyond the first of one recording for one goal; `across_pools` of them are separate only
    because the clock could be read on one and not on the other. `true`: posts that were copies of another post that was
    kept. `swallowed`: recordings that were checked and accepted, and are not among the published ones.
    """

    published: int = 0
    across_pools: int = 0
    true: int = 0
    swallowed: int = 0

    def __add__(self, other: "CopyCounts") -> "CopyCounts":
        return CopyCounts(
            self.published + other.published,
            self.across_pools + other.across_pools,
            self.true + other.true,
            self.swallowed + other.swallowed,
        )


def count_copies(truth: GroundTruth, pair: GoalPair, clips: Iterable[GradedClip]) -> CopyCounts:
    """Count the copies of one goal."""
    shown: dict[str, list[bool]] = defaultdict(list)
    for one in clips:
        if one.recording:
            shown[one.recording].append(one.clip.verified)
    published = sum(len(pool) - 1 for pool in shown.values())
    within = sum(max(0, pool.count(word) - 1) for pool in shown.values() for word in (True, False))
    accepted = _count_accepted_posts(truth, pair)
    return CopyCounts(
        published=published,
        across_pools=published - within,
        true=sum(posts - 1 for posts in accepted.values()),
        swallowed=len(accepted.keys() - shown.keys()),
    )


def _count_accepted_posts(truth: GroundTruth, pair: GoalPair) -> dict[str, int]:
    """Count the posts accepted for the goal, per recording."""
    posts: dict[str, int] = defaultdict(int)
    for verdict in pair.observed_goal.post_outcomes:
        post = truth.find_post(verdict.url)
        if post and post.recording and verdict.outcome in ARCHIVED_OUTCOMES:
            posts[post.recording] += 1
    return posts
