"""Whatever a source calls a team, what comes of it is short, Latin, distinct, and within what a query can take."""

import contextlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from found_footy.discovery.alias_picker import picked
from found_footy.discovery.alias_rules import LONGEST_ALIAS, MOST_ALIASES, Kind, Name, ranked, without_opponent
from found_footy.discovery.aliases import combined, rule_aliases
from found_footy.discovery.everyday import is_everyday
from found_footy.discovery.messages import AliasSource
from found_footy.discovery.query import build_query, fits
from found_footy.discovery.standing import read_standing
from found_footy.discovery.wikidata_shapes import entity_from
from found_footy.platform.errors import Malformed

_text = st.text(max_size=60) | st.sampled_from(["LFC", "Reds", "F.C.", "The Reds", "Liverpool FC", "Барса", "1892"])
_names = st.lists(
    st.builds(Name, _text, st.sampled_from(Kind), st.sampled_from(["en", "es", "mul", "xx"])), max_size=40
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(_text.filter(str.strip), _names)
def test_aliases_are_few_short_and_distinct(team: str, names: list[Name]) -> None:
    found = ranked(team, names)
    assert len(found) <= MOST_ALIASES
    assert len({alias.lower() for alias in found}) == len(found)
    assert all(0 < len(alias) <= LONGEST_ALIAS for alias in found[1:])
    assert fits(build_query("Ruud Nistelrooy Perez Gonzalez", found, "Team"))


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
    for found in (rule_aliases(team), combined(team, said), combined(team, {})):
        assert 0 < len(found) <= MOST_ALIASES
        assert not [alias for alias in found[1:] if all(map(is_everyday, alias.split()))]


@given(_text, st.lists(st.builds(Name, _text, st.sampled_from(Kind)), max_size=40, unique_by=lambda name: name.text))
def test_the_order_of_the_source_does_not_matter(team: str, names: list[Name]) -> None:
    assert ranked(team, names) == ranked(team, names[::-1])


@given(st.lists(_text, max_size=8), _text, _text)
def test_the_opponent_takes_away_and_adds_nothing(aliases: list[str], team: str, opponent: str) -> None:
    kept = without_opponent(aliases, team, opponent)
    assert [alias for alias in aliases if alias in kept] == list(kept)


@given(_json)
def test_any_answer_is_read_or_refused(body: Any) -> None:
    read_standing(body)
    entity_from(body)
    with contextlib.suppress(Malformed):
        assert set(picked({"choices": [{"message": {"content": json.dumps(body)}}]}, ("a", "b"))) <= {"a", "b"}
