"""Builds the search query from scorer and team, within X's limits."""

import re
import unicodedata
from collections.abc import Iterable

from found_footy.discovery.query.player_names import extract_player_search_names
from found_footy.domain.ids import fold_to_ascii

MAX_TERMS_PER_SIDE = 8
# X silently fails on queries with more operators than this.
MAX_OPERATORS = 22
MAX_TERM_LENGTH = 40
MAX_QUERY_LENGTH = 450
# Used when a side has no usable term; a query with an empty side would find everything.
_FALLBACK_TERM = "goal"
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")


def build_query(player: str, aliases: Iterable[str], team: str) -> str:
    """`(Florian OR Wirtz) (LFC OR Liverpool)`: any of the player's names with any of the team's.

    Neither side is ever empty. Terms contain no operators, whatever the feed or an alias source returns.
    """
    names = _build_terms(extract_player_search_names(player)) or [_FALLBACK_TERM]
    teams = [alias for alias in _build_terms(aliases) if alias not in names] or _build_terms([team]) or [_FALLBACK_TERM]
    while len(teams) > 1 and not is_within_limits(_join_sides(names, teams)):
        teams.pop()
    return _join_sides(names, teams)


def build_wider_query(player: str, match_terms: Iterable[str], other_terms: Iterable[str] = ()) -> str:
    """Any of the player's names, or any of `other_terms`, with any term of the match; as many of the latter as X's
    limits allow, the first ones. Neither side is ever empty.
    """
    names = _build_terms(other_terms) or _build_terms(extract_player_search_names(player)) or [_FALLBACK_TERM]
    terms = [term for term in _build_terms(match_terms, MAX_OPERATORS) if term not in names] or [_FALLBACK_TERM]
    while len(terms) > 1 and not is_within_limits(_join_sides(names, terms)):
        terms.pop()
    return _join_sides(names, terms)


def is_within_limits(query: str) -> bool:
    return count_operators(query) <= MAX_OPERATORS and len(query) <= MAX_QUERY_LENGTH


def count_operators(query: str) -> int:
    """Count terms, phrases and ORs, which all count towards the limit."""
    return len(re.findall(r'"[^"]*"|[^\s()]+', query))


def _join_sides(names: list[str], teams: list[str]) -> str:
    return f"{_or_group(names)} {_or_group(teams)}"


def _or_group(terms: list[str]) -> str:
    return f"({' OR '.join(terms)})" if len(terms) > 1 else terms[0]


def _build_terms(texts: Iterable[str], limit: int = MAX_TERMS_PER_SIDE) -> list[str]:
    distinct: dict[str, str] = {}
    for text in texts:
        if term := _build_term(text):
            distinct.setdefault(term.lower(), term)
    return list(distinct.values())[:limit]


def _build_term(text: str) -> str:
    """One search term: ASCII, free of operators, quoted unless it is a single plain word. A flag stays as it is."""
    if _FLAG.fullmatch(text):
        return text
    readable = fold_to_ascii(text) if re.search(r"[A-Za-z]", fold_to_ascii(text)) else text
    words = "".join(c if c == "'" or unicodedata.category(c)[0] in "LNM" else " " for c in readable)
    clean = " ".join(word for word in (w.strip("'") for w in words.split()) if word)[:MAX_TERM_LENGTH].strip(" '")
    plain = re.fullmatch(r"\w+", clean) is not None and clean.upper() not in {"OR", "AND"}
    return clean if plain or not clean else f'"{clean}"'
