"""Whether the score in the picture is one that the goal allows, and to which of several goals a clip belongs. Pure.

A clip of a goal shows the score before it or after it. A lower one, or one in which the other side has scored instead,
is that of another goal. A higher one is that of a later goal, which a replay may show: it proves nothing.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from found_footy.domain.outcomes import Finding
from found_footy.domain.scores import Score
from found_footy.vision.expectation import ScoreChange

# What one frame shows alone refutes nothing: it may be misread.
_MIN_CONTRADICTING_FRAMES = 2
# Minutes by which the clock must be nearer to one goal than to another to tell them apart: feeds err by one.
_CLEARLY_NEARER_MINUTES = 2


@dataclass(frozen=True)
class ScoreResult:
    """`text` is the score as printed. If `is_doubtful`, the clip may show another goal of the match, and is not
    verified.
    """

    finding: Finding
    text: str = ""
    reason: str = ""
    is_doubtful: bool = False


@dataclass(frozen=True)
class ShownMatch:
    """What the frames of a clip show: the scores, home side first, and the minutes of the clock. `is_order_known` if
    the names tell which side is printed first.
    """

    scores: tuple[Score, ...]
    minutes: frozenset[int] = frozenset()
    is_order_known: bool = True

    @property
    def text(self) -> str:
        return ", ".join(dict.fromkeys(map(str, self.scores)))


def judge_score(shown: ShownMatch, change: ScoreChange | None, others: Collection[ScoreChange] = ()) -> ScoreResult:
    """Decide whether the clip shows this goal; `others` are the other goals of the match."""
    if change is None:
        return ScoreResult(Finding.UNKNOWN, shown.text)
    if rivals := [other for other in others if _is_rival(change, other, shown)]:
        return _judge_among_rivals(shown, change, rivals)
    if not shown.scores or {change.before, change.after} & set(shown.scores):
        finding = Finding.CONFIRMED if shown.scores else Finding.UNKNOWN
        return ScoreResult(finding, shown.text, f"score {shown.text}" if shown.scores else "")
    return _judge_other_score(shown, change)


def _judge_other_score(shown: ShownMatch, change: ScoreChange) -> ScoreResult:
    refuting = [score for score in shown.scores if not score.is_at_least(change.after)]
    if not refuting:
        return _doubt(shown, f"score {shown.text} is that of a later goal")
    if not shown.is_order_known and any(score.reversed in (change.before, change.after) for score in refuting):
        return _doubt(shown, f"score {shown.text} fits only with the away side first")
    if len(refuting) < _MIN_CONTRADICTING_FRAMES:
        return _doubt(shown, f"score {shown.text}, which no other frame confirms")
    return ScoreResult(
        Finding.CONTRADICTED, shown.text, f"score {shown.text} is neither {change.before} nor {change.after}"
    )


def _judge_among_rivals(shown: ShownMatch, change: ScoreChange, rivals: Collection[ScoreChange]) -> ScoreResult:
    """Rivals fit at least as well as the goal. If only a rival fits, in two frames with a running clock, it has the
    clip. Without a clock that may be a replay, unless this goal had not been scored at any of the scores. A rival whose
    two scores are shown has it too, if the clock is nearer to it.
    """
    best = max(rivals, key=lambda other: (_count_fitting(shown.scores, other), -_distance(other, shown.minutes)))
    fits_rival_only = _count_fitting(shown.scores, best) and not _count_fitting(shown.scores, change)
    excludes_replay = bool(shown.minutes) or not any(score.is_at_least(change.after) for score in shown.scores)
    if _shows_rival_itself(shown, change, best) or (
        fits_rival_only and excludes_replay and len(shown.scores) >= _MIN_CONTRADICTING_FRAMES
    ):
        reason = f"score {shown.text} is that of the goal of minute {best.minute}"
        return ScoreResult(Finding.CONTRADICTED, shown.text, reason)
    what = f"score {shown.text}" if shown.scores else "the clock"
    return _doubt(shown, f"{what} fits the goal of minute {best.minute} as well")


def _shows_rival_itself(shown: ShownMatch, change: ScoreChange, rival: ScoreChange) -> bool:
    """Whether the score changes as the rival's did, in its minute: 116:24 is in the 117th. A compilation of both goals
    shows minutes of both.
    """
    if _count_fitting(shown.scores, rival) < len((rival.before, rival.after)) or not shown.minutes:
        return False
    nearer = (abs(minute + 1 - rival.minute) < abs(minute + 1 - change.minute) for minute in shown.minutes)
    return _count_fitting(shown.scores, change) < _count_fitting(shown.scores, rival) and all(nearer)


def _doubt(shown: ShownMatch, reason: str) -> ScoreResult:
    return ScoreResult(Finding.UNKNOWN, shown.text, reason, is_doubtful=True)


def _is_rival(change: ScoreChange, other: ScoreChange, shown: ShownMatch) -> bool:
    """Whether the clip fits the other goal at least as well: by its scores, and by its clock if those do not decide. Of
    two goals at most one has no rival in the other.
    """
    own, theirs = _count_fitting(shown.scores, change), _count_fitting(shown.scores, other)
    if own != theirs:
        return theirs > own
    if not shown.minutes:
        return bool(shown.scores)
    return _distance(change, shown.minutes) > _distance(other, shown.minutes) - _CLEARLY_NEARER_MINUTES


def _count_fitting(scores: Iterable[Score], change: ScoreChange) -> int:
    """How many of the two scores of a goal the clip shows; one that shows both shows the goal itself."""
    return len({change.before, change.after} & set(scores))


def _distance(change: ScoreChange, minutes: Collection[int]) -> int:
    return min((abs(minute - change.minute) for minute in minutes), default=0)
