"""Queries say who and for whom, and stay within what X accepts."""

import pytest

from found_footy.discovery.aliases.combine import rule_aliases
from found_footy.discovery.query.builder import (
    MAX_OPERATORS,
    MAX_QUERY_LENGTH,
    build_query,
    count_operators,
    is_within_limits,
)


@pytest.mark.parametrize(
    ("player", "aliases", "query"),
    [
        ("Florian Wirtz", ("LFC", "Liverpool"), "(Florian OR Wirtz) (LFC OR Liverpool)"),
        ("Mohamed Salah", ("LFC", "Liverpool"), "Salah (LFC OR Liverpool)"),
        ("Rodri", ("MCFC",), "Rodri MCFC"),
        ("Rodri", ("Man City", "MCFC"), 'Rodri ("Man City" OR MCFC)'),
        ("Son Heung-Min", ("Spurs",), '(Son OR "Heung Min") Spurs'),
        ("Rodri", ("Atlético Madrid",), 'Rodri "Atletico Madrid"'),
        ("Rodri", ("Reds", "reds", "REDS"), "Rodri Reds"),
    ],
)
def test_a_query_is_any_name_with_any_alias(player: str, aliases: tuple[str, ...], query: str) -> None:
    assert build_query(player, aliases, "ignored") == query


@pytest.mark.parametrize(
    ("player", "aliases", "team", "query"),
    [
        ("Rodri", (), "Manchester City", 'Rodri "Manchester City"'),
        ("Rodri", ("---", '"("'), "City", "Rodri City"),
        ("Rodri", (), "()", "Rodri goal"),
        ("", ("City",), "City", "goal City"),
    ],
)
def test_neither_side_is_ever_empty(player: str, aliases: tuple[str, ...], team: str, query: str) -> None:
    assert build_query(player, aliases, team) == query


@pytest.mark.parametrize("alias", ["from:someone", "-filter:videos", 'a" OR "b', "(x", "OR", "AND", "since:2020-01-01"])
def test_an_alias_cannot_add_an_operator(alias: str) -> None:
    query = build_query("Rodri", (alias,), "City")
    outside_quotes = "".join(query.split('"')[::2])
    assert not any(mark in outside_quotes for mark in (":", "-", "(", ")"))
    assert query.count('"') in (0, 2)
    assert " OR " not in outside_quotes


def test_many_long_aliases_are_cut_to_what_x_accepts() -> None:
    aliases = [f"Sporting Club of Somewhere Number {number}" for number in range(20)]
    query = build_query("Ruud Nistelrooy Perez Gonzalez", aliases, "x")
    assert is_within_limits(query)
    assert len(query) <= MAX_QUERY_LENGTH
    assert count_operators(query) <= MAX_OPERATORS


@pytest.mark.parametrize(
    ("team", "aliases"),
    [
        ("Liverpool", ("Liverpool",)),
        ("Manchester United", ("Manchester United",)),
        ("FC Chalkton", ("FC Chalkton", "Chalkton")),
        ("Real Chalk CF", ("Real Chalk CF", "Real Chalk")),
        ("A.C. Chalk", ("AC Chalk", "Chalk")),
        ("1. FC Kölle", ("1 FC Kolle", "Kolle")),
        ("Barcelona SC", ("Barcelona SC",)),
        ("Real Madrid CF", ("Real Madrid CF",)),
        ("El Nacional", ("El Nacional",)),
        ("Estudiantes LP", ("Estudiantes LP",)),
        ("Omonia Nicosia", ("Omonia Nicosia",)),
        ("Velez Sarsfield", ("Velez Sarsfield",)),
        ("Santa Clara", ("Santa Clara",)),
        ("UNA Strassen", ("UNA Strassen",)),
        ("Al-Hilal Saudi FC", ("Al-Hilal Saudi FC", "Al-Hilal Saudi")),
        ("U.N.A.M. - Pumas", ("UNAM - Pumas",)),
        ("West Chalk United", ("West Chalk United", "WCU")),
        ("Vale Inter Anderlund", ("Vale Inter Anderlund",)),
        ("Arsenal W", ("Arsenal W", "Arsenal Women", "Arsenal")),
        ("England U21", ("England U21", "England")),
        ("Paris Saint Germain", ("Paris Saint Germain", "PSG")),
        ("FC", ("FC",)),
        ("Нефтчи", ("Нефтчи",)),
    ],
)
def test_rules_know_a_team_by_its_name_alone(team: str, aliases: tuple[str, ...]) -> None:
    assert rule_aliases(team) == aliases
