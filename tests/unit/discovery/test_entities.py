"""Of all things that share a name, the right football team is chosen, or none."""

import pytest

from found_footy.discovery.aliases.countries import country_ids
from found_footy.discovery.aliases.entities import TeamSide, WikidataEntity, choose_entity, detect_team_side, name_key
from found_footy.domain.messages import ResolveAliases

CLUB, TEAM, SPORTS_CLUB = frozenset({"Q476028"}), frozenset({"Q103229495"}), frozenset({"Q847017"})


def club(label: str, **facts: object) -> WikidataEntity:
    return WikidataEntity("Q1", label, **{"classes": CLUB, **facts})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("Liverpool", TeamSide.FIRST),
        ("Willem II", TeamSide.FIRST),
        ("Athletic Club", TeamSide.FIRST),
        ("West Bromwich Albion", TeamSide.FIRST),
        ("Arsenal W", TeamSide.WOMEN),
        ("Lyon Féminin", TeamSide.WOMEN),
        ("Real Madrid Femenino", TeamSide.WOMEN),
        ("England U21", TeamSide.YOUTH),
        ("Spain U-19", TeamSide.YOUTH),
        ("Chelsea Academy", TeamSide.YOUTH),
        ("Real Sociedad II", TeamSide.RESERVE),
        ("Barcelona B", TeamSide.RESERVE),
        ("Jong Ajax", TeamSide.RESERVE),
    ],
)
def test_a_name_says_which_side_it_means(name: str, side: TeamSide) -> None:
    assert detect_team_side(name) is side


@pytest.mark.parametrize("classes", [CLUB, TEAM, frozenset({"Q15944511"})])
def test_a_club_may_be_of_any_of_the_sibling_classes(classes: frozenset[str]) -> None:
    entity = club("Chelsea F.C.", classes=classes)
    assert choose_entity([entity], ResolveAliases(49, "Chelsea")) is entity


@pytest.mark.parametrize(
    "facts",
    [
        {"classes": frozenset({"Q515"})},
        {"classes": CLUB | {"Q2412834"}},
        {"classes": CLUB | {"Q28140340"}},
        {"classes": CLUB | {"Q94579592"}},
        {"classes": SPORTS_CLUB},
        {"classes": frozenset({"Q135408445"})},
        {"sports": frozenset({"Q5372"})},
        {"description": "reserve team of an English club"},
        {"description": "women's football team"},
        {"description": "futsal club"},
        {"countries": frozenset({"Q77"}), "description": "club in Montevideo"},
    ],
)
def test_what_cannot_be_the_team_is_not_taken(facts: dict[str, object]) -> None:
    team = ResolveAliases(49, "Chelsea", "England")
    assert choose_entity([club("Chelsea", **facts)], team, country_ids("England")) is None


@pytest.mark.parametrize("facts", [{"has_league": True}, {"sports": frozenset({"Q2736"})}])
def test_a_sports_club_needs_evidence_of_football(facts: dict[str, object]) -> None:
    entity = club("Chelsea", classes=SPORTS_CLUB, **facts)
    assert choose_entity([entity], ResolveAliases(49, "Chelsea")) is entity


def test_of_namesakes_the_country_decides() -> None:
    english = club("Everton F.C.", countries=frozenset({"Q145"}), sitelinks=5)
    chilean = club("Everton", countries=frozenset({"Q298"}), sitelinks=90)
    both = [english, chilean]
    assert choose_entity(both, ResolveAliases(1, "Everton", "England"), country_ids("England")) is english
    assert choose_entity(both, ResolveAliases(1, "Everton", "Chile"), country_ids("Chile")) is chilean
    assert choose_entity(both, ResolveAliases(1, "Everton")) is chilean


def test_an_existing_club_is_preferred_to_a_dissolved_one() -> None:
    gone = club("Parma", dissolved=True, sitelinks=100)
    alive = club("Parma Calcio 1913", names=("Parma",), sitelinks=40)
    assert choose_entity([gone, alive], ResolveAliases(1, "Parma")) is alive


@pytest.mark.parametrize(
    ("name", "bare"),
    [("Liverpool F.C.", "liverpool"), ("A.C. Milan", "milan"), ("FC", "fc"), ("Atlético de Madrid", "atletico madrid")],
)
def test_names_are_compared_without_club_words_and_accents(name: str, bare: str) -> None:
    assert name_key(name) == bare


def test_a_country_may_be_part_of_a_larger_one() -> None:
    assert country_ids("England")[:2] == ("Q21", "Q145")
    assert country_ids("Saudi-Arabia") == ("Q851",)
    assert country_ids("Atlantis") == country_ids(None) == ()
