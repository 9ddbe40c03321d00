"""Combines the readings of single frames into a verdict on the clip. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.vision.clock import ClockFields, TimestampResult, frame_minute, frame_seconds, validate_timestamp
from found_footy.vision.clock_agreement import find_confirmed_clocks, is_recorder_timer
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.frames import ExpectedMinute


@dataclass(frozen=True)
class FrameReading:
    """The reading of one frame, `at` seconds into the clip. None is unknown: neither a no nor a vote.

    `clock`, `added` and `stoppage_clock` are as printed in the picture. `confirmed` says whether the reader has seen
    that clock run; None leaves that to the other frames. `note` says how it was read.
    """

    at: float
    soccer: bool | None = None
    screen: bool | None = None
    clock: str | None = None
    added: str | None = None
    stoppage_clock: str | None = None
    note: str = ""
    is_confirmed: bool | None = None

    @property
    def is_readable(self) -> bool:
        return self.soccer is not None or self.screen is not None


@dataclass(frozen=True)
class VerdictEvidence:
    """The reasons of the verdict: the reader, the expected minute, the readings, and the rule that decided."""

    reader: str
    expected: str
    readings: tuple[FrameReading, ...]
    rule: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Accepted:
    """The clip may be published. `status` is verified or unverified; `minute` is what the clock showed, if
    it was read.
    """

    status: TimestampStatus
    minute: int | None
    evidence: VerdictEvidence


@dataclass(frozen=True)
class Rejected:
    """The clip must not be published: `outcome` is not_soccer, phone_screen or wrong_minute."""

    outcome: ClipOutcome
    reason: str
    minute: int | None
    evidence: VerdictEvidence


Verdict = Accepted | Rejected


def is_middle_needed(outer: Sequence[FrameReading]) -> bool:
    """Whether the outer frames disagree on football or on the screen, so that the middle frame must be read."""
    return any(
        len(_collect_votes(outer, question)) > 1 and _majority_vote(outer, question) is None
        for question in ("soccer", "screen")
    )


def decide_verdict(
    reader: str, readings: Sequence[FrameReading], expected: ExpectedMinute, *, notes: Sequence[str] = ()
) -> Verdict:
    """Decide from the readings of all frames. Raises VisionUnavailable if they do not say whether it is football, or
    still contradict each other. If only the screen is unknown the clip is accepted, but never as verified.
    """

    def evidence(rule: str) -> VerdictEvidence:
        return VerdictEvidence(reader, str(expected), tuple(readings), rule, tuple(notes))

    if not any(answer.is_readable for answer in readings):
        raise VisionUnavailable(reader, "none of the frames could be read")
    if _majority_vote(readings, "screen"):
        reason = f"a filmed screen, according to {_format_tally(readings, 'screen', True)}"
        return Rejected(ClipOutcome.PHONE_SCREEN, reason, None, evidence("screen"))
    if _majority_vote(readings, "soccer") is False:
        reason = f"no football, according to {_format_tally(readings, 'soccer', False)}"
        return Rejected(ClipOutcome.NOT_SOCCER, reason, None, evidence("football"))
    screen = _require_majority(reader, readings, "screen")
    if _require_majority(reader, readings, "soccer") is None:
        raise VisionUnavailable(reader, "the frames do not show whether this is football")
    time = resolve_timestamp(readings, expected)
    if time.status is TimestampStatus.REJECTED:
        return Rejected(ClipOutcome.WRONG_MINUTE, time.reason, time.minute, evidence(f"clock: {time.reason}"))
    if screen is None and time.status is TimestampStatus.VERIFIED:
        return Accepted(TimestampStatus.UNVERIFIED, time.minute, evidence(f"screen unknown; clock: {time.reason}"))
    return Accepted(time.status, time.minute, evidence(f"clock: {time.reason}"))


def find_confirmed(readings: Sequence[FrameReading]) -> list[FrameReading]:
    """Return the readings whose clock was seen to run, by the reader itself or by the other frames."""
    agreeing = find_confirmed_clocks([answer for answer in readings if answer.is_confirmed is None])
    return [answer for answer in readings if answer.is_confirmed or answer in agreeing]


def find_unconfirmed(readings: Sequence[FrameReading]) -> list[FrameReading]:
    """Return the readings of a clock that no other frame confirms."""
    borne_out = find_confirmed(readings)
    return [answer for answer in readings if frame_minute(answer) is not None and answer not in borne_out]


def resolve_timestamp(readings: Sequence[FrameReading], expected: ExpectedMinute) -> TimestampResult:
    """Decide what the clocks prove. A clock that only one frame shows may be a caption, a price or a misreading."""
    borne_out = find_confirmed(readings)
    if not borne_out and (alone := find_unconfirmed(readings)):
        clocks = ", ".join(clock for _, clock in sorted((answer.at, str(answer.clock)) for answer in alone))
        return TimestampResult(TimestampStatus.UNVERIFIED, None, f"{clocks}, which no other frame confirms")
    return validate_timestamp(borne_out, expected.elapsed, expected.extra, expected.tolerance)


def find_time_to_confirm(readings: Sequence[FrameReading], expected: ExpectedMinute) -> float | None:
    """Return the time of a clock that only one frame shows and that would decide if another frame confirmed it: one of
    the goal's minute if nothing has verified the clip yet, or any if no clock is confirmed yet. A text that does not
    change between two frames, or has no seconds, cannot be confirmed.
    """
    if not all(
        _majority_vote(readings, question) is right for question, right in (("soccer", True), ("screen", False))
    ):
        return None
    shown = Counter(frame_seconds(answer) for answer in readings)
    alone = [answer for answer in find_unconfirmed(readings) if shown[frame_seconds(answer)] == 1]
    alone = [answer for answer in alone if frame_seconds(answer) and not is_recorder_timer(answer, answer.at)]
    if not alone or resolve_timestamp(readings, expected).status is TimestampStatus.VERIFIED:
        return None
    right = [answer for answer in alone if is_expected_minute(answer, expected)]
    return right[0].at if right else None if find_confirmed(readings) else alone[0].at


def is_expected_minute(clock: ClockFields, expected: ExpectedMinute) -> bool:
    """Whether the clock, if it is one, fits the goal."""
    time = validate_timestamp([clock], expected.elapsed, expected.extra, expected.tolerance)
    return time.status is TimestampStatus.VERIFIED


def _collect_votes(readings: Sequence[FrameReading], question: str) -> list[bool]:
    cast = (getattr(answer, question) for answer in readings)
    return [vote for vote in cast if vote is not None]


def _majority_vote(readings: Sequence[FrameReading], question: str) -> bool | None:
    """Return what more than half of the voting frames say; None for no vote and for a tie."""
    votes = _collect_votes(readings, question)
    yes = sum(votes)
    return None if 2 * yes == len(votes) else 2 * yes > len(votes)


def _format_tally(readings: Sequence[FrameReading], question: str, said: bool) -> str:
    votes = _collect_votes(readings, question)
    return f"{votes.count(said)} of {len(votes)} frames"


def _require_majority(reader: str, readings: Sequence[FrameReading], question: str) -> bool | None:
    """None only if no frame voted: a tie is a contradiction, and decides neither way."""
    decided = _majority_vote(readings, question)
    if decided is None and _collect_votes(readings, question):
        raise VisionUnavailable(reader, f"the frames contradict each other on {question}")
    return decided
