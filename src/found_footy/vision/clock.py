"""The broadcast clock: from what a reader copied off the picture to a minute of the match.

Pure functions over any text. A text that could mean two different minutes means none.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from found_footy.model.outcome import TimestampStatus
from found_footy.vision.periods import ENDS, PERIOD_WORDS, Period, is_of, period_ending, period_of

LATEST_MINUTE = 130
TOLERANCE = 3
_LONGEST = 64
_MOST_ADDED = 30
# Added time is announced at the end of a half; a clock glued to its announcement is not earlier than this.
_FIRST_WITH_ADDED = 44
_HALF, _FULL, _EXTRA_LENGTH, _EXTRA_HALF = 45, 90, 30, 15


_PERIOD = "|".join(re.escape(word) for word in sorted(PERIOD_WORDS, key=len, reverse=True))

_SHAPE = re.compile(rf"(?:(?P<before>{_PERIOD})\s?(?=[\s\d+]))?\s?(?P<time>[\d:+' ]+?)(?:\s(?P<after>{_PERIOD}))?")
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)")
_MINUTE = re.compile(r"(\d{1,3})'?")
_NOTATION = re.compile(r"(\d{1,3})(?::00)?\+(\d{1,2})(?::[0-5]\d)?'?|(\d{1,3})'? ?\+ ?(\d{1,2})(?::[0-5]\d)?'?")
_WITH_ADDED = re.compile(r"(\d{1,3}):([0-5]\d) ?\+ ?\d{1,2}'?|\+ ?\d{1,2}'? (\d{1,3}):([0-5]\d)")
_WITH_TIMER = re.compile(r"(\d{1,3}):00(?: ?\+ ?\d{1,2}'?)? (\d{1,2}):([0-5]\d)(?: ?\+ ?\d{1,2}'?)?")
_GLUED = re.compile(r"(?:(\d{1,3}):00 ?)?\+(\d{3,5}):([0-5]\d)")
_ADDED = re.compile(r"\+ ?(\d{1,2})'?")
_STOPPAGE = re.compile(r"(\d{1,2}):([0-5]\d)")

_SIGNS = str.maketrans(
    {"：": ":", "∶": ":", "．": ".", "；": ":", "＋": "+", "’": "'", "‘": "'", "′": "'", "´": "'", "`": "'", "ª": "A",
     "º": "O", "°": "O"}
)  # fmt: skip


def parse_clock_field(text: str | None) -> int | None:
    """The absolute minute of the main timer, 0 to 130. Seconds are dropped."""
    shape = _SHAPE.fullmatch(plain(text))
    if shape is None:
        return None
    period = _period(shape["before"], shape["after"])
    if period is _CONTRADICTION:
        return None
    minute = _only(_readings(shape["time"].strip(), period))
    return minute if minute is not None and minute <= LATEST_MINUTE else None


def parse_added_field(text: str | None) -> int | None:
    """The announced added minutes, with their plus; anything without one is none."""
    found = _ADDED.fullmatch(plain(text))
    return _bounded(found[1], _MOST_ADDED) if found else None


def parse_stoppage_clock_field(text: str | None) -> int | None:
    """The minutes of the small timer that runs in added time, which must be written M:SS."""
    found = _STOPPAGE.fullmatch(plain(text))
    return _bounded(found[1], _MOST_ADDED) if found else None


def compute_absolute_minute(clock: int | None, stoppage: int | None) -> int | None:
    return None if clock is None else clock + (stoppage or 0)


class ClockFields(Protocol):
    """What a reader copied from one frame. One that has `added` besides names the announced added time."""

    @property
    def clock(self) -> str | None: ...
    @property
    def stoppage_clock(self) -> str | None: ...


@dataclass(frozen=True)
class Timestamp:
    """`minute` is the one that decided: the verified one, or the nearest of the wrong ones."""

    status: TimestampStatus
    minute: int | None
    reason: str


@dataclass(frozen=True)
class _Reading:
    """`shown` is the minute in the picture, `restored` what it would be if the clock had lost its leading digits;
    `in_half` unless the picture names another half than the goal's, `stands` where it stopped at the end of one.
    """

    shown: int
    restored: int | None
    in_half: bool
    stands: bool


def validate_timestamp(
    frames: Iterable[ClockFields], api_elapsed: int, api_extra: int | None, tolerance: int = TOLERANCE
) -> Timestamp:
    """Whether any frame's clock is within `tolerance` minutes of the goal's minute, and in its half if that is named.

    Every reading counts: what one frame shows alone is left out by the caller.
    """
    seen, expected = list(frames), api_elapsed + (api_extra or 0)
    readings = [found for frame in seen if (found := _reading(frame, api_elapsed, api_extra))]
    if not readings:
        return Timestamp(TimestampStatus.UNVERIFIED, None, "no clock was read")
    near = [one.shown for one in readings if one.in_half and abs(one.shown - expected) <= tolerance]
    restored = [
        one.restored for one in readings if one.restored is not None and abs(one.restored - expected) <= tolerance
    ]
    if restored and _shows_added_time(seen, api_elapsed):
        near += restored
    if near:
        nearest = _nearest(near, expected)
        return Timestamp(TimestampStatus.VERIFIED, nearest, f"minute {nearest} is within {tolerance} of {expected}")
    told = [one for one in readings if not one.stands and one.restored not in restored]
    if not told:
        return Timestamp(TimestampStatus.UNVERIFIED, None, _says_nothing(readings, bool(restored)))
    shown = _nearest((one.shown for one in readings), expected)
    where = "of another half than" if abs(shown - expected) <= tolerance else f"not within {tolerance} of"
    return Timestamp(TimestampStatus.REJECTED, shown, f"minute {shown} is {where} {expected}")


def _says_nothing(readings: Iterable[_Reading], restored: bool) -> str:
    shown = min(one.shown for one in readings)
    if restored:
        return f"the clock shows minute {shown}, and nothing else that it is in added time"
    return f"the clock stands at {shown}:00 in added time"


def _nearest(minutes: Iterable[int], expected: int) -> int:
    return min(minutes, key=lambda minute: (abs(minute - expected), minute))


def frame_minute(frame: ClockFields) -> int | None:
    """The minute that one frame shows. The small timer counts from where the main clock stands; beside a clock that
    runs on, it only repeats what that says. A second half that stands at 45:00 with a timer stands at its end.
    """
    clock = parse_clock_field(frame.clock)
    stoppage = parse_stoppage_clock_field(frame.stoppage_clock) if clock in ENDS else None
    if stoppage is not None and clock == _HALF and _named_period(frame.clock) is Period.SECOND:
        clock = _FULL
    minute = compute_absolute_minute(clock, stoppage)
    return minute if minute is not None and minute <= LATEST_MINUTE else None


def frame_seconds(frame: ClockFields) -> int | None:
    """The second of the match that one frame shows; none for a clock without seconds, which cannot be seen to run."""
    minute = frame_minute(frame)
    seconds = _CLOCK.findall(plain(frame.stoppage_clock)) or _CLOCK.findall(plain(frame.clock))
    return None if minute is None or not seconds else minute * 60 + int(seconds[-1][1])


def stands_at_an_end(frame: ClockFields) -> bool:
    """Stopped at the end of a half without a timer beside it, as some broadcasts do in added time."""
    return frame.stoppage_clock is None and frame_minute(frame) in ENDS and not _runs(frame.clock)


def frame_period(frame: ClockFields) -> Period | None:
    """The half that the picture names: by its word, or by added time that is counted or announced."""
    named = _named_period(frame.clock)
    if isinstance(named, Period):
        return named
    minute = frame_minute(frame)
    if named is not None or minute is None:
        return None
    counted = parse_stoppage_clock_field(frame.stoppage_clock) is not None and parse_clock_field(frame.clock) in ENDS
    if counted or _announces(frame):
        return _ending_before(minute)
    time = _time(frame.clock)
    return _ending_before(minute) if _NOTATION.fullmatch(time) or _WITH_TIMER.fullmatch(time) else None


def _ending_before(minute: int) -> Period | None:
    ends = [end for end in ENDS if end <= minute < end + _EXTRA_HALF]
    return period_ending(max(ends)) if ends else None


def _announces(frame: ClockFields) -> bool:
    """Whether the added time that was announced stands beside the clock."""
    time = _time(frame.clock)
    beside: str | None = getattr(frame, "added", None)
    return parse_added_field(beside) is not None or bool(_WITH_ADDED.fullmatch(time) or _GLUED.fullmatch(time))


def _shows_added_time(frames: Iterable[ClockFields], elapsed: int) -> bool:
    """Whether any frame says that the goal's half is over: by the announcement, or a main clock that stands there."""
    return any(_announces(frame) or (frame_minute(frame) == elapsed and stands_at_an_end(frame)) for frame in frames)


def _reading(frame: ClockFields, elapsed: int, extra: int | None) -> _Reading | None:
    """In added time a clock may have lost its leading digits, or stand still and say nothing."""
    minute = frame_minute(frame)
    if minute is None:
        return None
    period = frame_period(frame)
    in_half = period is None or is_of(period, minute, period_of(elapsed, extra))
    lost = extra and minute < _HALF and not isinstance(_named_period(frame.clock), Period)
    timer = parse_stoppage_clock_field(frame.stoppage_clock)
    stands = bool(extra) and timer is None and _may_stand(frame.clock, minute, elapsed)
    return _Reading(minute, elapsed + minute if lost else None, in_half, stands)


def _may_stand(text: str | None, minute: int, elapsed: int) -> bool:
    """Whether the clock may be one that stopped where the goal's half ends. 45:00 may be the end of the second half on
    a clock that starts again with each half, unless it names the first; a clock ahead of the goal is another half's.
    """
    if minute not in ENDS or minute > elapsed:
        return False
    others = minute < elapsed and _named_period(text) is Period.FIRST
    return not _runs(text) and not others


def _runs(text: str | None) -> bool:
    return any(seconds != "00" for _, seconds in _CLOCK.findall(_time(text)))


def _time(text: str | None) -> str:
    shape = _SHAPE.fullmatch(plain(text))
    return shape["time"].strip() if shape else ""


def _named_period(text: str | None) -> "Period | _Contradiction | None":
    shape = _SHAPE.fullmatch(plain(text))
    return _period(shape["before"], shape["after"]) if shape else None


def plain(text: str | None) -> str:
    """Upper case, single blanks, ASCII digits and signs. Signs that only look like digits are left, and so refused."""
    if text is None or len(text) > _LONGEST:
        return ""
    folded = "".join(_ascii(char) for char in text.translate(_SIGNS))
    return re.sub(r"(?<=\d)[.,;](?=\d\d(?!\d))", ":", " ".join(folded.upper().split()))


def _ascii(char: str) -> str:
    decimal = unicodedata.decimal(char, None)
    if decimal is not None:
        return str(decimal)
    return unicodedata.normalize("NFD", char)[0] if char.isalpha() else char


class _Contradiction(Enum):
    YES = auto()


_CONTRADICTION = _Contradiction.YES


def _period(before: str | None, after: str | None) -> Period | _Contradiction | None:
    named = {PERIOD_WORDS[word] for word in (before, after) if word}
    if named == {Period.SECOND, Period.EXTRA}:
        return Period.SECOND_EXTRA
    if len(named) > 1:
        return _CONTRADICTION
    return named.pop() if named else None


def _only(minutes: Iterable[int]) -> int | None:
    """The minute, if all that the text can mean is one."""
    different = set(minutes)
    return different.pop() if len(different) == 1 else None


def _readings(time: str, period: Period | None) -> Iterator[int]:
    """Every minute that the text can be read as."""
    if found := _CLOCK.fullmatch(time) or _MINUTE.fullmatch(time):
        yield from _in_period(int(found[1]), period)
    elif found := _WITH_TIMER.fullmatch(time):
        yield from _stopped(int(found[1]), int(found[2]), period)
    elif found := _NOTATION.fullmatch(time):
        yield from _stopped(int(found[1] or found[3]), int(found[2] or found[4]), period)
    elif found := _WITH_ADDED.fullmatch(time):
        yield from _in_period(int(found[1] or found[3]), period)
    elif found := _GLUED.fullmatch(time):
        yield from _unglued(found[1], found[2], period)


def _in_period(minute: int, period: Period | None) -> Iterator[int]:
    """Some clocks start again with each half."""
    if period is Period.SECOND and minute < _HALF:
        yield minute + _HALF
    elif period is Period.EXTRA and minute <= _EXTRA_LENGTH:
        yield minute + _FULL
    elif period is Period.SECOND_EXTRA and minute <= _EXTRA_LENGTH:
        yield minute + _FULL
        if minute <= _EXTRA_HALF:
            yield minute + _FULL + _EXTRA_HALF
    else:
        yield minute


def _stopped(minute: int, more: int, period: Period | None) -> Iterator[int]:
    """45+2 and its like: only a clock at the end of a half stands while another number counts on."""
    ends = (_FULL,) if period is Period.SECOND and minute == _HALF else _in_period(minute, period)
    for end in ends:
        if end in ENDS and more <= _MOST_ADDED:
            yield end + more


def _unglued(main: str | None, digits: str, period: Period | None) -> Iterator[int]:
    """ "+291:43" is "+2 91:43": an announcement whose blank was lost. With a main clock in front it is the timer."""
    for length in (1, 2):
        added, rest = int(digits[:length]), digits[length:]
        if not 1 <= added <= _MOST_ADDED or len(rest) < 2 or (len(rest) == 3 and rest[0] == "0") or len(rest) > 3:
            continue
        if main is not None:
            yield from _stopped(int(main), int(rest), period)
        elif int(rest) >= _FIRST_WITH_ADDED:
            yield from _in_period(int(rest), period)


def _bounded(digits: str, most: int) -> int | None:
    return int(digits) if int(digits) <= most else None
