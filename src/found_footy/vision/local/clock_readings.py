"""Finds match clocks in the text of a frame, and which of them run as a match clock does. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from found_footy.vision.clock import (
    frame_minute,
    frame_seconds,
    is_stopped_at_period_end,
    normalize_text,
    parse_clock_field,
)
from found_footy.vision.clock_agreement import CLOCK_SLACK_SECONDS
from found_footy.vision.local.text_boxes import RelativeBox, TextRow, join_boxes
from found_footy.vision.periods import EVERYDAY_PERIOD_WORDS, PERIOD_WORD_PATTERN, PERIOD_WORDS, Period

_TIME_PATTERN = re.compile(r"(?<![\d:.,+\-])(?:(\d{1,3})[:.]|(\d{2,3}) ?: ?)(\d\d)(?![\d:]|[.,]\d)")
_STOPPAGE_NOTATION_PATTERN = re.compile(r"(?<![\d:.,+\-])(45|90|105|120)\+\d{1,2}:\d\d(?![\d:])")
_GLUED_ADDED_PATTERN = re.compile(r"(\+\d{1,2}?)(\d{2,3})[:.](\d\d)(?![\d:]|[.,]\d)")
# Times of day: a kickoff time, or what a wall clock shows.
_TIME_OF_DAY_BEFORE_PATTERN = re.compile(r"(?:\bK\.?O\.?|KICK.?OFF|\bTONIGHT|\bTODAY|\bTOMORROW|\bAT) ?$")
_TIME_OF_DAY_AFTER_PATTERN = re.compile(r"^ ?(?:K\.?O\b|KICK.?OFF|[AP]\.?M\b|UHR\b|GMT\b|UTC\b|BST\b|CES?T\b)")
_SCORE_PATTERN = re.compile(r"(?<![\d:.])\d{1,2} ?- ?\d{1,2}(?![\d:.])")
_ADDED_BEFORE_PATTERN = re.compile(r"(\+ ?\d{1,2})'? ?$")
_ADDED_AFTER_PATTERN = re.compile(r"^ ?(\+ ?\d{1,2})'?(?![\d:])")
_MIN_GLUED_CLOCK_MINUTE, _MAX_GLUED_TIMER_MINUTE = 44, 15
# Longest half with its added time; a clock that shows more does not restart with each half.
_MAX_HALF_MINUTE = 55
_NEARBY_ACROSS_HEIGHTS, _NEARBY_DOWN_HEIGHTS = 6.0, 3.0
# How far names and score may be from the clock, in heights of its digits: beside it, above it, below it.
_PANEL_ACROSS_HEIGHTS, _PANEL_DOWN_HEIGHTS = 9.0, 4.5
_MAX_TIMER_MINUTES = 30
# Seconds between two frames after which a running clock must have advanced.
_MIN_SECONDS_TO_ADVANCE = 1.5
# Sped-up replays included, no match clock runs faster.
_MAX_CLOCK_SPEED = 4.0
_MAX_PLACE_DISTANCE = 0.06
# Letters of a caption are larger than those of a score bug by more than this ratio.
_MAX_ROW_HEIGHT_RATIO = 2.5
_PERIOD_BEFORE_PATTERN = re.compile(rf"(?:^|\s)({PERIOD_WORD_PATTERN})\.?\s?$")
_PERIOD_AFTER_PATTERN = re.compile(rf"^\s?({PERIOD_WORD_PATTERN})\.?(?:\s|$)")


# Labels that may name the half above or below a clock. Two-letter ones that a misread score can also yield do not name
# the first half.
_ADJACENT_PERIOD_WORDS = (
    frozenset(PERIOD_WORDS)
    - {"1A", "1O", "1OT", "1AT"}
    - EVERYDAY_PERIOD_WORDS
    - {word for word, period in PERIOD_WORDS.items() if period is Period.SECOND_EXTRA}
)


@dataclass(frozen=True)
class ClockReading:
    """A clock as printed, with the texts beside it; `bug` is the box of the text row that it is part of, `panel` that
    of the whole score bug, None if only the clock was read.
    """

    clock: str
    box: RelativeBox
    bug: RelativeBox
    score: float
    added: str | None = None
    stoppage_clock: str | None = None
    panel: RelativeBox | None = None

    @property
    def match_seconds(self) -> int:
        """The second of the match, added time included."""
        return frame_seconds(self) or 0

    @property
    def printed_minute(self) -> int:
        """The printed minute, whatever half is named beside it: in "45:00 2ND 03:58" the label belongs to the stopped
        clock.
        """
        return int(self.clock.rpartition(" ")[2].partition(":")[0].partition("+")[0])

    @property
    def is_of_any_half(self) -> bool:
        """Whether it could belong to any half: no label names one, and every half has these minutes."""
        return " " not in self.clock and (frame_minute(self) or 0) <= _MAX_HALF_MINUTE

    @property
    def is_stopped(self) -> bool:
        """Stopped at the end of a half, as some broadcasts do in added time."""
        return is_stopped_at_period_end(self)


def find_clocks(rows: Sequence[TextRow], *, is_known_place: bool = False) -> list[ClockReading]:
    """Find every text that reads like a clock of a football match; a stoppage timer is attached to the stopped clock
    beside it. `is_known_place` if a clock has been seen at the place of these rows.
    """
    found = [_add_period(clock, rows) for row in rows for clock in _find_in_row(row, is_known_place=is_known_place)]
    timers = {id(clock): timer for clock in found if (timer := _find_stoppage_timer(clock, found)) is not None}
    used = {id(timer) for timer in timers.values()}
    return [_attach_timer(clock, timers.get(id(clock))) for clock in found if id(clock) not in used]


def find_rows_beside_clocks(rows: Sequence[TextRow], clocks: Sequence[ClockReading]) -> list[TextRow]:
    """Return the rows of score bugs: those that hold a clock or adjoin one that does. Captions elsewhere
    are left out.
    """
    return [row for row in rows if any(_is_adjacent(clock, row) for clock in clocks)]


def find_panel_rows(rows: Sequence[TextRow], clock: ClockReading) -> list[TextRow]:
    """Return the rows of the score bug around a clock: names and score may be beside, above or below it. Larger letters
    are those of captions.
    """
    height = clock.box.height
    near = clock.box.expand(_PANEL_ACROSS_HEIGHTS * height, _PANEL_DOWN_HEIGHTS * height)
    return [row for row in rows if near.contains_centre(row.box) and row.box.height <= _MAX_ROW_HEIGHT_RATIO * height]


def _is_adjacent(clock: ClockReading, row: TextRow) -> bool:
    near = clock.bug.expand(0.0, clock.box.height)
    across = min(near.right, row.box.right) - max(near.left, row.box.left)
    down = min(near.bottom, row.box.bottom) - max(near.top, row.box.top)
    return across > 0 and down > 0 and row.box.height <= _MAX_ROW_HEIGHT_RATIO * clock.box.height


def find_running_pair(
    first: Sequence[ClockReading], second: Sequence[ClockReading], apart: float
) -> tuple[ClockReading, ClockReading] | None:
    """Return the pair of readings that is one clock at two times, `apart` seconds from each other; the one closest to
    real time.
    """
    pairs = [pair for pair in product(first, second) if _is_advancing(*pair, apart)]
    return min(pairs, key=lambda pair: _pair_deviation(pair[0], pair[1], apart), default=None)


def is_on_even_pace(one: ClockReading, other: ClockReading, third: ClockReading, share: float) -> bool:
    """Whether the third reading is where a clock at constant speed would be, `share` of the way from `one`
    to `other`.
    """
    even = one.match_seconds + share * (other.match_seconds - one.match_seconds)
    return (
        abs(third.match_seconds - even) <= CLOCK_SLACK_SECONDS
        and third.match_seconds not in (one.match_seconds, other.match_seconds)
        and _is_same_place(one, third)
    )


def find_static_clocks(
    first: Sequence[ClockReading], second: Sequence[ClockReading], apart: float
) -> list[ClockReading]:
    """Return texts that do not change and so are no match clock: a kickoff time, a date, a result."""
    if apart < _MIN_SECONDS_TO_ADVANCE:
        return []
    same = (pair for pair in product(first, second) if _is_same_place(*pair) and pair[0].clock == pair[1].clock)
    return [clock for pair in same if not pair[0].is_stopped and pair[0].stoppage_clock is None for clock in pair]


def _is_advancing(one: ClockReading, other: ClockReading, apart: float) -> bool:
    """Only an advance shows a clock; the same text twice may be the same misreading twice."""
    advance = other.match_seconds - one.match_seconds
    if not 0 <= advance <= _MAX_CLOCK_SPEED * apart + CLOCK_SLACK_SECONDS or not _is_same_place(one, other):
        return False
    return advance > 0 or (one.is_stopped and other.is_stopped)


def _pair_deviation(one: ClockReading, other: ClockReading, apart: float) -> float:
    return abs(other.match_seconds - one.match_seconds - apart) - one.score - other.score


def _is_same_place(one: ClockReading, other: ClockReading) -> bool:
    (x, y), (u, v) = one.box.centre, other.box.centre
    return abs(x - u) <= _MAX_PLACE_DISTANCE and abs(y - v) <= _MAX_PLACE_DISTANCE


def _find_in_row(row: TextRow, *, is_known_place: bool) -> Iterator[ClockReading]:
    text = normalize_row(row)
    for match in _TIME_PATTERN.finditer(text):
        if _TIME_OF_DAY_BEFORE_PATTERN.search(text[: match.start()]) or _TIME_OF_DAY_AFTER_PATTERN.search(
            text[match.end() :]
        ):
            continue
        if "." in match[0] and not (is_known_place or _can_be_dotted_clock(text, match, row)):
            continue
        yield from _build_clocks(text, match, f"{match[1] or match[2]}:{match[3]}", _find_added_time(text, match), row)
    for match in _STOPPAGE_NOTATION_PATTERN.finditer(text):
        yield from _build_clocks(text, match, match[0], None, row)
    for match in _GLUED_ADDED_PATTERN.finditer(text):
        if int(match[2]) >= _MIN_GLUED_CLOCK_MINUTE or int(match[2]) <= _MAX_GLUED_TIMER_MINUTE:
            yield from _build_clocks(text, match, f"{match[2]}:{match[3]}", match[1], row)


def _can_be_dotted_clock(text: str, match: "re.Match[str]", row: TextRow) -> bool:
    """Prices and frequencies are written with a dot, and so are some clocks: alone in their box, or beside a score."""
    alone = any(part.text.strip() == match[0] for part in row.boxes_between(match.start(), match.end()))
    return len(match[1] or "") > 1 and (alone or _SCORE_PATTERN.search(text) is not None)


def normalize_row(row: TextRow) -> str:
    """Upper-case the row character by character, so that offsets in the result are offsets in the row."""
    return "".join(normalize_character(char) for char in row.text)


def normalize_character(char: str) -> str:
    folded = normalize_text(char)
    return folded if len(folded) == 1 else " "


def _find_added_time(text: str, match: "re.Match[str]") -> str | None:
    beside = _ADDED_BEFORE_PATTERN.search(text[: match.start()]) or _ADDED_AFTER_PATTERN.search(text[match.end() :])
    return beside[1] if beside else None


def _build_clocks(
    text: str, match: "re.Match[str]", printed: str, added: str | None, row: TextRow
) -> Iterator[ClockReading]:
    parts = row.boxes_between(match.start(), match.end())
    period = _PERIOD_BEFORE_PATTERN.search(text[: match.start()]) or _PERIOD_AFTER_PATTERN.search(text[match.end() :])
    field = f"{period[1]} {printed}" if period else printed
    if parts and parse_clock_field(field) is not None:
        yield ClockReading(field, join_boxes(p.box for p in parts), row.box, min(p.score for p in parts), added)


def _add_period(clock: ClockReading, rows: Sequence[TextRow]) -> ClockReading:
    """The label of the half may be above or below the clock."""
    if " " in clock.clock:
        return clock
    near = _surrounding_box(clock)
    for row in rows:
        for part in row.parts:
            word = normalize_text(part.text).removesuffix(".")
            if word in _ADJACENT_PERIOD_WORDS and near.contains_centre(part.box):
                return replace(clock, clock=f"{word} {clock.clock}")
    return clock


def _find_stoppage_timer(clock: ClockReading, others: Sequence[ClockReading]) -> ClockReading | None:
    """Return the stoppage timer beside a clock stopped at the end of a half, if there is exactly one."""
    if not clock.is_stopped:
        return None
    near = _surrounding_box(clock)
    found = [
        o for o in others if o is not clock and near.contains_centre(o.box) and o.printed_minute < _MAX_TIMER_MINUTES
    ]
    return found[0] if len(found) == 1 else None


def _attach_timer(clock: ClockReading, timer: ClockReading | None) -> ClockReading:
    if timer is None:
        return clock
    printed = timer.clock.rpartition(" ")[2]
    bug = join_boxes([clock.bug, timer.bug])
    return replace(clock, stoppage_clock=printed, added=clock.added or timer.added, bug=bug)


def _surrounding_box(clock: ClockReading) -> RelativeBox:
    return clock.box.expand(_NEARBY_ACROSS_HEIGHTS * clock.box.height, _NEARBY_DOWN_HEIGHTS * clock.box.height)
