"""What a search text means: case, accents and aliases do not matter."""

import pytest

from found_footy.views.catalogue import (
    NameCatalogue,
    build_catalogue,
    find_players,
    find_teams,
    has_word,
    match_words,
    split_words,
)

TEAMS = [(47, "Tottenham"), (42, "Arsenal"), (157, "Bayern München"), (9001, "Örebro SK"), (33, "Manchester United")]
PLAYERS = ["Mesut Özil", "M. Ødegaard", "Thomas Müller", "Son Heung-Min", "Luis Díaz", "Díaz"]


@pytest.fixture
def catalogue() -> NameCatalogue:
    return build_catalogue(TEAMS, PLAYERS, {9001: ["Svartvitt", "Orebro SK"]})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Spurs", [47]),
        ("spurs", [47]),
        ("tottenham hotspur", [47]),
        ("TOT", [47]),
        ("orebro", [9001]),
        ("svart", [9001]),
        ("munchen", [157]),
        ("Man Utd", [33]),
        ("ars", [42]),
        ("rsenal", []),
        ("arsenal spurs", []),
        ("", []),
        ("  ", []),
        ("💥", []),
    ],
)
def test_teams_are_found_by_name_alias_and_beginning(catalogue: NameCatalogue, text: str, expected: list[int]) -> None:
    assert [team.id for team in find_teams(catalogue, text, 10)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ozil", ["Mesut Özil"]),
        ("özil", ["Mesut Özil"]),
        ("OZIL mesut", ["Mesut Özil"]),
        ("odegaard", ["M. Ødegaard"]),
        ("heung min", ["Son Heung-Min"]),
        ("diaz", ["Díaz", "Luis Díaz"]),
        ("di", ["Díaz", "Luis Díaz"]),
        ("zil", []),
        ("", []),
    ],
)
def test_players_are_found_without_accents(catalogue: NameCatalogue, text: str, expected: list[str]) -> None:
    assert list(find_players(catalogue, text, 10)) == expected


def test_a_team_with_the_very_name_comes_before_those_that_only_begin_with_it() -> None:
    names = build_catalogue([(1, "Interlagos"), (2, "Inter"), (3, "Inter Turku")], [], {})
    assert next(team.id for team in find_teams(names, "inter", 10)) == 2
    assert len(find_teams(names, "inter", 2)) == 2


def test_aliases_name_each_spelling_once_and_not_the_team_itself(catalogue: NameCatalogue) -> None:
    assert catalogue.teams[9001].aliases == ("Svartvitt",)
    assert "Spurs" in catalogue.teams[47].aliases
    assert "Tottenham" not in catalogue.teams[47].aliases


def test_the_name_in_use_is_the_last_given() -> None:
    assert build_catalogue([(1, "Old Name"), (1, "New Name")], [], {}).teams[1].name == "New Name"


def test_every_word_has_its_own_meanings(catalogue: NameCatalogue) -> None:
    first, second, third = match_words(catalogue, "özil Spurs nobody")
    assert (first.players, first.team_ids) == (frozenset({"Mesut Özil"}), frozenset())
    assert (second.players, second.team_ids) == (frozenset(), frozenset({47}))
    assert third.is_empty


def test_long_texts_are_cut() -> None:
    assert len(split_words(" ".join(f"w{number}" for number in range(1000)))) == 8
    assert split_words("a a A") == ("a",)


def test_a_word_matches_where_a_word_of_the_name_begins_with_it() -> None:
    assert has_word("Kevin De Bruyne", "bru")
    assert not has_word("Kevin De Bruyne", "ruyne")
