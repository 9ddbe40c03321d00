"""Compares a post title with a goal of the feed: confirmed, weak or none, with the reason. Pure."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from found_footy.discovery.aliases.entities import TeamSide, detect_team_side
from found_footy.discovery.aliases.table import short_name_key, spelling_key
from found_footy.discovery.query.player_names import extract_player_search_names
from found_footy.discovery.sources.goal_facts import GoalFacts
from found_footy.discovery.sources.reddit.title_text import clean_title, find_minutes
from found_footy.discovery.sources.reddit.title_words import NOT_COUNTED
from found_footy.discovery.sources.reddit.titles import PostTitle, ScoringSide
from found_footy.domain.messages import CONFIRMED_WITNESS
from found_footy.domain.national_teams import strip_squad_suffix

# Posts and the feed round the minute differently, and the feed fills in added time late.
_MINUTE_TOLERANCE = 2
_MIN_PREFIX_LENGTH = 3
_MIN_TYPO_LENGTH = 5
_TYPO_LIKENESS = 0.82
_POSSESSIVE = re.compile(r"'s?(?= )")
_WORD_SYNONYMS = {"utd": "united", "st": "saint", "atl": "atletico", "rep": "republic"}


class MatchGrade(StrEnum):
    """A confirmed title is a witness of the goal; a weak one names the same match and score, and nothing else."""

    CONFIRMED = CONFIRMED_WITNESS
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True)
class TitleMatch:
    grade: MatchGrade
    reason: str


def match_title(title: PostTitle, goal: GoalFacts) -> TitleMatch:
    """Compare teams in either order, then score, side, scorer and minute."""
    turned = _turn_to_feed_order(title, goal)
    if turned is None:
        return TitleMatch(MatchGrade.NONE, "other teams")
    if (turned.home_score, turned.away_score) != (goal.home_score, goal.away_score):
        return TitleMatch(MatchGrade.NONE, f"score {turned.home_score}-{turned.away_score}")
    side = turned.scoring_side
    if side and goal.home_scored is not None and (side is ScoringSide.HOME) != goal.home_scored:
        return TitleMatch(MatchGrade.NONE, "the other side scored")
    agreeing = _find_agreement(turned, goal)
    if not agreeing:
        return TitleMatch(MatchGrade.WEAK, "teams and score agree, scorer and minute do not")
    if turned.home is None or turned.away is None:
        return TitleMatch(MatchGrade.WEAK, "the title names one team only")
    return TitleMatch(MatchGrade.CONFIRMED, f"teams, score and {' and '.join(agreeing)} agree")


def is_suspicion_of(title: str, goal: GoalFacts) -> bool:
    """Whether a title says that this goal did not count: it names its scorer or both teams, and no other minute."""
    text = clean_title(title)
    if not NOT_COUNTED.search(text):
        return False
    minutes = find_minutes(text)
    if minutes and not any(is_same_minute(each.minute, each.added, goal) for each in minutes):
        return False
    named = [_is_named_in(text, names) for names in (goal.home_names, goal.away_names)]
    return all(named) or (any(named) and _is_named_in(text, extract_player_search_names(goal.scorer)))


def is_same_team(written: str, names: Iterable[str]) -> bool:
    """Whether a name in a title means the team. A title may leave out that it is a women's or youth team, not add
    it.
    """
    names = tuple(names)
    side = detect_team_side(_strip_brackets(written))
    if side is not TeamSide.FIRST and names and side is not detect_team_side(names[0]):
        return False
    text = strip_squad_suffix(_strip_brackets(written))
    return any(_is_same_name(text, strip_squad_suffix(name)) for name in names)


def is_same_scorer(written: str, scorer: str) -> bool:
    """Names in any order, with initials, without accents, with a typing error."""
    own = {word for name in extract_player_search_names(scorer) for word in spelling_key(name).split()}
    theirs = spelling_key(written).split()
    joined = "".join(theirs)
    return any(
        word in theirs or _is_typo(word, theirs) or (len(word) > _MIN_TYPO_LENGTH and word in joined) for word in own
    )


def is_same_minute(minute: int, added: int | None, goal: GoalFacts) -> bool:
    """Added time may be missing on either side, or be counted on: 93' is 90+3."""
    if minute == goal.elapsed and (added is None or goal.extra is None):
        return True
    return abs(minute + (added or 0) - goal.elapsed - (goal.extra or 0)) <= _MINUTE_TOLERANCE


def _find_agreement(title: PostTitle, goal: GoalFacts) -> list[str]:
    agreeing = []
    if title.scorer and goal.scorer and is_same_scorer(title.scorer, goal.scorer):
        agreeing.append("scorer")
    if title.minute is not None and is_same_minute(title.minute, title.added, goal):
        agreeing.append("minute")
    return agreeing


def _turn_to_feed_order(title: PostTitle, goal: GoalFacts) -> PostTitle | None:
    """The title with the feed's home team first; None if it names other teams."""
    for turned in (title, _swap_sides(title)):
        pairs = ((turned.home, goal.home_names), (turned.away, goal.away_names))
        named = [(team, names) for team, names in pairs if team is not None]
        if named and all(is_same_team(team, names) for team, names in named):
            return turned
    return None


def _swap_sides(title: PostTitle) -> PostTitle:
    other = {ScoringSide.HOME: ScoringSide.AWAY, ScoringSide.AWAY: ScoringSide.HOME}
    return replace(
        title,
        home=title.away,
        away=title.home,
        home_score=title.away_score,
        away_score=title.home_score,
        scoring_side=other[title.scoring_side] if title.scoring_side else None,
    )


def _is_same_name(written: str, name: str) -> bool:
    if spelling_key(written) == spelling_key(name) or short_name_key(written) == short_name_key(name):
        return True
    own, theirs = _name_words(name), _name_words(written)
    if not own or not theirs:
        return False
    return set(theirs) <= set(own) or _are_prefixes(theirs, own) or _is_typo("".join(own), ["".join(theirs)])


def _name_words(name: str) -> list[str]:
    return [_WORD_SYNONYMS.get(word, word) for word in short_name_key(name).split()]


def _are_prefixes(written: list[str], name: list[str]) -> bool:
    """ "Man Utd" for Manchester United, "Wolves" not for Wolverhampton."""
    return len(written) == len(name) and all(
        full == short or (len(short) >= _MIN_PREFIX_LENGTH and full.startswith(short))
        for short, full in zip(written, name, strict=True)
    )


def _is_typo(word: str, others: Iterable[str]) -> bool:
    return len(word) >= _MIN_TYPO_LENGTH and any(
        abs(len(word) - len(other)) <= 1
        and word[0] == other[0]
        and difflib.SequenceMatcher(None, word, other).ratio() >= _TYPO_LIKENESS
        for other in others
        if other
    )


def _is_named_in(text: str, names: Iterable[str]) -> bool:
    words = f" {spelling_key(_POSSESSIVE.sub(' ', text))} "
    return any(f" {spelling_key(name)} " in words for name in names if spelling_key(name))


def _strip_brackets(text: str) -> str:
    return " ".join(re.sub(r"[()\[\]]", " ", text).split())
