"""What holds for any text in place of a clock."""

import string

from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.outcomes import TimestampStatus
from found_footy.vision.clock import (
    MAX_MATCH_MINUTE,
    frame_minute,
    frame_period,
    parse_added_field,
    parse_clock_field,
    parse_stoppage_clock_field,
    validate_timestamp,
)
from found_footy.vision.periods import PERIOD_WORDS, goal_period, is_in_goal_period
from found_footy.vision.verdict import FrameReading

clockish = st.text(alphabet="0123456789:+' .HT2ET", max_size=16)
anything = st.one_of(st.none(), st.text(max_size=200), clockish, st.text(alphabet=string.printable, max_size=40))
minutes = st.integers(0, MAX_MATCH_MINUTE)
seconds = st.integers(0, 59)


@given(anything)
def test_any_text_is_a_minute_in_range_or_none(text: str | None) -> None:
    minute = parse_clock_field(text)
    assert minute is None or 0 <= minute <= MAX_MATCH_MINUTE
    for field in (parse_added_field(text), parse_stoppage_clock_field(text)):
        assert field is None or 0 <= field <= 30


@given(anything)
def test_case_and_outer_blanks_do_not_matter(text: str | None) -> None:
    minute = parse_clock_field(text)
    if minute is not None and text is not None:
        assert parse_clock_field(f"  {text.lower()}\t") == minute
        assert parse_clock_field(text.upper()) == minute


@given(minutes, seconds)
def test_a_plain_clock_is_its_minutes_whatever_the_seconds(minute: int, second: int) -> None:
    assert parse_clock_field(f"{minute}:{second:02d}") == minute
    assert parse_clock_field(f"{minute:02d}:{second:02d}") == minute


@given(minutes, seconds, minutes, seconds)
def test_two_clocks_in_one_text_are_never_two_minutes(one: int, second: int, other: int, third: int) -> None:
    """Only a clock that stands at the end of a half has another beside it, and then the sum is meant."""
    found = parse_clock_field(f"{one}:{second:02d} {other}:{third:02d}")
    assert found is None or (one in {45, 90, 105, 120} and second == 0 and found == one + other)


@given(st.sampled_from(sorted(PERIOD_WORDS)), st.sampled_from(sorted(PERIOD_WORDS)), minutes, seconds)
def test_the_half_may_stand_before_or_after(word: str, other: str, minute: int, second: int) -> None:
    time = f"{minute}:{second:02d}"
    assert parse_clock_field(f"{word} {time}") == parse_clock_field(f"{time} {word}")
    found = parse_clock_field(f"{word} {time} {other}")
    assert found is None or found in (minute, minute + 45, minute + 90)


@given(minutes, seconds, st.integers(1, 15))
def test_an_announcement_never_moves_a_running_clock(minute: int, second: int, added: int) -> None:
    assert parse_clock_field(f"{minute}:{second:02d} +{added}") == minute
    assert parse_clock_field(f"+{added} {minute}:{second:02d}") == minute


frames = st.lists(
    st.builds(
        FrameReading, at=st.just(0.0), clock=anything, added=st.sampled_from([None, "+3"]), stoppage_clock=anything
    ),
    max_size=3,
)


@given(frames, st.integers(1, 120), st.one_of(st.none(), st.integers(0, 15)), st.integers(0, 10))
def test_verified_means_near_and_rejected_means_a_minute_was_read(
    seen: list[FrameReading], elapsed: int, extra: int | None, tolerance: int
) -> None:
    found = validate_timestamp(seen, elapsed, extra, tolerance)
    expected = elapsed + (extra or 0)
    if found.status is TimestampStatus.VERIFIED:
        assert found.minute is not None
        assert abs(found.minute - expected) <= tolerance
    if found.status is TimestampStatus.REJECTED:
        assert found.minute is not None
        others = [frame for frame in seen if frame_minute(frame) == found.minute and frame_period(frame) is not None]
        assert abs(found.minute - expected) > tolerance or others
    if found.status is TimestampStatus.UNVERIFIED:
        assert found.minute is None


halves = st.sampled_from(["1H", "2H", "1ST HALF", "2ND HALF", "ET"])


@given(halves, minutes, seconds, st.integers(1, 120), st.one_of(st.none(), st.integers(1, 15)))
def test_a_clock_that_names_a_half_never_verifies_a_goal_of_another(
    word: str, minute: int, second: int, elapsed: int, extra: int | None
) -> None:
    shown = FrameReading(0.0, clock=f"{word} {minute}:{second:02d}")
    if validate_timestamp([shown], elapsed, extra).status is TimestampStatus.VERIFIED:
        named, read = frame_period(shown), frame_minute(shown)
        assert named is not None
        assert read is not None
        assert is_in_goal_period(named, read, goal_period(elapsed, extra))


@given(st.integers(0, 44), seconds, st.sampled_from([45, 90, 105, 120]), st.integers(1, 10))
def test_a_clock_of_the_first_minutes_proves_no_added_time(minute: int, second: int, elapsed: int, extra: int) -> None:
    found = validate_timestamp([FrameReading(0.0, clock=f"{minute}:{second:02d}")], elapsed, extra)
    assert found.status is not TimestampStatus.VERIFIED or abs(minute - elapsed - extra) <= 3


@given(frames, st.integers(1, 120), st.one_of(st.none(), st.integers(0, 15)))
def test_the_order_of_the_frames_does_not_matter(seen: list[FrameReading], elapsed: int, extra: int | None) -> None:
    assert validate_timestamp(seen, elapsed, extra) == validate_timestamp(seen[::-1], elapsed, extra)
