"""The forms of a goal's query, and which one an attempt uses. Pure.

Many posts about a goal name its scorer but not his team: they have the match's tag, the opponent or flags instead.
Others name the team and no scorer. An attempt that found nothing new is followed by one that reaches those posts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from found_footy.discovery.query.builder import build_query, build_wider_query
from found_footy.discovery.query.flags import find_flag
from found_footy.domain.ids import fold_to_ascii

GOAL_WORDS = ("goal", "gol", "golazo", "scores")
_MAX_TEAM_TERMS = 4
_MAX_OPPONENT_TERMS = 2
_CODE_LENGTH = 3


class QueryForm(StrEnum):
    """scorer: his names with those of his team. wide: his names with those of the match. team: the team's names with
    words for a goal and the score.
    """

    SCORER = "scorer"
    WIDE = "wide"
    TEAM = "team"


@dataclass(frozen=True)
class SearchedMatch:
    """The names of both sides, the feed's first, and the score after the goal, if it is known."""

    player: str
    team: str
    team_aliases: tuple[str, ...]
    opponent: str = ""
    opponent_aliases: tuple[str, ...] = ()
    national: bool = False
    score: tuple[int, int] | None = None


def choose_query_form(new_candidates: Sequence[int]) -> QueryForm:
    """The form of the next attempt, by how many new candidates each earlier one had. The first attempt, and each after
    one that found something, uses the scorer's form; the others take turns.
    """
    fruitless = 0
    for count in reversed(new_candidates):
        if count:
            break
        fruitless += 1
    if fruitless == 0:
        return QueryForm.SCORER
    return QueryForm.WIDE if fruitless % 2 else QueryForm.TEAM


def build_query_of_form(form: QueryForm, match: SearchedMatch) -> str:
    if form is QueryForm.WIDE:
        return build_wider_query(match.player, _match_terms(match))
    if form is QueryForm.TEAM:
        return build_wider_query("", match.team_aliases[:_MAX_TEAM_TERMS] or (match.team,), _goal_terms(match))
    return build_query(match.player, match.team_aliases, match.team)


def match_tags(match: SearchedMatch) -> tuple[str, ...]:
    """QATECU and ECUQAT: the codes of both teams in either order."""
    own, theirs = _team_code(match.team, match.team_aliases), _team_code(match.opponent, match.opponent_aliases)
    return (own + theirs, theirs + own) if own and theirs else ()


def _match_terms(match: SearchedMatch) -> tuple[str, ...]:
    """The most telling first: what exceeds X's limits is dropped from the end."""
    flags = [find_flag(match.team), find_flag(match.opponent)] if match.national else []
    return (
        *(match.team_aliases[:_MAX_TEAM_TERMS] or (match.team,)),
        *match_tags(match),
        *(match.opponent_aliases or (match.opponent,))[:_MAX_OPPONENT_TERMS],
        *(flag for flag in flags if flag),
    )


def _goal_terms(match: SearchedMatch) -> tuple[str, ...]:
    scores = (f"{match.score[0]} {match.score[1]}", f"{match.score[1]} {match.score[0]}") if match.score else ()
    return (*GOAL_WORDS, *scores)


def _team_code(team: str, aliases: Sequence[str]) -> str:
    """The first abbreviation of three letters, else the first three letters of the name."""
    codes = [alias for alias in aliases if len(alias) == _CODE_LENGTH and alias.isalpha() and alias.isupper()]
    letters = "".join(c for c in fold_to_ascii(team) if c.isalpha()).upper()[:_CODE_LENGTH]
    return codes[0] if codes else letters if len(letters) == _CODE_LENGTH else ""
