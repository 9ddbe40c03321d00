"""How the answers about frames become a verdict about the clip."""

from itertools import permutations

import pytest

from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.verdict import (
    Accepted,
    FrameReading,
    Rejected,
    decide_verdict,
    find_time_to_confirm,
    is_middle_needed,
)

YES, NO, UNKNOWN = True, False, None
GOAL = ExpectedGoal(34)


def frame(
    soccer: bool | None = YES, screen: bool | None = NO, clock: str | None = "34:12", at: float = 1.0
) -> FrameReading:
    return FrameReading(at, soccer, screen, clock)


def seen(clock: str, at: float, *, screen: bool | None = NO) -> FrameReading:
    """By a reader that has seen the clock run."""
    return FrameReading(at, YES, screen, clock, is_confirmed=True)


UNREAD = FrameReading(1.0)


@pytest.mark.parametrize(
    ("outer", "asked"),
    [
        ([frame(), frame()], False),
        ([frame(NO), frame(NO)], False),
        ([frame(YES), frame(NO)], True),
        ([frame(screen=YES), frame(screen=NO)], True),
        ([frame(), UNREAD], False),
        ([UNREAD, UNREAD], False),
        ([frame(clock="12:00"), frame(clock="80:00")], False),
    ],
)
def test_the_middle_frame_is_read_only_when_the_others_disagree(outer: list[FrameReading], asked: bool) -> None:
    assert is_middle_needed(outer) is asked


def test_agreement_and_the_right_minute_verify() -> None:
    for answers in ([frame(), frame(clock="34:22", at=11.0)], [seen("34:12", 1.0), frame(clock=None)]):
        verdict = decide_verdict("someone", answers, GOAL)
        assert isinstance(verdict, Accepted)
        assert (verdict.status, verdict.minute) == (TimestampStatus.VERIFIED, 34)


@pytest.mark.parametrize("clock", ["34:12", "80:00", "45:00", "20:45", "34'"])
@pytest.mark.parametrize("other", [None, "HT", "61:02"])
def test_what_one_frame_shows_alone_neither_verifies_nor_refuses(clock: str, other: str | None) -> None:
    verdict = decide_verdict("someone", [frame(clock=clock), frame(clock=other, at=11.0)], GOAL)
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.UNVERIFIED, None)
    assert f"{clock}" in verdict.evidence.rule
    assert "no other frame confirms" in verdict.evidence.rule


def test_unconfirmed_clocks_are_listed_by_time_and_then_text_in_any_input_order() -> None:
    answers = (frame(clock="80:00"), frame(clock="61:02"), frame(clock="20:45", at=11.0))
    rules = {decide_verdict("someone", turned, GOAL).evidence.rule for turned in permutations(answers)}
    assert rules == {"clock: 61:02, 80:00, 20:45, which no other frame confirms"}


@pytest.mark.parametrize("text", ["34:12", "34'", "80:00"])
def test_what_stands_still_in_two_frames_is_no_clock(text: str) -> None:
    verdict = decide_verdict("someone", [frame(clock=text), frame(clock=text, at=11.0)], GOAL)
    assert isinstance(verdict, Accepted)
    assert verdict.status is TimestampStatus.UNVERIFIED


def test_any_confirmed_frame_of_the_goals_minute_verifies_an_edited_clip() -> None:
    answers = [seen("34:12", 1.0), seen("80:10", 11.0), seen("80:12", 13.0)]
    verdict = decide_verdict("someone", answers, GOAL)
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.VERIFIED, 34)


@pytest.mark.parametrize("goal", [ExpectedGoal(2), ExpectedGoal(60), ExpectedGoal(45, 1), ExpectedGoal(90, 2)])
def test_a_recorders_timer_verifies_and_refuses_nothing(goal: ExpectedGoal) -> None:
    verdict = decide_verdict("someone", [frame(clock="00:02", at=2.0), frame(clock="00:07", at=7.0)], goal)
    assert isinstance(verdict, Accepted)
    assert verdict.status is TimestampStatus.UNVERIFIED


@pytest.mark.parametrize(
    ("answers", "at"),
    [
        ([frame(), frame(clock=None, at=11.0)], 1.0),
        ([frame(clock=None), frame(clock="80:00", at=11.0)], 11.0),
        ([frame(clock="80:00"), frame(clock="34:20", at=11.0)], 11.0),
        ([frame(), frame(clock="34:22", at=11.0)], None),
        ([frame(clock="80:00"), frame(clock="80:10", at=11.0)], None),
        ([frame(clock="80:00"), frame(clock="80:10", at=11.0), frame(clock="34:20", at=6.0)], 6.0),
        ([frame(), frame(at=11.0)], None),
        ([frame(clock="34'"), frame(clock=None)], None),
        ([frame(clock="00:02"), frame(clock=None)], None),
        ([frame(NO), frame(NO)], None),
        ([frame(clock=None), frame(clock=None)], None),
    ],
)
def test_a_clock_that_one_frame_shows_is_worth_confirming_if_it_would_decide(
    answers: list[FrameReading], at: float | None
) -> None:
    assert find_time_to_confirm(answers, GOAL) == at


def test_the_evidence_says_who_read_what_and_which_rule_decided() -> None:
    answers = (frame(), frame(clock="34:20", at=9.0))
    evidence = decide_verdict("someone", answers, ExpectedGoal(33, 2), notes=["by eye"]).evidence
    assert (evidence.reader, evidence.expected, evidence.readings) == ("someone", "33+2", answers)
    assert "minute 34 is within 3 of 35" in evidence.rule
    assert evidence.notes == ("by eye",)


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([frame(NO), frame(NO)], ClipOutcome.NOT_SOCCER),
        ([frame(YES), frame(NO), frame(NO)], ClipOutcome.NOT_SOCCER),
        ([frame(screen=YES), frame(screen=YES)], ClipOutcome.PHONE_SCREEN),
        ([frame(screen=YES), frame(screen=NO), frame(screen=YES)], ClipOutcome.PHONE_SCREEN),
        ([frame(NO), UNREAD], ClipOutcome.NOT_SOCCER),
        ([frame(clock="80:00"), frame(clock="80:10", at=11.0)], ClipOutcome.WRONG_MINUTE),
    ],
)
def test_a_failed_check_rejects_with_its_name(answers: list[FrameReading], outcome: ClipOutcome) -> None:
    verdict = decide_verdict("someone", answers, GOAL)
    assert isinstance(verdict, Rejected)
    assert verdict.outcome is outcome


def test_two_of_three_decide() -> None:
    verdict = decide_verdict("someone", [frame(NO), frame(YES), frame(YES)], GOAL)
    assert isinstance(verdict, Accepted)


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [UNREAD, UNREAD],
        [frame(YES), frame(NO)],
        [frame(YES), frame(NO), UNREAD],
        [frame(screen=YES), frame(screen=NO), UNREAD],
        [frame(UNKNOWN), frame(UNKNOWN)],
    ],
)
def test_what_cannot_be_decided_is_unavailable_and_never_a_rejection(answers: list[FrameReading]) -> None:
    with pytest.raises(VisionUnavailable):
        decide_verdict("someone", answers, GOAL)


def test_a_frame_that_was_not_read_does_not_vote() -> None:
    assert isinstance(decide_verdict("someone", [frame(), UNREAD], GOAL), Accepted)


def test_an_unknown_screen_passes_but_never_as_verified() -> None:
    verdict = decide_verdict("someone", [seen("34:12", 1.0, screen=UNKNOWN), frame(screen=UNKNOWN, clock=None)], GOAL)
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.UNVERIFIED, 34)


def test_an_unknown_screen_does_not_save_a_wrong_minute() -> None:
    assert isinstance(decide_verdict("someone", [seen("80:00", 1.0, screen=UNKNOWN)], GOAL), Rejected)
