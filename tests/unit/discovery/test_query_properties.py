"""Whatever the feed calls a player or a team, the query is one that X can read."""

import re

from hypothesis import given
from hypothesis import strategies as st

from found_footy.discovery.aliases.combine import rule_aliases
from found_footy.discovery.query.builder import MAX_OPERATORS, MAX_QUERY_LENGTH, build_query, count_operators
from found_footy.discovery.query.player_names import MAX_NAMES, extract_player_search_names

_anything = st.text(max_size=80)
_latin = st.text(alphabet="aàbcçdeéøłßæ' -.ABCDÉØŁ", min_size=1, max_size=40).filter(
    lambda text: any(c.isalpha() for c in text)
)


@given(_anything, st.lists(_anything, max_size=20), _anything)
def test_a_query_is_balanced_bounded_and_two_sided(player: str, aliases: list[str], team: str) -> None:
    query = build_query(player, aliases, team)
    assert query.count('"') % 2 == 0
    assert count_operators(query) <= MAX_OPERATORS
    assert len(query) <= MAX_QUERY_LENGTH
    bare = re.sub(r'"[^"]*"', "x", query)
    assert re.fullmatch(r"(\(\S+( OR \S+)+\)|[^\s()]+) (\(\S+( OR \S+)+\)|[^\s()]+)", bare), query


@given(_latin)
def test_a_name_with_a_letter_is_never_searched_as_nothing(player: str) -> None:
    names = extract_player_search_names(player)
    assert 1 <= len(names) <= MAX_NAMES
    assert all(name.strip() == name and name for name in names)
    assert len({name.lower() for name in names}) == len(names)


@given(_latin)
def test_names_do_not_depend_on_case_or_spacing(player: str) -> None:
    spaced = "  " + player.replace(" ", "   ") + " "
    lower = [name.lower() for name in extract_player_search_names(player)]
    assert [name.lower() for name in extract_player_search_names(spaced)] == lower
    assert [name.lower() for name in extract_player_search_names(player.lower())] == lower


@given(_latin)
def test_a_team_always_has_a_name(team: str) -> None:
    assert all(alias.strip() for alias in rule_aliases(team))
    assert rule_aliases(team)
