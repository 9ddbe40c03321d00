"""Which clocks are match clocks: those that two frames show, moved on by about the time between them. Pure."""

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol, TypeVar

from found_footy.vision.clock import ClockFields, frame_period, frame_seconds, stands_at_an_end

SLACK = 1.5
# How much faster or slower than real time a clock may run before two readings of it could as well be chance.
_ODD = 0.25
# Seconds that a recorder's timer may have counted before the clip begins, where its first moments were cut off.
_CUT_OFF = 30.0


class Shown(ClockFields, Protocol):
    """What a reader copied from the frame `at` seconds into the clip."""

    @property
    def at(self) -> float: ...


ShownT = TypeVar("ShownT", bound=Shown)


def keeps_time(one: ClockFields, other: ClockFields, apart: float) -> bool:
    """Whether two readings, the other `apart` seconds later, are of one clock that runs at about real speed, or that
    stands where a half ends.
    """
    first, second = frame_seconds(one), frame_seconds(other)
    if first is None or second is None:
        return False
    if stands_at_an_end(one) and stands_at_an_end(other):
        return first == second
    return second > first and abs(second - first - apart) <= SLACK + _ODD * apart


def counts_the_clip(clock: ClockFields, at: float) -> bool:
    """Whether it is no match clock but the timer of a recorder or a player, which began about when the clip did. A
    clock that names its half, or stands by added time, is the match's.
    """
    seconds = frame_seconds(clock)
    return seconds is not None and frame_period(clock) is None and -SLACK <= seconds - at <= _CUT_OFF


def in_agreement(shown: Sequence[ShownT]) -> list[ShownT]:
    """Those that another one confirms."""
    clocks = sorted((one for one in shown if not counts_the_clip(one, one.at)), key=lambda one: one.at)
    pairs = (pair for pair in combinations(clocks, 2) if keeps_time(*pair, pair[1].at - pair[0].at))
    confirmed = [id(one) for pair in pairs for one in pair]
    return [one for one in clocks if id(one) in confirmed]
