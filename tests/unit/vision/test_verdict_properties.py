"""What holds for any answers about frames."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.verdict import Accepted, FrameReading, Rejected, Verdict, decide_verdict

maybe = st.sampled_from([True, False, None])
clocks = st.sampled_from([None, "34:12", "80:00", "90:00", "nonsense"])
answers = st.lists(
    st.builds(FrameReading, at=st.just(0.0), soccer=maybe, screen=maybe, clock=clocks, is_confirmed=maybe), max_size=3
)


def decided(given_answers: list[FrameReading]) -> Verdict | None:
    try:
        return decide_verdict("someone", given_answers, ExpectedGoal(34))
    except VisionUnavailable:
        return None


@given(answers)
def test_nothing_passes_that_most_did_not_call_football(seen: list[FrameReading]) -> None:
    if isinstance(decided(seen), Accepted):
        votes = [answer.soccer for answer in seen if answer.soccer is not None]
        assert sum(votes) * 2 > len(votes)
        assert not any(answer.screen for answer in seen) or any(answer.screen is False for answer in seen)


@given(answers)
def test_verified_needs_a_direct_picture_and_the_right_minute(seen: list[FrameReading]) -> None:
    verdict = decided(seen)
    if isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED:
        assert any(answer.screen is False for answer in seen)
        assert any(answer.clock == "34:12" and answer.is_confirmed is not False for answer in seen)


@given(
    st.lists(
        st.builds(FrameReading, at=st.floats(0, 60), soccer=st.just(True), screen=st.just(False), clock=clocks),
        max_size=1,
    )
)
def test_one_frame_alone_neither_verifies_nor_refuses(seen: list[FrameReading]) -> None:
    verdict = decided(seen)
    assert verdict is None or (isinstance(verdict, Accepted) and verdict.status is TimestampStatus.UNVERIFIED)


@given(answers)
def test_a_rejection_rests_on_what_somebody_said(seen: list[FrameReading]) -> None:
    verdict = decided(seen)
    if isinstance(verdict, Rejected):
        said = {
            ClipOutcome.NOT_SOCCER: any(answer.soccer is False for answer in seen),
            ClipOutcome.PHONE_SCREEN: any(answer.screen is True for answer in seen),
            ClipOutcome.WRONG_MINUTE: any(answer.clock in {"80:00", "90:00"} for answer in seen),
        }
        assert said[verdict.outcome]


@given(answers, st.randoms())
def test_the_order_of_the_frames_does_not_matter(seen: list[FrameReading], random: Random) -> None:
    turned = list(seen)
    random.shuffle(turned)
    one, other = decided(seen), decided(turned)
    assert type(one) is type(other)
    if one is not None and other is not None:
        assert (one.minute, one.evidence.rule) == (other.minute, other.evidence.rule)
