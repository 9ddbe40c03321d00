"""Selects match clocks: those that two frames show, advanced by about the time between them. Pure."""

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol, TypeVar

from found_footy.vision.clock import ClockFields, frame_period, frame_seconds, is_stopped_at_period_end

CLOCK_SLACK_SECONDS = 1.5
# Share by which a clock may run faster or slower than real time before two readings could be a coincidence.
_MAX_SPEED_DEVIATION = 0.25
# Seconds that a recorder's timer may show at the start of the clip, if its first moments were trimmed.
_MAX_TRIMMED_SECONDS = 30.0


class TimedClockFields(ClockFields, Protocol):
    """The clock texts of the frame `at` seconds into the clip."""

    @property
    def at(self) -> float: ...


TimedClockFieldsT = TypeVar("TimedClockFieldsT", bound=TimedClockFields)


def is_same_clock(one: ClockFields, other: ClockFields, apart: float) -> bool:
    """Whether two readings, the other `apart` seconds later, are of one clock that runs at about real speed or is
    stopped at the end of a half.
    """
    first, second = frame_seconds(one), frame_seconds(other)
    if first is None or second is None:
        return False
    if is_stopped_at_period_end(one) and is_stopped_at_period_end(other):
        return first == second
    return second > first and abs(second - first - apart) <= CLOCK_SLACK_SECONDS + _MAX_SPEED_DEVIATION * apart


def is_recorder_timer(clock: ClockFields, at: float) -> bool:
    """Whether it is the timer of a recorder or a player, started about when the clip did, and no match clock. A clock
    that names its half or is shown with added time is the match's.
    """
    seconds = frame_seconds(clock)
    return (
        seconds is not None
        and frame_period(clock) is None
        and -CLOCK_SLACK_SECONDS <= seconds - at <= _MAX_TRIMMED_SECONDS
    )


def find_confirmed_clocks(readings: Sequence[TimedClockFieldsT]) -> list[TimedClockFieldsT]:
    """Return the readings that another reading confirms."""
    clocks = sorted((one for one in readings if not is_recorder_timer(one, one.at)), key=lambda one: one.at)
    pairs = (pair for pair in combinations(clocks, 2) if is_same_clock(*pair, pair[1].at - pair[0].at))
    confirmed = [id(one) for pair in pairs for one in pair]
    return [one for one in clocks if id(one) in confirmed]
