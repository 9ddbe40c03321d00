"""Match clocks among the text of a frame, and which of them run as a match clock does. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from found_footy.vision.agreement import SLACK
from found_footy.vision.clock import frame_minute, frame_seconds, parse_clock_field, plain, stands_at_an_end
from found_footy.vision.local.boxes import Box, Row, joined
from found_footy.vision.periods import PERIOD_WORDS, Period

_TIME = re.compile(r"(?<![\d:.,+\-])(?:(\d{1,3})[:.]|(\d{2,3}) ?: ?)(\d\d)(?![\d:]|[.,]\d)")
_NOTATION = re.compile(r"(?<![\d:.,+\-])(45|90|105|120)\+\d{1,2}:\d\d(?![\d:])")
_GLUED = re.compile(r"(\+\d{1,2}?)(\d{2,3})[:.](\d\d)(?![\d:]|[.,]\d)")
# Times of day: when a match begins, or what a wall clock says.
_OF_DAY_BEFORE = re.compile(r"(?:\bK\.?O\.?|KICK.?OFF|\bTONIGHT|\bTODAY|\bTOMORROW|\bAT) ?$")
_OF_DAY_AFTER = re.compile(r"^ ?(?:K\.?O\b|KICK.?OFF|[AP]\.?M\b|UHR\b|GMT\b|UTC\b|BST\b|CES?T\b)")
_SCORE = re.compile(r"(?<![\d:.])\d{1,2} ?- ?\d{1,2}(?![\d:.])")
_ADDED_BEFORE = re.compile(r"(\+ ?\d{1,2})'? ?$")
_ADDED_AFTER = re.compile(r"^ ?(\+ ?\d{1,2})'?(?![\d:])")
_EARLIEST_GLUED, _MOST_GLUED = 44, 15
# A half with its added time; a clock that is further was not started again.
_LAST_OF_A_HALF = 55
_NEAR_ACROSS, _NEAR_DOWN = 6.0, 3.0
_MOST_TIMER = 30
# Seconds between two frames after which a running clock must have moved.
_MUST_MOVE = 1.5
# Replays are sped up; nothing that is a match clock runs faster.
_FASTEST = 4.0
_SAME_PLACE = 0.06
# Letters of a caption are larger than those of a score bug by more than this.
_MOST_TALLER = 2.5
_BEFORE = re.compile(rf"(?:^|\s)({'|'.join(re.escape(w) for w in sorted(PERIOD_WORDS, key=len, reverse=True))})\s?$")
_AFTER = re.compile(rf"^\s?({'|'.join(re.escape(w) for w in sorted(PERIOD_WORDS, key=len, reverse=True))})(?:\s|$)")


# What may name the half above or below a clock. Two letters that a misread score has too do not name the first.
_BESIDE_WORDS = (
    frozenset(PERIOD_WORDS)
    - {"1A", "1O", "1OT", "1AT"}
    - {word for word, period in PERIOD_WORDS.items() if period is Period.SECOND_EXTRA}
)


@dataclass(frozen=True)
class Clock:
    """A clock as it is printed, with what stands beside it; `bug` is the row of text that it is part of."""

    clock: str
    box: Box
    bug: Box
    score: float
    added: str | None = None
    stoppage_clock: str | None = None

    @property
    def seconds(self) -> int:
        """Seconds of the match, added time included."""
        return frame_seconds(self) or 0

    @property
    def printed_minute(self) -> int:
        """Whatever half is named beside it: in "45:00 2ND 03:58" the word belongs to the clock that stands."""
        return int(self.clock.rpartition(" ")[2].partition(":")[0].partition("+")[0])

    @property
    def of_any_half(self) -> bool:
        """Whether it could stand in any half: nothing says which, and the minutes are those of every half."""
        return " " not in self.clock and (frame_minute(self) or 0) <= _LAST_OF_A_HALF

    @property
    def stands(self) -> bool:
        """Stopped at the end of a half, as some broadcasts do in added time."""
        return stands_at_an_end(self)


def find_clocks(rows: Sequence[Row], *, known: bool = False) -> list[Clock]:
    """Every text that reads like a clock of a football match; a small timer belongs to the clock that stands by it.
    `known` if the rows are of a place where a clock has been seen.
    """
    found = [_with_period(clock, rows) for row in rows for clock in _in_row(row, known=known)]
    timers = {id(clock): timer for clock in found if (timer := _timer(clock, found)) is not None}
    used = {id(timer) for timer in timers.values()}
    return [_timed(clock, timers.get(id(clock))) for clock in found if id(clock) not in used]


def beside_clocks(rows: Sequence[Row], clocks: Sequence[Clock]) -> list[Row]:
    """The rows of score bugs: those that hold a clock, or adjoin one that does. Captions elsewhere are left out."""
    return [row for row in rows if any(_adjoin(clock, row) for clock in clocks)]


def _adjoin(clock: Clock, row: Row) -> bool:
    near = clock.bug.grown(0.0, clock.box.height)
    across = min(near.right, row.box.right) - max(near.left, row.box.left)
    down = min(near.bottom, row.box.bottom) - max(near.top, row.box.top)
    return across > 0 and down > 0 and row.box.height <= _MOST_TALLER * clock.box.height


def running(first: Sequence[Clock], second: Sequence[Clock], apart: float) -> tuple[Clock, Clock] | None:
    """The pair that is one clock at two times, `apart` seconds from each other; the one nearest to real time."""
    pairs = [pair for pair in product(first, second) if _advances(*pair, apart)]
    return min(pairs, key=lambda pair: _strangeness(pair[0], pair[1], apart), default=None)


def in_line(one: Clock, other: Clock, third: Clock, share: float) -> bool:
    """Whether a third reading is where a clock at an even speed would be, `share` of the way from one to the other."""
    even = one.seconds + share * (other.seconds - one.seconds)
    return (
        abs(third.seconds - even) <= SLACK
        and third.seconds not in (one.seconds, other.seconds)
        and _same_place(one, third)
    )


def standing(first: Sequence[Clock], second: Sequence[Clock], apart: float) -> list[Clock]:
    """What stands still and so is no match clock: a kick-off time, a date, a result."""
    if apart < _MUST_MOVE:
        return []
    same = (pair for pair in product(first, second) if _same_place(*pair) and pair[0].clock == pair[1].clock)
    return [clock for pair in same if not pair[0].stands and pair[0].stoppage_clock is None for clock in pair]


def _advances(one: Clock, other: Clock, apart: float) -> bool:
    """That it moved is what shows a clock; the same text twice may be the same misreading twice."""
    advance = other.seconds - one.seconds
    if not 0 <= advance <= _FASTEST * apart + SLACK or not _same_place(one, other):
        return False
    return advance > 0 or (one.stands and other.stands)


def _strangeness(one: Clock, other: Clock, apart: float) -> float:
    return abs(other.seconds - one.seconds - apart) - one.score - other.score


def _same_place(one: Clock, other: Clock) -> bool:
    (x, y), (u, v) = one.box.centre, other.box.centre
    return abs(x - u) <= _SAME_PLACE and abs(y - v) <= _SAME_PLACE


def _in_row(row: Row, *, known: bool) -> Iterator[Clock]:
    text = plain_row(row)
    for match in _TIME.finditer(text):
        if _OF_DAY_BEFORE.search(text[: match.start()]) or _OF_DAY_AFTER.search(text[match.end() :]):
            continue
        if "." in match[0] and not (known or _may_have_a_dot(text, match, row)):
            continue
        yield from _clock(text, match, f"{match[1] or match[2]}:{match[3]}", _added(text, match), row)
    for match in _NOTATION.finditer(text):
        yield from _clock(text, match, match[0], None, row)
    for match in _GLUED.finditer(text):
        if int(match[2]) >= _EARLIEST_GLUED or int(match[2]) <= _MOST_GLUED:
            yield from _clock(text, match, f"{match[2]}:{match[3]}", match[1], row)


def _may_have_a_dot(text: str, match: "re.Match[str]", row: Row) -> bool:
    """Prices and frequencies are written with a dot, and so are some clocks: alone in their box, or beside a score."""
    alone = any(part.text.strip() == match[0] for part in row.at(match.start(), match.end()))
    return len(match[1] or "") > 1 and (alone or _SCORE.search(text) is not None)


def plain_row(row: Row) -> str:
    """The row in upper case, character by character, so that places in it are places in the row."""
    return "".join(plain_character(char) for char in row.text)


def plain_character(char: str) -> str:
    folded = plain(char)
    return folded if len(folded) == 1 else " "


def _added(text: str, match: "re.Match[str]") -> str | None:
    beside = _ADDED_BEFORE.search(text[: match.start()]) or _ADDED_AFTER.search(text[match.end() :])
    return beside[1] if beside else None


def _clock(text: str, match: "re.Match[str]", printed: str, added: str | None, row: Row) -> Iterator[Clock]:
    parts = row.at(match.start(), match.end())
    period = _BEFORE.search(text[: match.start()]) or _AFTER.search(text[match.end() :])
    field = f"{period[1]} {printed}" if period else printed
    if parts and parse_clock_field(field) is not None:
        yield Clock(field, joined(p.box for p in parts), row.box, min(p.score for p in parts), added)


def _with_period(clock: Clock, rows: Sequence[Row]) -> Clock:
    """The half's name may stand above or below the clock."""
    if " " in clock.clock:
        return clock
    near = _around(clock)
    for row in rows:
        for part in row.parts:
            word = plain(part.text)
            if word in _BESIDE_WORDS and near.covers(part.box):
                return replace(clock, clock=f"{word} {clock.clock}")
    return clock


def _timer(clock: Clock, others: Sequence[Clock]) -> Clock | None:
    """The small timer beside a clock that stands at the end of a half, if there is just one."""
    if not clock.stands:
        return None
    near = _around(clock)
    found = [o for o in others if o is not clock and near.covers(o.box) and o.printed_minute < _MOST_TIMER]
    return found[0] if len(found) == 1 else None


def _timed(clock: Clock, timer: Clock | None) -> Clock:
    if timer is None:
        return clock
    printed = timer.clock.rpartition(" ")[2]
    bug = joined([clock.bug, timer.bug])
    return replace(clock, stoppage_clock=printed, added=clock.added or timer.added, bug=bug)


def _around(clock: Clock) -> Box:
    return clock.box.grown(_NEAR_ACROSS * clock.box.height, _NEAR_DOWN * clock.box.height)
