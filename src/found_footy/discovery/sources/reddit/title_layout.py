"""Divides a post title into its texts: teams, what stands before and after the minute, what is in brackets. Pure."""

import re
from dataclasses import dataclass
from functools import cache

from found_footy.discovery.aliases.table import spelling_key
from found_footy.discovery.sources.reddit.scorer_names import read_scorer
from found_footy.discovery.sources.reddit.title_text import (
    WrittenMinute,
    WrittenScore,
    find_bare_minute,
    find_minutes,
)
from found_footy.discovery.sources.reddit.title_words import COMPETITION, PENALTY, SENTENCE
from found_footy.domain.known_teams import known_teams

_MAX_TEAM_LENGTH = 45
_MAX_TEAM_WORDS = 6
_TWO_SIDES = 2
_MINUTE_PLACE = "¦"
_SCORE_PLACE = "¤"
_SEPARATOR = re.compile(
    r"\s+-+\s*|\s*-+\s+|^-+|-+$|\s*[|;•·~]\s*|\s*:\s+|\s+:|:$|,\s*|\s+/\s+|!+\s+|\s*(?:\.{2,}|…)\s*"
)
_BRACKETS = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\}")
# Part of a team's name: women's and youth teams, and what tells clubs of one name apart.
_TEAM_MARK = re.compile(
    r"[WwFf]|[Ww]omen|[Ll]adies|[Uu][\s-]?\d\d|[CR]|(?!OG|PK|PEN|AET|AGG|VAR|HT|FT|FK)[A-Z][a-z]?[A-Z]{1,2}"
)
_VERSUS = re.compile(r"\s+(?:vs?\.?|versus)\s+", re.IGNORECASE)
_EXTRA_TIME = re.compile(r"\s+(?:A?ET|a\.e\.t\.?)$")
# "Brighton." ends a sentence, "Korea Rep." an abbreviation.
_FULL_STOP = re.compile(r"(?<=\w{5})\.$")
_FEWER_PLAYERS = re.compile(r"^(?:10|9|8)[\s-]m[ae]n\s+", re.IGNORECASE)
_LEADING_VERSUS = re.compile(r"^(?:vs?\.?|versus|against)\s+", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){1,2}")
_GOAL_AGAINST = re.compile(
    r"(?P<scorer>[^()\[\]]+?)\s*(?:[(\[](?P<team>[^()\[\]]+)[)\]])?\s*(?:(?:great\s+)?goal|scores|scored)\s*"
    r"¤?\s*(?:vs?\.?|versus|against)\s+(?P<opponent>[^()\[\]]+?)\s*(?:to\s+make\s+it\s*)?[-:,]?\s*¤?\s*¦?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TitleParts:
    """`before` and `after` are the texts before and after the minute, without the teams; `notes` stood in brackets,
    `lead` before the home team. A `bare` minute is only a number.
    """

    home: str | None
    away: str | None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    minute: WrittenMinute | None = None
    minute_count: int = 0


def split_title(text: str, score: WrittenScore, *, home_scored: bool | None) -> TitleParts:
    return (
        _split_bracketed_match(text, score)
        or _split_goal_against(text, score, home_scored=home_scored)
        or _split_main_form(text, score)
    )


def is_team_text(text: str | None) -> bool:
    """Whether a text can be a team's name: short, and no part of a sentence."""
    if text is None or not 1 < len(text) <= _MAX_TEAM_LENGTH or len(text.split()) > _MAX_TEAM_WORDS:
        return False
    return any(c.isalpha() for c in text) and not SENTENCE.search(text) and not any(c in text for c in "?¦¤[]")


def _split_main_form(text: str, score: WrittenScore) -> TitleParts:
    left, right = text[: score.start], text[score.end :]
    minutes = find_minutes(right)
    minute, marked = _mark_minute(right, minutes)
    has_minute = minute is not None
    if minute is None and (early := find_minutes(left)):
        minute, left = early[0], f"{left[: early[0].start]} | {left[early[0].end :]}"
    before, after, notes = _split_around_minute(marked)
    lead = _pieces(_BRACKETS.sub(_keep_team_mark, left))
    home, away, before = _assign_teams(lead, before, has_minute=has_minute, after=after)
    lead_notes = tuple(_bracket_text(found) for found in _BRACKETS.finditer(left))
    return TitleParts(home, away, before, after, (*notes, *lead_notes), tuple(lead[:-1]), minute, len(minutes))


def _mark_minute(right: str, minutes: list[WrittenMinute]) -> tuple[WrittenMinute | None, str]:
    """The first minute, and the text with its place marked. Without any, a number after the scorer's name."""
    minute = minutes[0] if minutes else find_bare_minute(right)
    if minute is None:
        return None, right
    head = right[: minute.start]
    if not minutes and not (_SEPARATOR.search(head.strip()) or "(" in head):
        return None, right
    return minute, f"{head} {_MINUTE_PLACE} {right[minute.end :]}"


def _split_around_minute(marked: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The pieces before and after the minute, the first of them the away team, and the texts in brackets."""
    opened = _BRACKETS.sub(_open_if_minute, marked)
    opened = re.sub(rf"[(\[{{]([^()\[\]{{}}]*{_MINUTE_PLACE})", r" | \1", opened)
    masked = _BRACKETS.sub(lambda found: "x" * len(found.group()), opened)
    first = _SEPARATOR.search(masked.lstrip())
    head_end = first.start() + len(opened) - len(opened.lstrip()) if first else len(opened)
    head = _BRACKETS.sub(_keep_team_mark, opened[:head_end])
    notes = tuple(_bracket_text(found) for found in _BRACKETS.finditer(opened))
    bare = head + _BRACKETS.sub(" ", opened[head_end:])
    before, _, after = bare.partition(_MINUTE_PLACE)
    return tuple(_SEPARATOR.split(before.strip())), tuple(_pieces(after)), notes


def _assign_teams(
    lead: list[str], before: tuple[str, ...], *, has_minute: bool, after: tuple[str, ...]
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Home, away, and the texts that are left for the scorer."""
    home = lead[-1] if lead else ""
    first, rest = _tidy_team(_LEADING_VERSUS.sub("", before[0].strip())), tuple(t for t in before[1:] if t.strip())
    sides = [_tidy_team(side) for side in _VERSUS.split(home)]
    if len(sides) == _TWO_SIDES:
        return sides[0], sides[1], ((first, *rest) if first else rest)
    follows_both = len(lead) > 1 and not COMPETITION.search(lead[-2]) and is_team_text(lead[-2])
    if follows_both and (not first or (not rest and not after and has_minute and not _is_known_team(first))):
        return lead[-2], home, ((first, *rest) if first else rest)
    if not rest and not after and has_minute:
        return home, *_split_known_team(first)
    return home, first, _join_initials(rest)


def _split_known_team(text: str) -> tuple[str, tuple[str, ...]]:
    """ "Dortmund Yarmolenko": the longest name of a team that the table knows is the team."""
    words = text.split()
    if _is_known_team(text):
        return text, ()
    for count in range(len(words) - 1, 0, -1):
        if _is_known_team(" ".join(words[:count])):
            return _tidy_team(" ".join(words[:count])), (" ".join(words[count:]),)
    return text, ()


@cache
def _known_team_names() -> frozenset[str]:
    return frozenset(spelling_key(name) for team in known_teams() for name in (*team.names, *team.aliases))


def _is_known_team(text: str) -> bool:
    return spelling_key(text) in _known_team_names()


def _split_bracketed_match(text: str, score: WrittenScore) -> TitleParts | None:
    """`L. Messi goal (PSV 0-[1] Barcelona) 60'`."""
    opening = text.rfind("(", 0, score.start)
    closing = text.find(")", score.end)
    if opening < 0 or closing < 0 or ")" in text[opening : score.start]:
        return None
    home, away = _tidy_team(text[opening + 1 : score.start]), _tidy_team(text[score.end : closing])
    if not is_team_text(home) or not is_team_text(away) or "(" in away:
        return None
    rest = f"{text[:opening]} | {text[closing + 1 :]}"
    minutes = find_minutes(rest)
    if not minutes:
        return TitleParts(home, away, tuple(_pieces(rest)))
    minute = minutes[0]
    pieces = _pieces(f"{rest[: minute.start]} | {rest[minute.end :]}")
    return TitleParts(home, away, tuple(pieces), minute=minute, minute_count=len(minutes))


def _split_goal_against(text: str, score: WrittenScore, *, home_scored: bool | None) -> TitleParts | None:
    """`Kane goal vs Everton (1-0)`: the opponent is the side that did not score."""
    marked = f"{text[: score.start]}{_SCORE_PLACE}{text[score.end :]}"
    minutes = find_minutes(marked)
    if minutes:
        marked = f"{marked[: minutes[0].start]}{_MINUTE_PLACE}{marked[minutes[0].end :]}"
    found = _GOAL_AGAINST.fullmatch(PENALTY.sub("", marked).strip())
    if found is None or not is_team_text(found["opponent"]) or read_scorer(found["scorer"]).has_other_words:
        return None
    team, opponent = found["team"], _tidy_team(found["opponent"])
    home, away = (opponent, team) if home_scored is False else (team, opponent)
    minute = minutes[0] if minutes else None
    return TitleParts(home, away, (found["scorer"], "goal"), minute=minute, minute_count=len(minutes))


def _pieces(text: str) -> list[str]:
    return [tidy for piece in _SEPARATOR.split(text.strip()) if (tidy := _tidy_team(piece))]


def _join_initials(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """ "Neves, J." is one name."""
    if len(pieces) > 1 and _INITIALS.fullmatch(pieces[1].strip()):
        return (f"{pieces[0]} {pieces[1]}", *pieces[2:])
    return pieces


def _tidy_team(text: str) -> str:
    name = _FULL_STOP.sub("", " ".join(text.strip(" -:|,;'!*_/&~").lstrip(". ").split()))
    return _FEWER_PLAYERS.sub("", _EXTRA_TIME.sub("", name))


def _bracket_text(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group is not None), "").strip()


def _open_if_minute(found: re.Match[str]) -> str:
    inner = _bracket_text(found)
    return f" | {inner} | " if _MINUTE_PLACE in inner else found.group()


def _keep_team_mark(found: re.Match[str]) -> str:
    text = _bracket_text(found)
    return found.group() if _TEAM_MARK.fullmatch(text) and not COMPETITION.fullmatch(text) else " "
