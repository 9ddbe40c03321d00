"""What the half that the picture names says about the goal. Pure."""

from collections.abc import Sequence

from found_footy.domain.outcomes import Finding
from found_footy.vision.clock import ClockFields, frame_minute, frame_period
from found_footy.vision.periods import Period, goal_period, is_in_goal_period

_PERIOD_NAMES = {
    Period.FIRST: "first half",
    Period.SECOND: "second half",
    Period.EXTRA: "extra time",
    Period.SECOND_EXTRA: "extra time",
}


def judge_half(frames: Sequence[ClockFields], elapsed: int, extra: int | None) -> Finding:
    """Confirmed if a frame names the goal's half, contradicted if frames name others only."""
    expected = goal_period(elapsed, extra)
    named = [
        is_in_goal_period(period, minute, expected)
        for frame in frames
        if (period := frame_period(frame)) is not None and (minute := frame_minute(frame)) is not None
    ]
    if not named:
        return Finding.UNKNOWN
    return Finding.CONFIRMED if any(named) else Finding.CONTRADICTED


def describe_half(frames: Sequence[ClockFields]) -> str:
    """The half that the first such frame names, by a word or by added time; empty if none does."""
    named = (frame_period(frame) for frame in frames)
    return next((_PERIOD_NAMES[period] for period in named if period is not None), "")
