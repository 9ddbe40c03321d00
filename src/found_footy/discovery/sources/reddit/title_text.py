"""Reads the parts of a post title that have a form of their own: score, aggregate, minute. Pure."""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_MAX_SCORE = 15
_MAX_MINUTE = 130
_TICKS = dict.fromkeys(map(ord, '’‘‛´`′ʹʼˈ＇“”„″"°'), "'")
_DASHES = dict.fromkeys(map(ord, "–—−‐‑‒―﹣－"), "-")
_OTHERS = {ord("："): ":", ord("｜"): "|", ord("［"): "[", ord("］"): "]", ord("＋"): "+"}
# Left-to-right marks, joiners and variation selectors print nothing; emoji and flags name nothing that we read.
_DROPPED_CATEGORIES = frozenset(["Cf", "Mn", "Me", "Cs", "Co", "Cn"])
_SPACE_CATEGORIES = frozenset(["Zs", "Zl", "Zp", "Cc", "So"])

_OPEN, _CLOSE, _COUNT = r"[\[({]", r"[\])}]", r"(?:0|[1-9]\d?)"
_ONE_SIDE = rf"{_OPEN}?\s?{_COUNT}\s?{_CLOSE}?"
# A count per team in brackets after its score is the aggregate: "[2] (3) - 1 (2)".
_SIDE_AGGREGATE = r"(?:\s?\(\d{1,2}\))?"
# Between a bracketed number and another, what else stands for a dash: "[1] 0", "0 [1]", "[1]/0", "[1] x 0".
_LOOSE_DASH = r"(?:(?<=\])\s*[x/_]?\s*(?=\d)|(?<=\d)\s*[x/_]\s*(?=\[)|(?<=\d)\s(?=\[\d{1,2}\]\s*(?![-:\s\d])))"
_SCORE = re.compile(
    rf"(?:(?<![\w'+./-])|(?<=[^\W\d_])(?=\[))(?P<outer>{_OPEN})?(?P<home>{_ONE_SIDE}){_SIDE_AGGREGATE}"
    rf"(?:\s*(?:--?|:)\s*|{_LOOSE_DASH})"
    rf"(?P<away>{_ONE_SIDE}){_SIDE_AGGREGATE}(?:(?<=\])|(?![\w']))(?!\s?[-:]\s?\d)(?!\s?\+)"
)
# "Fulham [2] - Brentford 0 - Jiménez 55'": each team with its number.
_NUMBER_PER_TEAM = re.compile(
    r"^(?P<home>[^\d\[\]]+)\s(?P<home_score>\[\d{1,2}\]|\d)\s?-\s?(?P<away>[^\W\d_][^\d\[\]|:(-]*)\s"
    r"(?P<away_score>\[\d{1,2}\]|\d)(?=\s?[-:|,(])"
)
# A number that is stressed twice: "[[1]]", "**[1]**", "*1*".
_STRESSED = re.compile(r"(?:\*{1,2}\[?|\[\[)\s?(\d{1,2})\s?(?:\]?\*{1,2}|\]\])")
_AGGREGATE_WORD = r"(?<!\w)(?:on\s+|in\s+)?agg(?:regate|reg|r)?(?!\w)\.?"
_ANY_SCORE = rf"{_OPEN}{{0,2}}\s?\d{{1,2}}\s?{_CLOSE}?\s*[-:]\s*{_OPEN}?\s?\d{{1,2}}\s?{_CLOSE}?"
_AGGREGATE = re.compile(
    rf"\([^()]*{_AGGREGATE_WORD}[^()]*\)|{{[^{{}}]*{_AGGREGATE_WORD}[^{{}}]*}}"
    rf"|\[(?:[^\[\]]|\[[^\[\]]*\])*?{_AGGREGATE_WORD}(?:[^\[\]]|\[[^\[\]]*\])*\]"
    rf"|{_AGGREGATE_WORD}\s*(?:score)?\s*:?\s*{_ANY_SCORE}"
    rf"|{_ANY_SCORE}\s*,?\s*{_AGGREGATE_WORD}",
    re.IGNORECASE,
)
_MINUTE = re.compile(
    r"""(?:(?<![\w#.])|(?<=[^\W\d_]{3})(?=\d+(?:\+\d+)?'))(?:
        '?(?P<base>\d{1,3})\s?\.?'{0,2}\s?\(?\+{1,2}(?:\s?'?(?P<added>\d{1,2})|'?(?!\s*[^\W\d]))'{0,2}\)?\s?'{0,2}(?!\w)
      | (?P<ticked>\d{1,3})\s?[.^]?'{1,2}(?!\w)
      | '{1,2}\s?(?P<leading>\d{1,3})(?![\w'])
      | (?P<worded>\d{1,3})(?:st|nd|rd|th|\.)?[\s-]?min(?:ute)?s?(?!\w)\.?
      | (?<!-)min(?:ute)?\.?\s(?P<named>\d{1,3})(?!\w)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_BARE_MINUTE = re.compile(r"(?:(?<=[\s,(])|(?<=[^\W\d_]))(?P<bare>[1-9]\d{0,2})(?=(?:st|nd|rd|th|m)?\s*[.);*]?\s*$)")


@dataclass(frozen=True)
class WrittenScore:
    """A score and where it stands. `home_marked` and `away_marked`: its number has brackets of its own."""

    start: int
    end: int
    home: int
    away: int
    home_marked: bool
    away_marked: bool

    @property
    def is_marked(self) -> bool:
        return self.home_marked != self.away_marked


@dataclass(frozen=True)
class WrittenMinute:
    start: int
    end: int
    minute: int
    added: int | None = None


def clean_title(title: str) -> str:
    """One line with plain dashes, ticks and spaces, without invisible marks and emoji."""
    plain = html.unescape(title).translate(_TICKS | _DASHES | _OTHERS)
    line = " ".join("".join(_clean_character(c) for c in unicodedata.normalize("NFC", plain)).split())
    return _NUMBER_PER_TEAM.sub(_write_score_once, _STRESSED.sub(r"[\1]", line))


def strip_aggregates(text: str) -> str:
    """Without the score of two legs, which must not be taken for the score."""
    return " ".join(_AGGREGATE.sub(" ", text).split())


def find_score(text: str) -> WrittenScore | None:
    """The score with one bracketed number, else the first one. None without a score that a match can have."""
    scores = [_read_score(found) for found in _SCORE.finditer(text)]
    possible = [score for score in scores if max(score.home, score.away) <= _MAX_SCORE and score.home + score.away > 0]
    if len(possible) < len([score for score in scores if score.home + score.away > 0]) and not _has_marked(possible):
        return None
    return next((score for score in possible if score.is_marked), next(iter(possible), None))


def find_minutes(text: str) -> list[WrittenMinute]:
    """All minutes that are written as such."""
    return list(_read_minutes(text))


def find_bare_minute(text: str) -> WrittenMinute | None:
    """A number at the end of the text."""
    found = _BARE_MINUTE.search(text)
    if found is None or int(found["bare"]) > _MAX_MINUTE:
        return None
    return WrittenMinute(found.start(), found.end(), int(found["bare"]))


def _write_score_once(found: re.Match[str]) -> str:
    if ("[" in found["home_score"]) == ("[" in found["away_score"]):
        return found.group()
    return f"{found['home']} {found['home_score']} - {found['away_score']} {found['away']}"


def _has_marked(scores: list[WrittenScore]) -> bool:
    return any(score.is_marked for score in scores)


def _clean_character(character: str) -> str:
    category = unicodedata.category(character)
    if category in _DROPPED_CATEGORIES:
        return ""
    return " " if category in _SPACE_CATEGORIES else character


def _read_score(found: re.Match[str]) -> WrittenScore:
    home, away = found["home"], found["away"]
    opened = bool(found["outer"]) or home[0] in "[({"
    home_closed, away_closed = home[-1] in "])}", away[-1] in "])}"
    away_open = away[0] in "[({"
    is_one_bracket = opened and not home_closed and away_closed and not away_open
    return WrittenScore(
        found.start(),
        found.end(),
        _read_count(home),
        _read_count(away),
        home_marked=home_closed or (opened and not is_one_bracket),
        away_marked=away_open or (away_closed and not opened),
    )


def _read_count(text: str) -> int:
    return int(text.strip("[](){} "))


def _read_minutes(text: str) -> Iterator[WrittenMinute]:
    for found in _MINUTE.finditer(text):
        digits = next(found[name] for name in ("base", "ticked", "leading", "worded", "named") if found[name])
        if int(digits) <= _MAX_MINUTE:
            added = found["added"]
            yield WrittenMinute(found.start(), found.end(), int(digits), int(added) if added else None)
