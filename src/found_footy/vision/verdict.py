"""From the answers about single frames to a verdict about the clip. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from found_footy.model.outcome import ClipOutcome, TimestampStatus
from found_footy.vision.agreement import counts_the_clip, in_agreement
from found_footy.vision.clock import ClockFields, Timestamp, frame_minute, frame_seconds, validate_timestamp
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.frames import Expected


@dataclass(frozen=True)
class FrameAnswer:
    """What was seen in one frame, `at` seconds into the clip. None is unknown: not a no, and not a vote.

    `clock`, `added` and `stoppage_clock` are as printed in the picture. `confirmed` says whether the reader has seen
    that clock run; None if it leaves that to what the other frames show. `note` says how it was seen.
    """

    at: float
    soccer: bool | None = None
    screen: bool | None = None
    clock: str | None = None
    added: str | None = None
    stoppage_clock: str | None = None
    note: str = ""
    confirmed: bool | None = None

    @property
    def readable(self) -> bool:
        return self.soccer is not None or self.screen is not None


@dataclass(frozen=True)
class Evidence:
    """Why the verdict is what it is: who looked, what was expected, what was read, and which rule decided."""

    reader: str
    expected: str
    answers: tuple[FrameAnswer, ...]
    rule: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Accepted:
    """It may be published. `status` is verified or unverified; `minute` is what the clock showed, if it was read."""

    status: TimestampStatus
    minute: int | None
    evidence: Evidence


@dataclass(frozen=True)
class Rejected:
    """It must not be published: `outcome` is not_soccer, phone_screen or wrong_minute."""

    outcome: ClipOutcome
    reason: str
    minute: int | None
    evidence: Evidence


Verdict = Accepted | Rejected


def needs_middle(outer: Sequence[FrameAnswer]) -> bool:
    """The frame in the middle is asked only if the others disagree on football or on the screen."""
    return any(len(_votes(outer, question)) > 1 and _vote(outer, question) is None for question in ("soccer", "screen"))


def decide(reader: str, answers: Sequence[FrameAnswer], expected: Expected, *, notes: Sequence[str] = ()) -> Verdict:
    """The verdict of all frames that were asked. VisionUnavailable if they do not say whether it is football, or
    contradict each other to the end. Unknown about the screen alone passes, but never as verified.
    """

    def evidence(rule: str) -> Evidence:
        return Evidence(reader, str(expected), tuple(answers), rule, tuple(notes))

    if not any(answer.readable for answer in answers):
        raise VisionUnavailable(reader, "none of the frames could be read")
    if _vote(answers, "screen"):
        reason = f"a screen that was filmed, say {_tally(answers, 'screen', True)}"
        return Rejected(ClipOutcome.PHONE_SCREEN, reason, None, evidence("screen"))
    if _vote(answers, "soccer") is False:
        reason = f"no football in the picture, say {_tally(answers, 'soccer', False)}"
        return Rejected(ClipOutcome.NOT_SOCCER, reason, None, evidence("football"))
    screen = _settled(reader, answers, "screen")
    if _settled(reader, answers, "soccer") is None:
        raise VisionUnavailable(reader, "the frames do not say whether this is football")
    time = time_shown(answers, expected)
    if time.status is TimestampStatus.REJECTED:
        return Rejected(ClipOutcome.WRONG_MINUTE, time.reason, time.minute, evidence(f"clock: {time.reason}"))
    if screen is None and time.status is TimestampStatus.VERIFIED:
        return Accepted(TimestampStatus.UNVERIFIED, time.minute, evidence(f"screen unknown; clock: {time.reason}"))
    return Accepted(time.status, time.minute, evidence(f"clock: {time.reason}"))


def confirmed(answers: Sequence[FrameAnswer]) -> list[FrameAnswer]:
    """Those whose clock was seen to run, by the reader's own word or by the other frames."""
    agreeing = in_agreement([answer for answer in answers if answer.confirmed is None])
    return [answer for answer in answers if answer.confirmed or answer in agreeing]


def unconfirmed(answers: Sequence[FrameAnswer]) -> list[FrameAnswer]:
    """Those that show a clock which no other frame bears out."""
    borne_out = confirmed(answers)
    return [answer for answer in answers if frame_minute(answer) is not None and answer not in borne_out]


def time_shown(answers: Sequence[FrameAnswer], expected: Expected) -> Timestamp:
    """What the clocks prove. What one frame shows alone may be a caption, a price or a misreading."""
    borne_out = confirmed(answers)
    if not borne_out and (alone := unconfirmed(answers)):
        clocks = ", ".join(clock for _, clock in sorted((answer.at, str(answer.clock)) for answer in alone))
        return Timestamp(TimestampStatus.UNVERIFIED, None, f"{clocks}, which no other frame confirms")
    return validate_timestamp(borne_out, expected.elapsed, expected.extra, expected.tolerance)


def worth_confirming(answers: Sequence[FrameAnswer], expected: Expected) -> float | None:
    """The time of a clock that one frame shows alone and that would decide if another frame bore it out: one of the
    goal's minute, if nothing has verified the clip yet; or any, if no clock says anything yet. What stands still in
    two frames and what has no seconds cannot be borne out.
    """
    if not all(_vote(answers, question) is right for question, right in (("soccer", True), ("screen", False))):
        return None
    shown = Counter(frame_seconds(answer) for answer in answers)
    alone = [answer for answer in unconfirmed(answers) if shown[frame_seconds(answer)] == 1]
    alone = [answer for answer in alone if frame_seconds(answer) and not counts_the_clip(answer, answer.at)]
    if not alone or time_shown(answers, expected).status is TimestampStatus.VERIFIED:
        return None
    right = [answer for answer in alone if agrees(answer, expected)]
    return right[0].at if right else None if confirmed(answers) else alone[0].at


def agrees(clock: ClockFields, expected: Expected) -> bool:
    """Whether a clock, if it is one, is of the goal."""
    time = validate_timestamp([clock], expected.elapsed, expected.extra, expected.tolerance)
    return time.status is TimestampStatus.VERIFIED


def _votes(answers: Sequence[FrameAnswer], question: str) -> list[bool]:
    cast = (getattr(answer, question) for answer in answers)
    return [vote for vote in cast if vote is not None]


def _vote(answers: Sequence[FrameAnswer], question: str) -> bool | None:
    """What more than half of the frames say that said anything; None for no vote and for a tie."""
    votes = _votes(answers, question)
    yes = sum(votes)
    return None if 2 * yes == len(votes) else 2 * yes > len(votes)


def _tally(answers: Sequence[FrameAnswer], question: str, said: bool) -> str:
    votes = _votes(answers, question)
    return f"{votes.count(said)} of {len(votes)} frames"


def _settled(reader: str, answers: Sequence[FrameAnswer], question: str) -> bool | None:
    """None only if nobody said anything: a tie is a contradiction, and not to be taken for either."""
    decided = _vote(answers, question)
    if decided is None and _votes(answers, question):
        raise VisionUnavailable(reader, f"the frames contradict each other on {question}")
    return decided
