"""Grades published clips: does a clip show the goal it is published for?"""

from dataclasses import dataclass
from enum import StrEnum

from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES
from found_footy_sim.scorecard.goal_pairing import GoalPair
from found_footy_sim.scorecard.ground_truth import GroundTruth, TrueFile, TrueGoal, TruePost
from found_footy_sim.scorecard.observed_goals import ObservedGoal, PublishedClip

# Words in the kind of a video that shows a goal of another day.
_OTHER_DAY_WORDS = ("old", "week", "archive")


class ClipGrade(StrEnum):
    RIGHT = "right"
    WRONG_MATCH = "wrong_match"
    WRONG_MINUTE = "wrong_minute"
    OTHER_GOAL = "other_goal"
    NO_GOAL = "no_goal"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class GradedClip:
    """A published clip with what it really shows. `recording` names the camera and cut that its copies share."""

    clip: PublishedClip
    grade: ClipGrade
    recording: str
    kind: str

    @property
    def is_right(self) -> bool:
        return self.grade is ClipGrade.RIGHT


def grade_clips(truth: GroundTruth, pair: GoalPair, tolerance: int = CLOCK_TOLERANCE_MINUTES) -> tuple[GradedClip, ...]:
    """`tolerance` is by how many minutes the clock in a picture may differ from the goal's."""
    return tuple(_grade_clip(truth, pair, clip, tolerance) for clip in pair.observed_goal.clips)


def grade_phantom_clips(goal: ObservedGoal) -> tuple[GradedClip, ...]:
    """The clips of a phantom goal: they cannot show it."""
    return tuple(GradedClip(clip, ClipGrade.NO_GOAL, "", "") for clip in goal.clips)


def _grade_clip(truth: GroundTruth, pair: GoalPair, clip: PublishedClip, tolerance: int) -> GradedClip:
    origin = find_origin(truth, clip)
    if origin is None:
        return GradedClip(clip, ClipGrade.UNKNOWN, "", "")
    return GradedClip(clip, _decide_grade(truth, pair.true_goal, origin, tolerance), origin.recording, origin.kind)


def find_origin(truth: GroundTruth, clip: PublishedClip) -> TrueFile | TruePost | None:
    """Find the origin by the file's digest; a remuxed file has another one, and is found by its source post."""
    if file := truth.file_by_md5.get(clip.md5):
        return file
    return next((post for url in clip.sources[:1] if (post := truth.find_post(url))), None)


def _decide_grade(truth: GroundTruth, goal: TrueGoal, origin: TrueFile | TruePost, tolerance: int) -> ClipGrade:
    if origin.goal == goal.goal:
        return ClipGrade.RIGHT
    shown = truth.goal_by_id.get(origin.goal)
    if shown is None:
        other_day = origin.goal or any(word in origin.kind for word in _OTHER_DAY_WORDS)
        return ClipGrade.WRONG_MATCH if other_day else ClipGrade.NO_GOAL
    if shown.fixture != goal.fixture:
        return ClipGrade.WRONG_MATCH
    near = abs(shown.minute - goal.minute) <= tolerance
    return ClipGrade.OTHER_GOAL if near else ClipGrade.WRONG_MINUTE
