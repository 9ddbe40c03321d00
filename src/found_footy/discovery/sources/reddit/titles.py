"""Reads the title of a goal post on r/soccer: `Home [1] - 0 Away - Scorer 34'` and its many variants. Pure.

Titles are written by people. Where one number of the score is in brackets, a person has marked a goal, and the rest is
read generously; without brackets the title must have the whole form, because results and cards are written alike.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from found_footy.discovery.sources.reddit.scorer_names import ScorerReading, read_scorer
from found_footy.discovery.sources.reddit.title_layout import TitleParts, is_team_text, split_title
from found_footy.discovery.sources.reddit.title_text import WrittenScore, clean_title, find_score, strip_aggregates
from found_footy.discovery.sources.reddit.title_words import (
    ADDED_EVENT,
    ADDENDUM,
    CIRCUMSTANCE,
    COMPETITION,
    DESCRIPTION,
    GOAL_WORD,
    HARMLESS_NOTE,
    MISSED_PENALTY,
    NEVER_A_GOAL,
    NUMBERED,
    OTHER_EVENT,
    OWN_GOAL,
    PENALTY,
    SENDING_OFF,
    SENTENCE,
)

_MAX_TITLE_LENGTH = 300
_CLAUSE_WORDS = 3
# "Brighton & Hove Albion" is followed by no addendum.
_AWAY_TEAM = re.compile(r"^[^-:|,()\[\]]*(?=[-:|,(\[])")
# "Welbeck 77' (Chalobah red card)": a note that names somebody else tells of something earlier.
_NAMED_SENDING_OFF = re.compile(
    rf"(?<=\d')\s*[(\[][^\W\d_][^()\[\]]*?\s{SENDING_OFF.pattern}[^()\[\]]*[)\]]", re.IGNORECASE
)


class ScoringSide(StrEnum):
    HOME = "home"
    AWAY = "away"


@dataclass(frozen=True)
class PostTitle:
    """A goal as a title reports it: the score after it, and the side whose score it raised. None is what the title
    does not say; reversed forms ("Kane goal vs Everton") leave out a team. The scorer of an own goal plays for the
    other side.
    """

    home: str | None
    away: str | None
    home_score: int
    away_score: int
    scoring_side: ScoringSide | None
    scorer: str | None
    minute: int | None
    added: int | None
    own_goal: bool
    penalty: bool


def parse_post_title(title: str) -> PostTitle | None:
    """None if the title reports no goal, or not one that can be read."""
    text = strip_aggregates(clean_title(title[:_MAX_TITLE_LENGTH]))
    score = find_score(text)
    if score is None or _is_refused(text, score):
        return None
    side = _scoring_side(score)
    parts = split_title(text, score, home_scored=None if side is None else side is ScoringSide.HOME)
    teams = [team for team in (parts.home, parts.away) if team is not None]
    if not teams or not all(is_team_text(team) for team in teams):
        return None
    around = " | ".join((*parts.lead, *parts.before, *parts.after, *(f"({note})" for note in parts.notes)))
    own_goal = OWN_GOAL.search(around) is not None
    penalty = _is_penalty(parts, around)
    scorer = _find_scorer(parts, own_goal=own_goal)
    if not _is_goal(parts, score, scorer, around, own_goal=own_goal):
        return None
    minute, added = (parts.minute.minute, parts.minute.added) if parts.minute else (None, None)
    return PostTitle(
        parts.home, parts.away, score.home, score.away, side, scorer.name, minute, added, own_goal, penalty
    )


def _scoring_side(score: WrittenScore) -> ScoringSide | None:
    """The side in brackets; without brackets, the only side that has a goal."""
    if score.home == 0 or score.away == 0:
        return ScoringSide.AWAY if score.home == 0 else ScoringSide.HOME
    if not score.is_marked:
        return None
    return ScoringSide.HOME if score.home_marked else ScoringSide.AWAY


def _is_refused(text: str, score: WrittenScore) -> bool:
    if NEVER_A_GOAL.search(text):
        return True
    if MISSED_PENALTY.search(text) and not (score.is_marked and "rebound" in text.lower()):
        return True
    addendum = ADDENDUM if score.is_marked else ADDED_EVENT
    after_teams = addendum.sub(" ", _AWAY_TEAM.sub("", text[score.end :]))
    if score.is_marked:
        return SENDING_OFF.search(_NAMED_SENDING_OFF.sub(" ", after_teams)) is not None
    return SENDING_OFF.search(f"{text[: score.start]} {after_teams}") is not None


def _is_penalty(parts: TitleParts, around: str) -> bool:
    """A single P is an initial before the minute ("Neves P 40'"), and a penalty after it."""
    return any(part.rstrip(".") == "P" for part in parts.after) or (
        PENALTY.search(around) is not None and "rebound" not in around.lower()
    )


def _find_scorer(parts: TitleParts, *, own_goal: bool) -> ScorerReading:
    """The name nearest before the minute; else after it, in brackets, or before the teams."""
    places = list(reversed(parts.before))
    if not any(part.strip() for part in parts.before):
        places += [*parts.after[:1], *parts.notes, *reversed(parts.lead)]
    elif own_goal:
        places += parts.notes
    for part in places:
        reading = read_scorer(part)
        if reading.name and not COMPETITION.search(part) and not OTHER_EVENT.search(reading.name):
            return reading
    return ScorerReading()


def _is_goal(parts: TitleParts, score: WrittenScore, scorer: ScorerReading, around: str, *, own_goal: bool) -> bool:
    if not score.is_marked:
        return _is_whole_form(parts, scorer, around, own_goal=own_goal)
    if any(OTHER_EVENT.search(CIRCUMSTANCE.sub("", part)) for part in parts.before):
        return False
    if parts.minute is not None:
        return True
    return (scorer.name is not None or own_goal) and not any(
        SENTENCE.search(DESCRIPTION.sub("", part)) for part in (*parts.lead, *parts.before)
    )


def _is_whole_form(parts: TitleParts, scorer: ScorerReading, around: str, *, own_goal: bool) -> bool:
    """Whether a title without brackets has a scorer and one minute and tells of nothing else."""
    told = HARMLESS_NOTE.sub(" ", ADDED_EVENT.sub(" ", around))
    if scorer.has_other_words or "?" in around or OTHER_EVENT.search(told):
        return False
    if (scorer.name is None and not own_goal) or (scorer.name and NUMBERED.fullmatch(scorer.name)):
        return False
    if parts.minute is None:
        return GOAL_WORD.search(" ".join(parts.before)) is not None
    if any(_is_clause(part) for part in parts.after):
        return False
    return parts.minute_count <= 1


def _is_clause(part: str) -> bool:
    """ "winner sends Stamford Bridge wild": more than a description or a competition, with words that are no names."""
    words = DESCRIPTION.sub(" ", part).split()
    return len(words) >= _CLAUSE_WORDS and words[0].islower() and not COMPETITION.search(part)
