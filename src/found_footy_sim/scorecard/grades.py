"""Grades published clips: does a clip show the goal it is published for?"""

from dataclasses import dataclass
from enum import StrEnum

from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES
from found_footy_sim.scorecard.goal_pairing import GoalPair
from found_footy_sim.scorecard.ground_truth import GroundTruth, TrueFile, TrueGoal, TruePost
from found_footy_sim.scorecard.observed_goals import ObservedGoal, PublishedClip
from found_footy_sim.scorecard.watched_clips import WatchedClips, find_watch_fault

# Words in the kind of a video that shows a goal of another day, match or side of the club.
_ELSEWHERE_WORDS = ("old", "week", "archive", "other_match", "other_side")
FILMED_KIND = "filmed"


class ClipGrade(StrEnum):
    RIGHT = "right"
    FILMED = "filmed"
    WRONG_MATCH = "wrong_match"
    WRONG_MINUTE = "wrong_minute"
    OTHER_GOAL = "other_goal"
    NO_GOAL = "no_goal"
    UNKNOWN = "unknown"
    UNREACHABLE = "unreachable"


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

    @property
    def is_wrong(self) -> bool:
        """Whether a viewer sees something else than the goal as it was broadcast. One that cannot be played shows
        nothing.
        """
        return self.grade not in (ClipGrade.RIGHT, ClipGrade.UNREACHABLE)


def grade_clips(
    truth: GroundTruth,
    pair: GoalPair,
    tolerance: int = CLOCK_TOLERANCE_MINUTES,
    watched: WatchedClips | None = None,
) -> tuple[GradedClip, ...]:
    """`tolerance` is by how many minutes the clock in a picture may differ from the goal's; `watched` is what the page
    gave of each clip, None if nobody watched.
    """
    return tuple(_grade_clip(truth, pair, clip, tolerance, watched) for clip in pair.observed_goal.clips)


def grade_phantom_clips(goal: ObservedGoal) -> tuple[GradedClip, ...]:
    """The clips of a phantom goal: they cannot show it."""
    return tuple(GradedClip(clip, ClipGrade.NO_GOAL, "", "") for clip in goal.clips)


def _grade_clip(
    truth: GroundTruth, pair: GoalPair, clip: PublishedClip, tolerance: int, watched: WatchedClips | None
) -> GradedClip:
    seen = watched.get(clip.clip_id) if watched else None
    origin = find_origin(truth, clip, seen.md5 if seen and seen.md5 else clip.md5)
    recording, kind = (origin.recording, origin.kind) if origin else ("", "")
    if find_watch_fault(watched, clip.clip_id):
        return GradedClip(clip, ClipGrade.UNREACHABLE, recording, kind)
    if origin is None:
        return GradedClip(clip, ClipGrade.UNKNOWN, "", "")
    return GradedClip(clip, _decide_grade(truth, pair.true_goal, origin, tolerance), recording, kind)


def find_origin(truth: GroundTruth, clip: PublishedClip, md5: str) -> TrueFile | TruePost | None:
    """Find the origin by the file's digest; a remuxed file has another one, and is found by its source post."""
    if file := truth.file_by_md5.get(md5):
        return file
    return next((post for url in clip.sources[:1] if (post := truth.find_post(url))), None)


def _decide_grade(truth: GroundTruth, goal: TrueGoal, origin: TrueFile | TruePost, tolerance: int) -> ClipGrade:
    if goal.goal in origin.shows:
        return ClipGrade.FILMED if origin.kind == FILMED_KIND else ClipGrade.RIGHT
    shown = next((truth.goal_by_id[name] for name in origin.shows if name in truth.goal_by_id), None)
    if shown is None:
        elsewhere = origin.shows or any(word in origin.kind for word in _ELSEWHERE_WORDS)
        return ClipGrade.WRONG_MATCH if elsewhere else ClipGrade.NO_GOAL
    if shown.fixture != goal.fixture:
        return ClipGrade.WRONG_MATCH
    near = abs(shown.minute - goal.minute) <= tolerance
    return ClipGrade.OTHER_GOAL if near else ClipGrade.WRONG_MINUTE
