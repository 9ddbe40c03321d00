"""Combines the readings of single frames into a verdict on the clip. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from found_footy.domain.outcomes import ClipOutcome, Finding, TimestampStatus
from found_footy.domain.proof import ClipProof
from found_footy.vision.bug_text import parse_score, parse_teams
from found_footy.vision.clock import ClockFields, TimestampResult, frame_minute, frame_seconds, validate_timestamp
from found_footy.vision.clock_agreement import find_confirmed_clocks, is_recorder_timer
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.halves import describe_half, judge_half
from found_footy.vision.proof import ProofCase, decide_proof
from found_footy.vision.shown_score import ScoreResult, ShownMatch, judge_score
from found_footy.vision.teams import TeamsResult, judge_teams


@dataclass(frozen=True)
class FrameReading:
    """The reading of one frame, `at` seconds into the clip. None is unknown: neither a no nor a vote.

    `clock`, `added`, `stoppage_clock`, `teams` (both names, SEV–MCI) and `score` (0–2, in the same order) are as
    printed in the picture. `is_confirmed` says whether the reader has seen that clock run; None leaves that to the
    other frames. `note` says how it was read.
    """

    at: float
    soccer: bool | None = None
    screen: bool | None = None
    clock: str | None = None
    added: str | None = None
    stoppage_clock: str | None = None
    note: str = ""
    is_confirmed: bool | None = None
    teams: str | None = None
    score: str | None = None

    @property
    def is_readable(self) -> bool:
        return self.soccer is not None or self.screen is not None


@dataclass(frozen=True)
class VerdictEvidence:
    """The reasons of the verdict: the reader, the expected minute, the readings, what they prove, and the rule that
    decided.
    """

    reader: str
    expected: str
    readings: tuple[FrameReading, ...]
    rule: str
    notes: tuple[str, ...] = ()
    proof: ClipProof = field(default_factory=ClipProof)


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
    """The clip must not be published: `outcome` is not_soccer, phone_screen, wrong_minute, wrong_match or
    wrong_goal.
    """

    outcome: ClipOutcome
    reason: str
    minute: int | None
    evidence: VerdictEvidence


Verdict = Accepted | Rejected

_RULES = {
    ClipOutcome.WRONG_MATCH: "teams",
    ClipOutcome.WRONG_MINUTE: "clock",
    ClipOutcome.WRONG_GOAL: "score",
}
_FINDING_BY_STATUS = {
    TimestampStatus.VERIFIED: Finding.CONFIRMED,
    TimestampStatus.UNVERIFIED: Finding.UNKNOWN,
    TimestampStatus.REJECTED: Finding.CONTRADICTED,
}
# A clock that only one frame shows counts if both teams and score confirm the goal.
_WITNESSES_OF_ONE_FRAME = 2


def is_middle_needed(outer: Sequence[FrameReading]) -> bool:
    """Whether the outer frames disagree on football or on the screen, so that the middle frame must be read."""
    return any(
        len(_collect_votes(outer, question)) > 1 and _majority_vote(outer, question) is None
        for question in ("soccer", "screen")
    )


def decide_verdict(
    reader: str, readings: Sequence[FrameReading], expected: ExpectedGoal, *, notes: Sequence[str] = ()
) -> Verdict:
    """Decide from the readings of all frames. Raises VisionUnavailable if they do not say whether it is football, or
    still contradict each other. If only the screen is unknown the clip is accepted, but never as verified.
    """

    case = judge_clip(readings, expected, is_direct=_majority_vote(readings, "screen") is False)

    def evidence(rule: str) -> VerdictEvidence:
        return VerdictEvidence(reader, str(expected), tuple(readings), rule, tuple(notes), case.proof)

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
    outcome = decide_proof(case)
    if isinstance(outcome, ClipOutcome):
        reason = case.reasons[outcome]
        return Rejected(outcome, reason, case.minute, evidence(f"{_RULES[outcome]}: {reason}"))
    unknown = "screen unknown; " if screen is None and case.is_minute_proven else ""
    return Accepted(outcome, case.minute, evidence(f"{unknown}{case.summary}"))


def judge_clip(readings: Sequence[FrameReading], expected: ExpectedGoal, *, is_direct: bool) -> "ClipCase":
    """What the readings say about minute, half, teams and score of the goal."""
    time, clocks = resolve_timestamp(readings, expected), find_confirmed(readings) or find_unconfirmed(readings)
    pairs = [pair for answer in readings if (pair := parse_teams(answer.teams))]
    teams = judge_teams(pairs, expected.teams)
    minutes = frozenset(minute for answer in clocks if (minute := frame_minute(answer)) is not None)
    printed = [found for answer in readings if (found := parse_score(answer.score))]
    scores = tuple(found.reversed if teams.home_first is False else found for found in printed)
    score = judge_score(ShownMatch(scores, minutes, teams.home_first is not None), expected.change, expected.others)
    proof = ClipProof(
        clock=_format_clock(clocks[0]) if clocks else "",
        half=describe_half(clocks),
        teams=teams.text,
        score=", ".join(dict.fromkeys(map(str, printed))),
        minute_finding=_FINDING_BY_STATUS[time.status],
        half_finding=_judge_half(clocks, expected, time),
        teams_finding=teams.finding,
        score_finding=score.finding,
    )
    return ClipCase(
        proof,
        is_direct,
        teams.is_doubtful or score.is_doubtful,
        time.witnesses_needed if expected.uses_witnesses else None,
        time=time,
        teams=teams,
        score=score,
    )


@dataclass(frozen=True)
class ClipCase(ProofCase):
    """A proof case with the results behind it."""

    time: TimestampResult = field(kw_only=True)
    teams: TeamsResult = field(kw_only=True)
    score: ScoreResult = field(kw_only=True)

    @property
    def minute(self) -> int | None:
        """The minute that the clock shows; a possible one if witnesses make up for what it lacks."""
        return self.time.possible_minute if self.time.minute is None and self.is_minute_proven else self.time.minute

    @property
    def reasons(self) -> dict[ClipOutcome, str]:
        return {
            ClipOutcome.WRONG_MATCH: f"{self.teams.text} is another match",
            ClipOutcome.WRONG_MINUTE: self.time.reason,
            ClipOutcome.WRONG_GOAL: self.score.reason,
        }

    @property
    def summary(self) -> str:
        """The rule of a clip that was not rejected: what the clock says, and what teams and score add to it."""
        parts = [f"clock: {self.time.reason}"]
        if self.teams.finding is Finding.CONFIRMED or self.teams.is_doubtful:
            parts.append(f"teams: {self.teams.text}" + (", in one frame" if self.teams.is_doubtful else ""))
        if self.score.reason:
            parts.append(self.score.reason)
        return "; ".join(parts)


def find_confirmed(readings: Sequence[FrameReading]) -> list[FrameReading]:
    """Return the readings whose clock was seen to run, by the reader itself or by the other frames."""
    agreeing = find_confirmed_clocks([answer for answer in readings if answer.is_confirmed is None])
    return [answer for answer in readings if answer.is_confirmed or answer in agreeing]


def find_unconfirmed(readings: Sequence[FrameReading]) -> list[FrameReading]:
    """Return the readings of a clock that no other frame confirms."""
    borne_out = find_confirmed(readings)
    return [answer for answer in readings if frame_minute(answer) is not None and answer not in borne_out]


def resolve_timestamp(readings: Sequence[FrameReading], expected: ExpectedGoal) -> TimestampResult:
    """Decide what the clocks prove. A clock that only one frame shows may be a caption, a price or a misreading."""
    borne_out = find_confirmed(readings)
    if not borne_out and (alone := find_unconfirmed(readings)):
        clocks = ", ".join(clock for _, clock in sorted((answer.at, str(answer.clock)) for answer in alone))
        fitting = [minute for answer in alone if (minute := _find_expected_minute(answer, expected)) is not None]
        return TimestampResult(
            TimestampStatus.UNVERIFIED,
            None,
            f"{clocks}, which no other frame confirms",
            fitting[0] if fitting else None,
            _WITNESSES_OF_ONE_FRAME if fitting else None,
        )
    return _validate(borne_out, expected)


def find_time_to_confirm(readings: Sequence[FrameReading], expected: ExpectedGoal) -> float | None:
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


def is_expected_minute(clock: ClockFields, expected: ExpectedGoal) -> bool:
    """Whether the clock, if it is one, fits the goal."""
    return _find_expected_minute(clock, expected) is not None


def _find_expected_minute(clock: ClockFields, expected: ExpectedGoal) -> int | None:
    time = _validate([clock], expected)
    return time.minute if time.status is TimestampStatus.VERIFIED else None


def _validate(clocks: Sequence[ClockFields], expected: ExpectedGoal) -> TimestampResult:
    return validate_timestamp(
        clocks, expected.elapsed, expected.extra, expected.tolerance, checks_half=expected.checks_half
    )


def _judge_half(clocks: Sequence[FrameReading], expected: ExpectedGoal, time: TimestampResult) -> Finding:
    """A half that contradicts the goal's counts only with a minute that does: the label may be misread."""
    if not expected.checks_half:
        return Finding.UNKNOWN
    half = judge_half(clocks, expected.elapsed, expected.extra)
    is_other = half is Finding.CONTRADICTED and time.status is not TimestampStatus.REJECTED
    return Finding.UNKNOWN if is_other else half


def _format_clock(answer: FrameReading) -> str:
    return " ".join(text for text in (answer.clock, answer.added, answer.stoppage_clock) if text)


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
