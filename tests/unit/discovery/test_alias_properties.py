"""Whatever a source calls a team, what comes of it is short, Latin, distinct, and within what a query can take."""

import contextlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from found_footy.discovery.aliases.combine import combine_aliases, rule_aliases
from found_footy.discovery.aliases.llm_picker import parse_picked_aliases
from found_footy.discovery.aliases.rules import (
    MAX_ALIAS_LENGTH,
    MAX_ALIASES,
    NameKind,
    TeamName,
    drop_opponent_aliases,
    rank_aliases,
)
from found_footy.discovery.aliases.wikidata_wire import (
    parse_entities,
    parse_entity,
    parse_names,
    parse_search_ids,
    parse_title_ids,
)
from found_footy.discovery.messages import AliasSource
from found_footy.discovery.query.builder import build_query, is_within_limits
from found_footy.discovery.query.stop_words import is_stop_word
from found_footy.discovery.sources.bluesky_wire import parse_post_list
from found_footy.discovery.sources.x_wire import parse_search_response, parse_service_health
from found_footy.platform.errors import Malformed

_text = st.text(max_size=60) | st.sampled_from(["LFC", "Reds", "F.C.", "The Reds", "Liverpool FC", "Барса", "1892"])
_names = st.lists(
    st.builds(TeamName, _text, st.sampled_from(NameKind), st.sampled_from(["en", "es", "mul", "xx"])), max_size=40
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(_text.filter(str.strip), _names)
def test_aliases_are_few_short_and_distinct(team: str, names: list[TeamName]) -> None:
    found = rank_aliases(team, names)
    assert len(found) <= MAX_ALIASES
    assert len({alias.lower() for alias in found}) == len(found)
    assert all(0 < len(alias) <= MAX_ALIAS_LENGTH for alias in found[1:])
    assert is_within_limits(build_query("Ruud Nistelrooy Perez Gonzalez", found, "Team"))


_clubs = st.lists(
    st.sampled_from(
        [
            "FC",
            "SC",
            "CF",
            "AC",
            "Santa",
            "Clara",
            "El",
            "La",
            "Omonia",
            "Nicosia",
            "Velez",
            "de",
            "1893",
            "U.",
            "N.",
            "U21",
            "W",
            "Ö",
        ]
    ),
    min_size=1,
)


@given(_clubs.map(" ".join), st.lists(_text, max_size=12), st.lists(_text, max_size=12))
def test_no_alias_is_an_everyday_word_whoever_says_it(team: str, table: list[str], other: list[str]) -> None:
    said = {AliasSource.WIKIDATA: tuple(other), AliasSource.TABLE: tuple(table)}
    for found in (rule_aliases(team), combine_aliases(team, said), combine_aliases(team, {})):
        assert 0 < len(found) <= MAX_ALIASES
        assert not [alias for alias in found[1:] if all(map(is_stop_word, alias.split()))]


@given(
    _text,
    st.lists(st.builds(TeamName, _text, st.sampled_from(NameKind)), max_size=40, unique_by=lambda name: name.text),
)
def test_the_order_of_the_source_does_not_matter(team: str, names: list[TeamName]) -> None:
    assert rank_aliases(team, names) == rank_aliases(team, names[::-1])


@given(st.lists(_text, max_size=8), _text, _text)
def test_the_opponent_removes_aliases_and_adds_none(aliases: list[str], team: str, opponent: str) -> None:
    kept = drop_opponent_aliases(aliases, team, opponent)
    assert [alias for alias in aliases if alias in kept] == list(kept)


@given(_json)
def test_any_answer_is_read_or_refused(body: Any) -> None:
    parse_service_health(body)
    parse_entity(body)
    searches = (parse_search_ids, parse_title_ids, parse_search_response, parse_post_list)
    for parse in (*searches, parse_names, parse_entities):
        with contextlib.suppress(Malformed):
            parse(body)
    with contextlib.suppress(Malformed):
        assert set(parse_picked_aliases({"choices": [{"message": {"content": json.dumps(body)}}]}, ("a", "b"))) <= {
            "a",
            "b",
        }
