"""The built-in table is sound, and knows a team only if it is sure."""

import pytest

from found_footy.discovery.alias_rules import is_usable
from found_footy.discovery.entities import plain
from found_footy.discovery.known_teams import KnownTeams, find, known_teams
from found_footy.discovery.query import build_query, fits
from found_footy.model.handoff import ResolveAliases


def test_there_are_enough_of_both_kinds() -> None:
    assert sum(not team.national for team in known_teams()) >= 150
    assert sum(team.national for team in known_teams()) >= 50


def test_every_row_is_usable_and_unique() -> None:
    rows = known_teams()
    assert len({(plain(team.name), team.country, team.national) for team in rows}) == len(rows)
    ids = [team.id for team in rows if team.id is not None]
    assert len(set(ids)) == len(ids)
    bad = [(team.name, alias) for team in rows for alias in team.aliases if not is_usable(alias, team.name)]
    assert not bad
    assert all(team.aliases and team.country for team in rows)


def test_every_row_makes_a_query_that_is_accepted() -> None:
    for team in known_teams():
        assert fits(build_query("Ruud Nistelrooy Perez Gonzalez", (team.name, *team.aliases), team.name))


@pytest.mark.parametrize(
    ("team", "known"),
    [
        (ResolveAliases(40, "Liverpool", "England"), "Liverpool"),
        (ResolveAliases(0, "Bayern Munich", "Germany"), "Bayern München"),
        (ResolveAliases(0, "Atlético Madrid"), "Atletico Madrid"),
        (ResolveAliases(0, "Barcelona", "Ecuador"), "Barcelona SC"),
        (ResolveAliases(0, "Millonarios"), "Millonarios"),
        (ResolveAliases(0, "France", None, national=True), "France"),
        (ResolveAliases(0, "Spain", "Germany", national=True), "Spain"),
        (ResolveAliases(0, "Willem II", "Netherlands"), "Willem II"),
    ],
)
def test_a_team_is_found_by_what_the_feed_says(team: ResolveAliases, known: str) -> None:
    found = find(team)
    assert found is not None
    assert found.name == known


@pytest.mark.parametrize(
    "team",
    [
        ResolveAliases(0, "Liverpool", "Uruguay"),
        ResolveAliases(40, "Chalk Town"),
        ResolveAliases(7, "USA", None, national=False),
        ResolveAliases(0, "Red Devils"),
        ResolveAliases(0, "FCB"),
        ResolveAliases(0, "Arsenal W", "England"),
        ResolveAliases(0, "Real Madrid II", "Spain"),
        ResolveAliases(0, ""),
    ],
)
def test_a_team_that_might_be_another_is_not_known(team: ResolveAliases) -> None:
    found = find(team)
    assert found is None or found.name == team.team_name


async def test_the_feeds_own_name_is_always_among_the_aliases() -> None:
    found = await KnownTeams().aliases(ResolveAliases(0, "Bayern Munich", "Germany"))
    assert found[0] == "Bayern Munich"
    assert "FCB" in found
