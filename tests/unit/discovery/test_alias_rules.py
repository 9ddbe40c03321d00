"""Only names worth searching by become aliases, the best first."""

import pytest

from found_footy.discovery.aliases.combine import combine_aliases
from found_footy.discovery.aliases.rules import (
    NameKind,
    TeamName,
    drop_opponent_aliases,
    is_usable_alias,
    merge_aliases,
    rank_aliases,
    strip_article,
    tidy_name,
)
from found_footy.discovery.messages import AliasSource


@pytest.mark.parametrize(
    "text", ["LFC", "FC", "OM", "PSG", "Reds", "Barça", "Man Utd", "Red Star Belgrade", "S04", "1. FC Köln"]
)
def test_a_name_that_people_write_is_usable(text: str) -> None:
    usable = text != "FC"
    assert is_usable_alias(text, "Some Team") is usable


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ab",
        "x",
        "Real Madrid Club de Futbol",
        "Liverpool 1892",
        "Liverpool (football)",
        "liverpoolfc.com",
        "https://lfc.tv",
        "Ливерпуль",
        "利物浦",
        "1904",
        "the club",
        "Goal",
        "football team",
        "from:someone",
        "@lfc",
        "#LFC",
        'a" OR "b',
        "A" * 41,
        "Liverpool Women",
        "Liverpool U21",
        "Barcelona B",
    ],
)
def test_a_name_that_would_widen_the_search_is_not(text: str) -> None:
    assert not is_usable_alias(text, "Liverpool")


def test_the_feeds_name_comes_first_then_abbreviations_short_names_and_nicknames() -> None:
    names = [
        TeamName("Liverpool Football Club", NameKind.OFFICIAL),
        TeamName("Pool", NameKind.ALIAS),
        TeamName("Reds", NameKind.NICK),
        TeamName("L'pool", NameKind.SHORT),
        TeamName("LFC", NameKind.ALIAS),
        TeamName("Liverpool F.C.", NameKind.LABEL),
    ]
    assert rank_aliases("Liverpool", names) == ("Liverpool", "LFC", "L'pool", "Reds", "Pool")


def test_no_more_than_asked_for_and_none_twice() -> None:
    names = [TeamName(f"Nick{chr(65 + n)}", NameKind.NICK) for n in range(20)]
    found = rank_aliases("Liverpool", [*names, *names, TeamName("LIVERPOOL FC"), TeamName("Liverpool F.C.")])
    assert len(found) == len(set(found)) == 8


def test_a_shorter_form_of_the_feeds_name_is_searched_for_beside_it() -> None:
    names = [
        TeamName("A.C. Milan", NameKind.LABEL),
        TeamName("Milan", NameKind.SHORT),
        TeamName("AC Milan", NameKind.ALIAS),
    ]
    assert rank_aliases("AC Milan", names) == ("AC Milan", "Milan")


def test_without_usable_names_there_are_no_aliases() -> None:
    assert (
        rank_aliases("Liverpool", []) == rank_aliases("Liverpool", [TeamName("Ливерпуль"), TeamName("the team")]) == ()
    )


def test_a_side_that_is_asked_for_keeps_its_own_names() -> None:
    assert is_usable_alias("Arsenal Women", "Arsenal W")


@pytest.mark.parametrize(
    ("team", "opponent", "aliases", "kept"),
    [
        ("Man City", "Man United", ("Man City", "MCFC", "Man", "City"), ("Man City", "MCFC", "City")),
        ("Real Madrid", "Atletico Madrid", ("Real Madrid", "Madrid", "RMA"), ("Real Madrid", "RMA")),
        ("Real Madrid", "Barcelona", ("Real Madrid", "Madrid"), ("Real Madrid", "Madrid")),
        ("Real Madrid", "", ("Real Madrid", "Madrid"), ("Real Madrid", "Madrid")),
        ("Paris FC", "Paris Saint Germain", ("Paris FC", "Paris", "PFC"), ("Paris FC", "PFC")),
    ],
)
def test_in_a_derby_the_name_of_the_city_means_neither(
    team: str, opponent: str, aliases: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert drop_opponent_aliases(aliases, team, opponent) == kept


@pytest.mark.parametrize(
    ("text", "clean"), [("A.C. Milan", "AC Milan"), ("St. Pauli", "St Pauli"), (" F.C.  Porto ", "FC Porto")]
)
def test_names_are_tidied(text: str, clean: str) -> None:
    assert tidy_name(text) == clean


ATLETICO = (
    "Atlético Madrid",
    "Club Atlético de Madrid",
    "Atletico de Madrid",
    "ATM",
    "Atlético",
    "El Atleti",
    "Atl. de Madrid",
    "Atleti de Madrid",
    "AtleticoDeMadrid",
    "Atletico of Madrid",
    "Los Colchoneros",
    "Club Atlético de Madrid, S.A.D.",
    "Athletic Club de Madrid",
    "Atletico Aviacion",
    "Los Indios",
)


def test_the_tables_names_come_first_and_other_sources_add_what_people_write() -> None:
    wikidata = rank_aliases("Atletico Madrid", [TeamName(text) for text in ATLETICO], limit=24)
    said = {AliasSource.WIKIDATA: wikidata, AliasSource.TABLE: ("Atletico Madrid", "ATM", "Atleti", "Colchoneros")}
    found = combine_aliases("Atletico Madrid", said)
    assert found[:4] == ("Atletico Madrid", "ATM", "Atleti", "Colchoneros")
    assert len(found) <= 8
    assert not {"El Atleti", "Atleti de Madrid", "Atletico of Madrid", "Los Colchoneros"} & set(found)


def test_a_translated_name_is_no_alias_unless_the_feed_uses_it() -> None:
    assert rank_aliases("Atletico Madrid", [TeamName("Atletico of Madrid")]) == ()
    assert "QotS of Dumfries" in rank_aliases("Queen of the South", [TeamName("QotS of Dumfries")])


@pytest.mark.parametrize(
    ("name", "team", "without"),
    [
        ("El Atleti", "Atletico Madrid", "Atleti"),
        ("Les Bleus", "France", "Bleus"),
        ("The Gunners", "Arsenal", "Gunners"),
        ("La Real", "Real Sociedad", "La Real"),
        ("El Tri", "Mexico", "El Tri"),
        ("La U", "Universidad", "La U"),
        ("Los Angeles", "LA Galaxy", "Los Angeles"),
        ("Las Palmas", "Las Palmas", "Las Palmas"),
        ("Le Havre", "LE Havre", "Le Havre"),
        ("The Football", "Arsenal", "The Football"),
        ("Liverpool", "Liverpool", "Liverpool"),
    ],
)
def test_a_nickname_loses_its_article(name: str, team: str, without: str) -> None:
    assert strip_article(name, team) == without


@pytest.mark.parametrize(
    "word", ["EN", "LA", "EL", "AT", "ON", "VS", "FC", "CF", "SC", "AD", "US", "por", "Per", "CAN", "DEN"]
)
def test_no_source_can_make_an_everyday_word_an_alias(word: str) -> None:
    for source in (AliasSource.TABLE, AliasSource.WIKIDATA):
        assert combine_aliases("Chalk Rovers", {source: ("Chalk Rovers", word, "Chalkies")}) == (
            "Chalk Rovers",
            "Chalkies",
        )
    assert merge_aliases("Chalk Rovers", [word]) == ("Chalk Rovers",)
