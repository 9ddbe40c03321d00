"""The table of the verdict: minute, half, teams, score, and whether the picture is direct."""

from dataclasses import replace
from itertools import product

import pytest

from found_footy.domain.outcomes import ClipOutcome, Finding, TimestampStatus
from found_footy.domain.proof import ClipProof
from found_footy.domain.scores import Score
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ScoreChange
from found_footy.vision.proof import ProofCase, decide_proof
from found_footy.vision.verdict import Accepted, FrameReading, Rejected, Verdict, decide_verdict

YES, MAYBE, NO = Finding.CONFIRMED, Finding.UNKNOWN, Finding.CONTRADICTED
VERIFIED, UNVERIFIED = TimestampStatus.VERIFIED, TimestampStatus.UNVERIFIED
MATCH, MINUTE, GOAL = ClipOutcome.WRONG_MATCH, ClipOutcome.WRONG_MINUTE, ClipOutcome.WRONG_GOAL


def proof(minute: Finding, half: Finding, teams: Finding, score: Finding) -> ClipProof:
    return ClipProof(minute_finding=minute, half_finding=half, teams_finding=teams, score_finding=score)


@pytest.mark.parametrize(
    ("minute", "half", "teams", "score", "outcome"),
    [
        (YES, MAYBE, MAYBE, MAYBE, VERIFIED),
        (YES, YES, YES, YES, VERIFIED),
        (MAYBE, YES, YES, YES, UNVERIFIED),
        (MAYBE, MAYBE, MAYBE, MAYBE, UNVERIFIED),
        (YES, YES, NO, YES, MATCH),
        (NO, YES, NO, NO, MATCH),
        (NO, MAYBE, YES, YES, MINUTE),
        (MAYBE, NO, YES, YES, MINUTE),
        (NO, NO, MAYBE, NO, MINUTE),
        (YES, YES, YES, NO, GOAL),
        (MAYBE, MAYBE, YES, NO, GOAL),
    ],
)
def test_a_direct_picture(
    minute: Finding, half: Finding, teams: Finding, score: Finding, outcome: ClipOutcome | TimestampStatus
) -> None:
    assert decide_proof(ProofCase(proof(minute, half, teams, score), is_direct=True)) is outcome


@pytest.mark.parametrize(("needed", "confirmed"), list(product((1, 2), range(3))))
def test_witnesses_make_up_for_a_doubtful_minute(needed: int, confirmed: int) -> None:
    findings = [YES] * confirmed + [MAYBE] * (2 - confirmed)
    case = ProofCase(proof(MAYBE, MAYBE, *findings), is_direct=True, witnesses_needed=needed)
    assert decide_proof(case) is (VERIFIED if confirmed >= needed else UNVERIFIED)


def test_only_a_proven_minute_of_a_direct_picture_beyond_doubt_verifies() -> None:
    for findings in product(Finding, repeat=4):
        for is_direct, is_doubtful in product((True, False), repeat=2):
            decided = decide_proof(ProofCase(proof(*findings), is_direct=is_direct, is_doubtful=is_doubtful))
            wanted = findings[0] is YES and NO not in findings and is_direct and not is_doubtful
            assert (decided is VERIFIED) is wanted
            assert isinstance(decided, ClipOutcome) is (NO in findings)


TEAMS = MatchTeams(("Sevilla",), ("Manchester City",))
CHANGE = ScoreChange(66, Score(0, 1), Score(0, 2))
EXPECTED = ExpectedGoal(66, teams=TEAMS, change=CHANGE)
LATE = ExpectedGoal(90, 2, teams=TEAMS, change=ScoreChange(92, Score(0, 1), Score(0, 2)))


def judge(expected: ExpectedGoal, *clocks: str | None, teams: str | None = None, score: str | None = None) -> Verdict:
    readings = [
        FrameReading(2.0 + 10 * number, True, False, clock, teams=teams, score=score)
        for number, clock in enumerate(clocks)
    ]
    return decide_verdict("someone", readings, expected)


def outcome_of(verdict: Verdict) -> ClipOutcome | TimestampStatus:
    return verdict.outcome if isinstance(verdict, Rejected) else verdict.status


@pytest.mark.parametrize(
    ("teams", "score", "outcome"),
    [
        ("SEV / MCI", "0-2", VERIFIED),
        (None, None, VERIFIED),
        ("SEV / RMA", "0-2", MATCH),
        ("VAL / RMA", None, MATCH),
        ("SEV / MCI", "0-0", GOAL),
        ("SEV / MCI", "0-3", UNVERIFIED),
        ("MCI / SEV", "2-0", VERIFIED),
    ],
)
def test_the_right_minute_with_teams_and_score(
    teams: str | None, score: str | None, outcome: ClipOutcome | TimestampStatus
) -> None:
    assert outcome_of(judge(EXPECTED, "66:28", "66:38", teams=teams, score=score)) is outcome


def test_the_evidence_has_every_field() -> None:
    verdict = judge(EXPECTED, "2H 66:28", "2H 66:38", teams="SEV / MCI", score="0-2")
    assert verdict.evidence.proof == ClipProof("2H 66:28", "second half", "SEV–MCI", "0–2", YES, YES, YES, YES)
    assert verdict.evidence.rule == "clock: minute 66 is within 3 of 66; teams: SEV–MCI; score 0–2"


def test_a_rejection_names_what_was_read() -> None:
    other = judge(EXPECTED, "66:28", "66:38", teams="SEV / RMA")
    assert isinstance(other, Rejected)
    assert (other.reason, other.evidence.rule) == ("SEV–RMA is another match", "teams: SEV–RMA is another match")


@pytest.mark.parametrize(
    ("teams", "score", "outcome"),
    [(None, None, UNVERIFIED), ("SEV / MCI", None, UNVERIFIED), ("SEV / MCI", "0-2", VERIFIED)],
)
def test_a_clock_of_one_frame_needs_teams_and_score(
    teams: str | None, score: str | None, outcome: TimestampStatus
) -> None:
    assert outcome_of(judge(EXPECTED, "66:28", None, teams=teams, score=score)) is outcome
    unaided = ExpectedGoal(66, teams=TEAMS, change=CHANGE, uses_witnesses=False)
    assert outcome_of(judge(unaided, "66:28", None, teams=teams, score=score)) is UNVERIFIED


@pytest.mark.parametrize(
    ("teams", "score", "outcome"),
    [
        (None, None, UNVERIFIED),
        ("SEV / MCI", None, VERIFIED),
        (None, "0-2", VERIFIED),
        ("SEV / MCI", "0-2", VERIFIED),
        ("SEV / MCI", "0-0", GOAL),
        ("SEV / RMA", None, MATCH),
    ],
)
def test_a_small_clock_in_added_time_needs_one_witness(
    teams: str | None, score: str | None, outcome: ClipOutcome | TimestampStatus
) -> None:
    verdict = judge(LATE, "02:36", "02:46", teams=teams, score=score)
    assert outcome_of(verdict) is outcome
    if isinstance(verdict, Accepted):
        assert verdict.minute == (92 if outcome is VERIFIED else None)


def test_a_small_clock_in_added_time_is_not_that_of_a_goal_of_the_first_minutes() -> None:
    early = ScoreChange(3, Score(0, 0), Score(0, 1))
    expected = ExpectedGoal(90, 2, teams=TEAMS, change=LATE.change, others=(early,))
    assert outcome_of(judge(expected, "02:36", "02:46", teams="SEV / MCI")) is UNVERIFIED
    assert outcome_of(judge(expected, "02:36", "02:46", teams="SEV / MCI", score="0-2")) is VERIFIED


def test_the_half_is_ignored_if_it_is_not_checked() -> None:
    assert outcome_of(judge(ExpectedGoal(48), "1H 48:12", "1H 48:22")) is MINUTE
    assert outcome_of(judge(ExpectedGoal(48, checks_half=False), "1H 48:12", "1H 48:22")) is VERIFIED
    unchecked = judge(ExpectedGoal(66, checks_half=False), "2H 66:28", "2H 66:38")
    assert unchecked.evidence.proof.half_finding is MAYBE


def test_one_frame_that_names_the_goals_half_confirms_it() -> None:
    assert judge(ExpectedGoal(48), "2H 48:12", "1H 48:22").evidence.proof.half_finding is YES


def read_pair(expected: ExpectedGoal, first: FrameReading, second: FrameReading) -> ClipOutcome | TimestampStatus:
    return outcome_of(decide_verdict("someone", [first, second], expected))


def test_a_half_that_one_frame_misreads_does_not_refute_a_clock_of_the_goals_minute() -> None:
    first, second = (FrameReading(at, True, False, clock) for at, clock in ((2.0, "1H 48:12"), (12.0, "48:22")))
    assert read_pair(ExpectedGoal(48), first, second) is VERIFIED


def test_another_team_in_one_frame_leaves_the_right_minute_unverified() -> None:
    first, second = (FrameReading(at, True, False, clock) for at, clock in ((2.0, "66:28"), (12.0, "66:38")))
    assert read_pair(EXPECTED, replace(first, teams="SEV / RMA"), second) is UNVERIFIED
    assert read_pair(EXPECTED, replace(first, teams="SEV / XQZ"), second) is VERIFIED


def test_a_score_that_fits_the_other_way_round_refutes_only_beside_the_names() -> None:
    assert outcome_of(judge(EXPECTED, "66:28", "66:38", score="2-0")) is UNVERIFIED
    assert outcome_of(judge(EXPECTED, "66:28", "66:38", teams="SEV / MCI", score="2-0")) is GOAL
