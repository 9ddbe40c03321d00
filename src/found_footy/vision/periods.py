"""The halves of a match: their labels in broadcasts, where they end, and in which of them a goal was scored. Pure."""

import re
from enum import Enum, auto

# Minutes at which a half ends: a broadcast that stops its clock for added time stops it here.
PERIOD_END_MINUTES = frozenset({45, 90, 105, 120})


class Period(Enum):
    FIRST = auto()
    SECOND = auto()
    EXTRA = auto()
    SECOND_EXTRA = auto()


_WORDS_BY_PERIOD = {
    Period.FIRST: (
        "1H",
        "H1",
        "1ST",
        "1ST HALF",
        "FIRST HALF",
        "1T",
        "1 T",
        "1O T",
        "1A T",
        "1O TEMPO",
        "1 TEMPO",
        "1A PARTE",
        "1. HZ",
        "1 HZ",
        "1.HZ",
        "1HZ",
        "1. HALBZEIT",
        "1ERE MT",
        "1A",
        "1O",
        "1OT",
        "1AT",
    ),
    Period.SECOND: (
        "2H",
        "H2",
        "2ND",
        "2ND HALF",
        "SECOND HALF",
        "2T",
        "2 T",
        "2O T",
        "2A T",
        "2O TEMPO",
        "2 TEMPO",
        "2A PARTE",
        "2. HZ",
        "2 HZ",
        "2.HZ",
        "2HZ",
        "2. HALBZEIT",
        "2EME MT",
        "2A",
        "2O",
        "2OT",
        "2AT",
    ),
    Period.EXTRA: (
        "ET",
        "E.T",
        "AET",
        "A.E.T",
        "EXTRA TIME",
        "EXTRATIME",
        "OT",
        "OVERTIME",
        "PRORROGA",
        "PRORROGACAO",
        "PRORR",
        "PROL",
        "PROLONGATION",
        "PROLONGATIONS",
        "VERL",
        "VERLANGERUNG",
        "VERLENGING",
        "N.V",
        "TS",
        "T.S",
        "SUPPL",
        "SUPPLEMENTARI",
        "UZATMA",
        "UZATMALAR",
        "DOGR",
        "DOGRYWKA",
        "ET1",
        "1ET",
        "ET 1H",
        "1H ET",
        "1ST ET",
        "ET 1ST",
        "1TS",
        "1O TS",
        "1. VERL",
        "1.VERL",
        "1 VERL",
    ),
    Period.SECOND_EXTRA: (
        "ET2",
        "2ET",
        "ET 2H",
        "2H ET",
        "2ND HALF ET",
        "ET 2ND HALF",
        "2ND ET",
        "ET 2ND",
        "2TS",
        "2O TS",
        "2. VERL",
        "2.VERL",
        "2 VERL",
    ),
}
# Labels of extra time that are words of channels and sponsors too: they name it only beside a clock that has run past
# the ninetieth minute, and never move a clock that restarts.
EVERYDAY_PERIOD_WORDS = frozenset({"PRO", "PR", "AP", "A.P", "NV"})
PERIOD_WORDS = {word: period for period, words in _WORDS_BY_PERIOD.items() for word in words} | dict.fromkeys(
    EVERYDAY_PERIOD_WORDS, Period.EXTRA
)
# Matches any label, the longest first; a dot may follow an abbreviation.
PERIOD_WORD_PATTERN = "|".join(re.escape(word) for word in sorted(PERIOD_WORDS, key=len, reverse=True))

_PERIOD_BY_END_MINUTE = {45: Period.FIRST, 90: Period.SECOND, 105: Period.EXTRA, 120: Period.SECOND_EXTRA}
# The minutes that a clock can show in a half, added time included.
_MINUTES_BY_PERIOD = {
    Period.FIRST: range(61),
    Period.SECOND: range(45, 111),
    Period.EXTRA: range(90, 131),
    Period.SECOND_EXTRA: range(105, 131),
}


def period_ending_at(minute: int) -> Period | None:
    """Return the half whose added time is counted from this minute."""
    return _PERIOD_BY_END_MINUTE.get(minute)


def goal_period(elapsed: int, extra: int | None = None) -> Period:
    """Return the half of a goal: 48 is in the second, 45+3 in the first."""
    if extra and (ending := period_ending_at(elapsed)):
        return ending
    return next((period for end, period in _PERIOD_BY_END_MINUTE.items() if elapsed <= end), Period.SECOND_EXTRA)


def is_in_goal_period(named: Period, minute: int, expected: Period) -> bool:
    """Whether a clock that names this half beside this minute can belong to the goal's half. "ET" means either half of
    extra time. A label that its own minute contradicts was misread, and is ignored.
    """
    if named is expected or minute not in _MINUTES_BY_PERIOD[named]:
        return True
    return named is Period.EXTRA and expected is Period.SECOND_EXTRA
