"""Does a published clip show the goal it is published for?"""

from dataclasses import dataclass
from enum import StrEnum

from found_footy.scorecard.observed import SeenClip, SeenGoal
from found_footy.scorecard.pairing import Pair
from found_footy.scorecard.truth import TrueFile, TrueGoal, TruePost, Truth
from found_footy.vision.clock import TOLERANCE

# Words in the name of a kind of video that shows a goal of another day.
_OTHER_DAY = ("old", "week", "archive")


class Grade(StrEnum):
    RIGHT = "right"
    WRONG_MATCH = "wrong_match"
    WRONG_MINUTE = "wrong_minute"
    OTHER_GOAL = "other_goal"
    NO_GOAL = "no_goal"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Graded:
    """A published clip with what it really shows. `recording` names the camera and cut that its copies share."""

    clip: SeenClip
    grade: Grade
    recording: str
    kind: str

    @property
    def right(self) -> bool:
        return self.grade is Grade.RIGHT


def graded(truth: Truth, pair: Pair, tolerance: int = TOLERANCE) -> tuple[Graded, ...]:
    """`tolerance` is by how many minutes the clock in a picture may differ from the goal's."""
    return tuple(_graded(truth, pair, clip, tolerance) for clip in pair.seen.clips)


def of_no_goal(goal: SeenGoal) -> tuple[Graded, ...]:
    """The clips of a goal that never was: they cannot show it."""
    return tuple(Graded(clip, Grade.NO_GOAL, "", "") for clip in goal.clips)


def _graded(truth: Truth, pair: Pair, clip: SeenClip, tolerance: int) -> Graded:
    origin = origin_of(truth, clip)
    if origin is None:
        return Graded(clip, Grade.UNKNOWN, "", "")
    return Graded(clip, _grade(truth, pair.true, origin, tolerance), origin.recording, origin.kind)


def origin_of(truth: Truth, clip: SeenClip) -> TrueFile | TruePost | None:
    """By its bytes; a file that was rearranged for playing has others, and is known by the post it came from."""
    if file := truth.file_by_md5.get(clip.md5):
        return file
    return next((post for url in clip.sources[:1] if (post := truth.post_at(url))), None)


def _grade(truth: Truth, goal: TrueGoal, origin: TrueFile | TruePost, tolerance: int) -> Grade:
    if origin.goal == goal.goal:
        return Grade.RIGHT
    shown = truth.goal_by_id.get(origin.goal)
    if shown is None:
        other_day = origin.goal or any(word in origin.kind for word in _OTHER_DAY)
        return Grade.WRONG_MATCH if other_day else Grade.NO_GOAL
    if shown.fixture != goal.fixture:
        return Grade.WRONG_MATCH
    near = abs(shown.minute - goal.minute) <= tolerance
    return Grade.OTHER_GOAL if near else Grade.WRONG_MINUTE
