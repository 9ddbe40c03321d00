"""Which of the clocks in the frames are a match's."""

import pytest

from found_footy.vision.clock_agreement import find_confirmed_clocks, is_recorder_timer, is_same_clock
from found_footy.vision.verdict import FrameReading


def shown(at: float, clock: str | None, timer: str | None = None) -> FrameReading:
    return FrameReading(at, clock=clock, stoppage_clock=timer)


@pytest.mark.parametrize(
    ("first", "second", "apart", "together"),
    [
        ("34:10", "34:20", 10.0, True),
        ("34:59", "35:09", 10.0, True),
        ("34:10", "34:12", 2.0, True),
        ("34:10", "34:10", 10.0, False),
        ("34:10", "34:10", 1.0, False),
        ("34:20", "34:10", 10.0, False),
        ("34:10", "34:30", 10.0, False),
        ("34:10", "67:20", 10.0, False),
        ("90:00", "90:00", 10.0, True),
        ("45:00", "90:00", 10.0, False),
        ("34'", "34'", 10.0, False),
        ("45+2", "45+2", 10.0, False),
        ("45+2:10", "45+2:20", 10.0, True),
        ("2H 05:10", "2H 05:20", 10.0, True),
        ("34:10", None, 10.0, False),
        ("34:10", "HT", 10.0, False),
    ],
)
def test_two_readings_are_one_clock_if_it_moved_on_by_the_time_between_them(
    first: str, second: str | None, apart: float, together: bool
) -> None:
    assert is_same_clock(shown(0.0, first), shown(apart, second), apart) is together


def test_a_timer_beside_a_clock_that_stands_runs_for_both() -> None:
    assert is_same_clock(shown(0.0, "90:00", "02:10"), shown(5.0, "90:00", "02:15"), 5.0)
    assert not is_same_clock(shown(0.0, "90:00", "02:10"), shown(5.0, "90:00", "02:10"), 5.0)


@pytest.mark.parametrize(
    ("clock", "at", "counts"),
    [
        ("00:02", 2.0, True),
        ("00:12", 11.5, True),
        ("00:27", 5.0, True),
        ("00:40", 5.0, False),
        ("01:30", 5.0, False),
        ("1H 00:12", 5.0, False),
        ("34:10", 5.0, False),
        (None, 5.0, False),
    ],
)
def test_a_timer_that_began_with_the_clip_is_no_match_clock(clock: str | None, at: float, counts: bool) -> None:
    assert is_recorder_timer(shown(at, clock), at) is counts


def test_an_edited_clip_has_every_clock_that_another_frame_confirms() -> None:
    clip = [shown(5.0, "34:10"), shown(7.0, "34:12"), shown(15.0, "67:30"), shown(17.0, "67:32"), shown(20.0, "80:01")]
    assert [one.clock for one in find_confirmed_clocks(clip)] == ["34:10", "34:12", "67:30", "67:32"]


def test_a_recorders_timer_agrees_with_no_other_clock() -> None:
    assert find_confirmed_clocks([shown(5.0, "00:05"), shown(15.0, "00:15")]) == []
