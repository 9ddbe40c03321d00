"""The search query: who scored, for whom, within what X accepts."""

import re
import unicodedata
from collections.abc import Iterable

from found_footy.discovery.names import extract_player_search_names
from found_footy.model.ids import fold

MOST_ALIASES = 8
# X gives up on queries with more operators than this, without saying so.
MOST_OPERATORS = 22
LONGEST_TERM = 40
LONGEST_QUERY = 450
# Searched for when a side has nothing usable; a query with an empty side would find everything.
_ANY_GOAL = "goal"


def build_query(player: str, aliases: Iterable[str], team: str) -> str:
    """`(Florian OR Wirtz) (LFC OR Liverpool)`: any of the player's names with any of the team's.

    Neither side is ever empty. Terms carry no operators of their own, whatever the feed or an alias source says.
    """
    names = _terms(extract_player_search_names(player)) or [_ANY_GOAL]
    teams = [alias for alias in _terms(aliases) if alias not in names] or _terms([team]) or [_ANY_GOAL]
    while len(teams) > 1 and not fits(_joined(names, teams)):
        teams.pop()
    return _joined(names, teams)


def fits(query: str) -> bool:
    return operators(query) <= MOST_OPERATORS and len(query) <= LONGEST_QUERY


def operators(query: str) -> int:
    """Terms, phrases and ORs: the parts that count towards the limit."""
    return len(re.findall(r'"[^"]*"|[^\s()]+', query))


def _joined(names: list[str], teams: list[str]) -> str:
    return f"{_side(names)} {_side(teams)}"


def _side(terms: list[str]) -> str:
    return f"({' OR '.join(terms)})" if len(terms) > 1 else terms[0]


def _terms(texts: Iterable[str]) -> list[str]:
    distinct: dict[str, str] = {}
    for text in texts:
        if term := _term(text):
            distinct.setdefault(term.lower(), term)
    return list(distinct.values())[:MOST_ALIASES]


def _term(text: str) -> str:
    """One search term: folded, free of operators, quoted unless it is a single plain word."""
    readable = fold(text) if re.search(r"[A-Za-z]", fold(text)) else text
    words = "".join(c if c == "'" or unicodedata.category(c)[0] in "LNM" else " " for c in readable)
    clean = " ".join(word for word in (w.strip("'") for w in words.split()) if word)[:LONGEST_TERM].strip(" '")
    plain = re.fullmatch(r"\w+", clean) is not None and clean.upper() not in {"OR", "AND"}
    return clean if plain or not clean else f'"{clean}"'
