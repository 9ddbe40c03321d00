"""A team that is called after a country is told from a club."""

import pytest

from found_footy.domain.national_teams import is_national_team, strip_squad_suffix


@pytest.mark.parametrize(
    "team",
    [
        "England",
        "Türkiye",
        "Turkey",
        "Bosnia & Herzegovina",
        "Bosnia and Herzegovina",
        "Rep. Of Ireland",
        "Congo DR",
        "Cape Verde Islands",
        "Ivory Coast",
        "Côte d'Ivoire",
        "St. Kitts and Nevis",
        "Curaçao",
        "Guinea-Bissau",
        "South Korea",
        "USA",
        "England U21",
        "Spain W",
        "Brazil U20",
        "USA U17 W",
        "São Tomé e Príncipe",
        "New Zealand",
    ],
)
def test_countries_are_known_as_feeds_spell_them(team: str) -> None:
    assert is_national_team(team)


@pytest.mark.parametrize(
    "team",
    [
        "New England Revolution",
        "Barcelona",
        "Barcelona SC",
        "Nacional",
        "Monaco",
        "Club Brugge",
        "Argentinos JRS",
        "Espanyol",
        "Al Kuwait",
        "Olympique Marseille",
        "Monaco U19",
        "",
        "U21",
        "W",
    ],
)
def test_clubs_are_not_countries(team: str) -> None:
    assert not is_national_team(team)


@pytest.mark.parametrize(
    ("team", "bare"),
    [
        ("England U19 W", "England"),
        ("Arsenal W", "Arsenal"),
        ("Real Sociedad", "Real Sociedad"),
        ("Spain U-21", "Spain"),
    ],
)
def test_a_womens_or_youth_side_is_distinguished_from_its_club(team: str, bare: str) -> None:
    assert strip_squad_suffix(team) == bare
