"""How the answers about frames become a verdict about the clip."""

import pytest

from found_footy.model.outcome import ClipOutcome, TimestampStatus
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.frames import Expected
from found_footy.vision.verdict import Accepted, FrameAnswer, Rejected, decide, needs_middle

YES, NO, UNKNOWN = True, False, None
GOAL = Expected(34)


def frame(soccer: bool | None = YES, screen: bool | None = NO, clock: str | None = "34:12") -> FrameAnswer:
    return FrameAnswer(1.0, soccer, screen, clock)


UNREAD = FrameAnswer(1.0)


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
def test_the_middle_is_asked_only_when_the_others_disagree(outer: list[FrameAnswer], asked: bool) -> None:
    assert needs_middle(outer) is asked


def test_agreement_and_the_right_minute_verify() -> None:
    verdict = decide("someone", [frame(), frame(clock=None)], GOAL)
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.VERIFIED, 34)


def test_the_evidence_says_who_read_what_and_which_rule_decided() -> None:
    answers = (frame(), frame(clock="34:20"))
    evidence = decide("someone", answers, Expected(33, 2), notes=["by eye"]).evidence
    assert (evidence.reader, evidence.expected, evidence.answers) == ("someone", "33+2", answers)
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
        ([frame(clock="80:00"), frame(clock=None)], ClipOutcome.WRONG_MINUTE),
    ],
)
def test_a_failed_check_rejects_with_its_name(answers: list[FrameAnswer], outcome: ClipOutcome) -> None:
    verdict = decide("someone", answers, GOAL)
    assert isinstance(verdict, Rejected)
    assert verdict.outcome is outcome


def test_two_of_three_decide() -> None:
    verdict = decide("someone", [frame(NO), frame(YES), frame(YES)], GOAL)
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
def test_what_cannot_be_told_is_unavailable_and_never_a_no(answers: list[FrameAnswer]) -> None:
    with pytest.raises(VisionUnavailable):
        decide("someone", answers, GOAL)


def test_a_frame_that_was_not_read_does_not_vote() -> None:
    assert isinstance(decide("someone", [frame(), UNREAD], GOAL), Accepted)


def test_an_unknown_screen_passes_but_never_as_verified() -> None:
    verdict = decide("someone", [frame(screen=UNKNOWN), frame(screen=UNKNOWN)], GOAL)
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.UNVERIFIED, 34)


def test_an_unknown_screen_does_not_save_a_wrong_minute() -> None:
    assert isinstance(decide("someone", [frame(screen=UNKNOWN, clock="80:00")], GOAL), Rejected)
