"""Parses the broadcast clock: from the text that a reader copied off a frame to a minute of the match.

Pure functions over any text. A text that could mean two different minutes yields none.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from found_footy.domain.minutes import add_extra_time
from found_footy.domain.outcomes import TimestampStatus
from found_footy.vision.periods import (
    EVERYDAY_PERIOD_WORDS,
    PERIOD_END_MINUTES,
    PERIOD_WORD_PATTERN,
    PERIOD_WORDS,
    Period,
    goal_period,
    is_in_goal_period,
    period_ending_at,
)

MAX_MATCH_MINUTE = 130
CLOCK_TOLERANCE_MINUTES = 3
_MAX_TEXT_LENGTH = 64
_MAX_ADDED_MINUTES = 30
# Added time is announced at the end of a half; a clock glued to its announcement shows no earlier minute than this.
_MIN_MINUTE_WITH_ADDED_TIME = 44
# A running clock that shows only the minutes of added time needs one more sign that it is in added time.
_WITNESSES_OF_LOST_DIGITS = 1
_HALF_TIME_MINUTE, _FULL_TIME_MINUTE, _EXTRA_TIME_MINUTES, _EXTRA_HALF_MINUTES = 45, 90, 30, 15

_CLOCK_FIELD_PATTERN = re.compile(
    rf"(?:(?P<before>{PERIOD_WORD_PATTERN})\.?\s?(?=[\s\d+]))?\s?(?P<time>[\d:+' ]+?)"
    rf"(?:\s(?P<after>{PERIOD_WORD_PATTERN})\.?)?"
)
_CLOCK_PATTERN = re.compile(r"(\d{1,3}):([0-5]\d)")
_MINUTE_PATTERN = re.compile(r"(\d{1,3})'?")
_STOPPAGE_NOTATION_PATTERN = re.compile(
    r"(\d{1,3})(?::00)?\+(\d{1,2})(?::[0-5]\d)?'?|(\d{1,3})'? ?\+ ?(\d{1,2})(?::[0-5]\d)?'?"
)
_CLOCK_WITH_ADDED_PATTERN = re.compile(r"(\d{1,3}):([0-5]\d) ?\+ ?\d{1,2}'?|\+ ?\d{1,2}'? (\d{1,3}):([0-5]\d)")
_CLOCK_WITH_TIMER_PATTERN = re.compile(r"(\d{1,3}):00(?: ?\+ ?\d{1,2}'?)? (\d{1,2}):([0-5]\d)(?: ?\+ ?\d{1,2}'?)?")
_GLUED_ADDED_PATTERN = re.compile(r"(?:(\d{1,3}):00 ?)?\+(\d{3,5}):([0-5]\d)")
_ADDED_TIME_PATTERN = re.compile(r"\+ ?(\d{1,2})'?")
_STOPPAGE_CLOCK_PATTERN = re.compile(r"(\d{1,2}):([0-5]\d)")

_CHARACTER_TRANSLATIONS = str.maketrans(
    {
        "：": ":",
        "∶": ":",
        "．": ".",
        "；": ":",
        "＋": "+",
        "’": "'",
        "‘": "'",
        "′": "'",
        "´": "'",
        "`": "'",
        "ª": "A",
        "º": "O",
        "°": "O",
    }
)


def parse_clock_field(text: str | None) -> int | None:
    """Parse the absolute minute of the main clock, 0 to 130. Seconds are dropped."""
    shape = _CLOCK_FIELD_PATTERN.fullmatch(normalize_text(text))
    if shape is None:
        return None
    period = _resolve_period(shape["before"], shape["after"])
    if period is _CONTRADICTORY_PERIOD:
        return None
    restarting = None if EVERYDAY_PERIOD_WORDS & {shape["before"], shape["after"]} else period
    minute = _single_minute(_possible_minutes(shape["time"].strip(), restarting))
    return minute if minute is not None and minute <= MAX_MATCH_MINUTE else None


def parse_added_field(text: str | None) -> int | None:
    """Parse the announced added minutes; the plus sign is required."""
    found = _ADDED_TIME_PATTERN.fullmatch(normalize_text(text))
    return _parse_bounded_number(found[1], _MAX_ADDED_MINUTES) if found else None


def parse_stoppage_clock_field(text: str | None) -> int | None:
    """Parse the minutes of the stoppage timer that runs in added time, which must be written M:SS."""
    found = _STOPPAGE_CLOCK_PATTERN.fullmatch(normalize_text(text))
    return _parse_bounded_number(found[1], _MAX_ADDED_MINUTES) if found else None


def compute_absolute_minute(clock: int | None, stoppage: int | None) -> int | None:
    return None if clock is None else clock + (stoppage or 0)


class ClockFields(Protocol):
    """The clock texts of one frame. An additional `added` attribute holds the announced added time."""

    @property
    def clock(self) -> str | None: ...
    @property
    def stoppage_clock(self) -> str | None: ...


@dataclass(frozen=True)
class TimestampResult:
    """`minute` is the deciding one: the verified minute, or the nearest of the wrong ones. `possible_minute` is one
    that fits the goal if `witnesses_needed` of half, teams and score confirm it.
    """

    status: TimestampStatus
    minute: int | None
    reason: str
    possible_minute: int | None = None
    witnesses_needed: int | None = None


@dataclass(frozen=True)
class _MinuteReading:
    """`shown_minute` is the minute in the picture, `restored_minute` the one if the clock lost its leading digits;
    `is_in_goal_period` unless the picture names another half than the goal's, `is_stopped` if the clock stopped at the
    end of a half.
    """

    shown_minute: int
    restored_minute: int | None
    is_in_goal_period: bool
    is_stopped: bool


def validate_timestamp(
    frames: Iterable[ClockFields],
    api_elapsed: int,
    api_extra: int | None,
    tolerance: int = CLOCK_TOLERANCE_MINUTES,
    *,
    checks_half: bool = True,
) -> TimestampResult:
    """Whether any frame's clock is within `tolerance` minutes of the goal's minute, and in its half if the frame names
    one and `checks_half`.

    Every reading counts: the caller leaves out readings that only one frame shows.
    """
    seen, expected = list(frames), add_extra_time(api_elapsed, api_extra)
    readings = [found for frame in seen if (found := _read_minute(frame, api_elapsed, api_extra))]
    if not readings:
        return TimestampResult(TimestampStatus.UNVERIFIED, None, "no clock was read")
    near = [
        one.shown_minute
        for one in readings
        if (one.is_in_goal_period or not checks_half) and abs(one.shown_minute - expected) <= tolerance
    ]
    restored = [
        one.restored_minute
        for one in readings
        if one.restored_minute is not None and abs(one.restored_minute - expected) <= tolerance
    ]
    if restored and _has_added_time_evidence(seen, api_elapsed):
        near += restored
    if near:
        nearest = _nearest_minute(near, expected)
        return TimestampResult(
            TimestampStatus.VERIFIED, nearest, f"minute {nearest} is within {tolerance} of {expected}"
        )
    usable = [one for one in readings if not one.is_stopped and one.restored_minute not in restored]
    if not usable:
        reason = _explain_unverified(readings, bool(restored))
        possible = (_nearest_minute(restored, expected), _WITNESSES_OF_LOST_DIGITS) if restored else (None, None)
        return TimestampResult(TimestampStatus.UNVERIFIED, None, reason, *possible)
    shown = _nearest_minute((one.shown_minute for one in readings), expected)
    where = "of another half than" if abs(shown - expected) <= tolerance else f"not within {tolerance} of"
    return TimestampResult(TimestampStatus.REJECTED, shown, f"minute {shown} is {where} {expected}")


def _explain_unverified(readings: Iterable[_MinuteReading], restored: bool) -> str:
    shown = min(one.shown_minute for one in readings)
    if restored:
        return f"the clock shows minute {shown}, and nothing else shows that it is in added time"
    return f"the clock stands at {shown}:00 in added time"


def _nearest_minute(minutes: Iterable[int], expected: int) -> int:
    return min(minutes, key=lambda minute: (abs(minute - expected), minute))


def frame_minute(frame: ClockFields) -> int | None:
    """Return the minute that one frame shows. The stoppage timer counts from a stopped main clock; beside a running
    clock it only repeats it. A second half stopped at 45:00 with a timer is at its end.
    """
    clock = parse_clock_field(frame.clock)
    stoppage = parse_stoppage_clock_field(frame.stoppage_clock) if clock in PERIOD_END_MINUTES else None
    if stoppage is not None and clock == _HALF_TIME_MINUTE and _named_period(frame.clock) is Period.SECOND:
        clock = _FULL_TIME_MINUTE
    minute = compute_absolute_minute(clock, stoppage)
    return minute if minute is not None and minute <= MAX_MATCH_MINUTE else None


def frame_seconds(frame: ClockFields) -> int | None:
    """Return the second of the match that one frame shows; None for a clock without seconds, which cannot be seen to
    run.
    """
    minute = frame_minute(frame)
    seconds = _CLOCK_PATTERN.findall(normalize_text(frame.stoppage_clock)) or _CLOCK_PATTERN.findall(
        normalize_text(frame.clock)
    )
    return None if minute is None or not seconds else minute * 60 + int(seconds[-1][1])


def is_stopped_at_period_end(frame: ClockFields) -> bool:
    """Stopped at the end of a half without a stoppage timer, as some broadcasts do in added time."""
    return (
        frame.stoppage_clock is None
        and frame_minute(frame) in PERIOD_END_MINUTES
        and not _has_running_seconds(frame.clock)
    )


def frame_period(frame: ClockFields) -> Period | None:
    """Return the half that the frame names: by its label, or by added time that is counted or announced."""
    named = _named_period(frame.clock)
    if isinstance(named, Period):
        return named
    minute = frame_minute(frame)
    if named is not None or minute is None:
        return None
    counted = (
        parse_stoppage_clock_field(frame.stoppage_clock) is not None
        and parse_clock_field(frame.clock) in PERIOD_END_MINUTES
    )
    if counted or _has_announced_added_time(frame):
        return _period_in_added_time(minute)
    time = _time_part(frame.clock)
    return (
        _period_in_added_time(minute)
        if _STOPPAGE_NOTATION_PATTERN.fullmatch(time) or _CLOCK_WITH_TIMER_PATTERN.fullmatch(time)
        else None
    )


def _period_in_added_time(minute: int) -> Period | None:
    ends = [end for end in PERIOD_END_MINUTES if end <= minute < end + _EXTRA_HALF_MINUTES]
    return period_ending_at(max(ends)) if ends else None


def _has_announced_added_time(frame: ClockFields) -> bool:
    """Whether the announced added time is shown beside the clock."""
    time = _time_part(frame.clock)
    beside: str | None = getattr(frame, "added", None)
    return parse_added_field(beside) is not None or bool(
        _CLOCK_WITH_ADDED_PATTERN.fullmatch(time) or _GLUED_ADDED_PATTERN.fullmatch(time)
    )


def _has_added_time_evidence(frames: Iterable[ClockFields], elapsed: int) -> bool:
    """Whether any frame shows that the goal's half is over: by the announcement, or a main clock stopped at its end."""
    return any(
        _has_announced_added_time(frame) or (frame_minute(frame) == elapsed and is_stopped_at_period_end(frame))
        for frame in frames
    )


def _read_minute(frame: ClockFields, elapsed: int, extra: int | None) -> _MinuteReading | None:
    """In added time a clock may have lost its leading digits, or be stopped and so carry no minute."""
    minute = frame_minute(frame)
    if minute is None:
        return None
    period = frame_period(frame)
    in_half = period is None or is_in_goal_period(period, minute, goal_period(elapsed, extra))
    lost = extra and minute < _HALF_TIME_MINUTE and not isinstance(_named_period(frame.clock), Period)
    timer = parse_stoppage_clock_field(frame.stoppage_clock)
    stopped = bool(extra) and timer is None and _can_be_stopped_clock(frame.clock, minute, elapsed)
    return _MinuteReading(minute, elapsed + minute if lost else None, in_half, stopped)


def _can_be_stopped_clock(text: str | None, minute: int, elapsed: int) -> bool:
    """Whether the clock may have stopped at the end of the goal's half. 45:00 may be the end of the second half on a
    clock that restarts with each half, unless it names the first; a clock ahead of the goal belongs to another half.
    """
    if minute not in PERIOD_END_MINUTES or minute > elapsed:
        return False
    others = minute < elapsed and _named_period(text) is Period.FIRST
    return not _has_running_seconds(text) and not others


def _has_running_seconds(text: str | None) -> bool:
    return any(seconds != "00" for _, seconds in _CLOCK_PATTERN.findall(_time_part(text)))


def _time_part(text: str | None) -> str:
    shape = _CLOCK_FIELD_PATTERN.fullmatch(normalize_text(text))
    return shape["time"].strip() if shape else ""


def _named_period(text: str | None) -> "Period | _ContradictoryPeriod | None":
    shape = _CLOCK_FIELD_PATTERN.fullmatch(normalize_text(text))
    return _resolve_period(shape["before"], shape["after"]) if shape else None


def normalize_text(text: str | None) -> str:
    """Upper case, single spaces, ASCII digits and signs. Characters that only look like digits are left and so do not
    parse.
    """
    if text is None or len(text) > _MAX_TEXT_LENGTH:
        return ""
    folded = "".join(_to_ascii(char) for char in text.translate(_CHARACTER_TRANSLATIONS))
    return re.sub(r"(?<=\d)[.,;](?=\d\d(?!\d))", ":", " ".join(folded.upper().split()))


def _to_ascii(char: str) -> str:
    decimal = unicodedata.decimal(char, None)
    if decimal is not None:
        return str(decimal)
    return unicodedata.normalize("NFD", char)[0] if char.isalpha() else char


class _ContradictoryPeriod(Enum):
    YES = auto()


_CONTRADICTORY_PERIOD = _ContradictoryPeriod.YES


def _resolve_period(before: str | None, after: str | None) -> Period | _ContradictoryPeriod | None:
    named = {PERIOD_WORDS[word] for word in (before, after) if word}
    if named == {Period.SECOND, Period.EXTRA}:
        return Period.SECOND_EXTRA
    if len(named) > 1:
        return _CONTRADICTORY_PERIOD
    return named.pop() if named else None


def _single_minute(minutes: Iterable[int]) -> int | None:
    """Return the minute if all interpretations of the text agree on it."""
    different = set(minutes)
    return different.pop() if len(different) == 1 else None


def _possible_minutes(time: str, period: Period | None) -> Iterator[int]:
    """Yield every minute that the text can mean."""
    if found := _CLOCK_PATTERN.fullmatch(time) or _MINUTE_PATTERN.fullmatch(time):
        yield from _minutes_in_period(int(found[1]), period)
    elif found := _CLOCK_WITH_TIMER_PATTERN.fullmatch(time):
        yield from _minutes_with_stoppage(int(found[1]), int(found[2]), period)
    elif found := _STOPPAGE_NOTATION_PATTERN.fullmatch(time):
        yield from _minutes_with_stoppage(int(found[1] or found[3]), int(found[2] or found[4]), period)
    elif found := _CLOCK_WITH_ADDED_PATTERN.fullmatch(time):
        yield from _minutes_in_period(int(found[1] or found[3]), period)
    elif found := _GLUED_ADDED_PATTERN.fullmatch(time):
        yield from _minutes_of_glued_text(found[1], found[2], period)


def _minutes_in_period(minute: int, period: Period | None) -> Iterator[int]:
    """Some clocks restart with each half."""
    if period is Period.SECOND and minute < _HALF_TIME_MINUTE:
        yield minute + _HALF_TIME_MINUTE
    elif period is Period.EXTRA and minute <= _EXTRA_TIME_MINUTES:
        yield minute + _FULL_TIME_MINUTE
    elif period is Period.SECOND_EXTRA and minute <= _EXTRA_TIME_MINUTES:
        yield minute + _FULL_TIME_MINUTE
        if minute <= _EXTRA_HALF_MINUTES:
            yield minute + _FULL_TIME_MINUTE + _EXTRA_HALF_MINUTES
    else:
        yield minute


def _minutes_with_stoppage(minute: int, more: int, period: Period | None) -> Iterator[int]:
    """45+2 and the like: only a clock at the end of a half stops while another number counts on."""
    ends = (
        (_FULL_TIME_MINUTE,)
        if period is Period.SECOND and minute == _HALF_TIME_MINUTE
        else _minutes_in_period(minute, period)
    )
    for end in ends:
        if end in PERIOD_END_MINUTES and more <= _MAX_ADDED_MINUTES:
            yield end + more


def _minutes_of_glued_text(main: str | None, digits: str, period: Period | None) -> Iterator[int]:
    """ "+291:43" is "+2 91:43": an announcement that lost its space. After a main clock it is the stoppage timer."""
    for length in (1, 2):
        added, rest = int(digits[:length]), digits[length:]
        if (
            not 1 <= added <= _MAX_ADDED_MINUTES
            or len(rest) < 2
            or (len(rest) == 3 and rest[0] == "0")
            or len(rest) > 3
        ):
            continue
        if main is not None:
            yield from _minutes_with_stoppage(int(main), int(rest), period)
        elif int(rest) >= _MIN_MINUTE_WITH_ADDED_TIME:
            yield from _minutes_in_period(int(rest), period)


def _parse_bounded_number(digits: str, maximum: int) -> int | None:
    return int(digits) if int(digits) <= maximum else None
