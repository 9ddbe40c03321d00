"""What the simulated Wikidata knows: the teams of a scenario with their names, and what could be mistaken for them."""

from collections.abc import Iterator, Sequence

from found_footy.sim.script.model import Scenario, Team
from found_footy.sim.wikidata.items import Item, Statement
from found_footy.sim.world.clubs import clubs

_CLUB, _WOMEN, _RESERVE, _CITY, _BASKETBALL_TEAM = "Q476028", "Q28140340", "Q2412834", "Q515", "Q13393265"
_BASKETBALL = "Q5372"
_ELSEWHERE = "Q77"
_COUNTRIES = {
    "England": ("Q145", "Q21"), "Spain": ("Q29",), "Germany": ("Q183",), "Italy": ("Q38",), "France": ("Q142",),
    "Portugal": ("Q45",), "Netherlands": ("Q55",),
}  # fmt: skip
_FIRST = 90_000_000


def items(scenario: Scenario) -> list[Item]:
    """Every team of the scenario once, with its women, its reserves, its town and a namesake from far away."""
    teams = {
        team.id: (team, match.league.country) for match in scenario.matches for team in (match.home, match.away)
    }  # fmt: skip
    return [item for team, country in teams.values() for item in _around(team, country)]


def team_names(team: Team) -> tuple[str, ...]:
    """What people call a team besides its name."""
    known = clubs().get(team.id)
    return known.aliases if known else ()


def _around(team: Team, country: str) -> Iterator[Item]:
    nations = [Statement("P17", code) for code in _COUNTRIES.get(country, ())]
    base = _FIRST + team.id * 10
    names = team_names(team)
    nick = [Statement("P1449", names[-1], "en")] if names else []
    own = [Statement("P31", _CLUB), *nations, Statement("P1813", team.name, "en"), *nick]
    label = f"{team.name} F.C."
    yield _item(base + 1, label, f"association football club in {country}", [team.name, *names], own, 120)
    yield _item(base, team.name, f"city in {country}", (), [Statement("P31", _CITY), *nations], 190)
    women = [Statement("P31", _WOMEN), *nations]
    yield _item(base + 2, f"{team.name} Women", "women's association football club", [team.name], women, 20)
    reserve = [Statement("P31", _CLUB), Statement("P31", _RESERVE), *nations]
    yield _item(base + 3, f"{team.name} II", f"reserve team of {label}", [team.name], reserve, 15)
    far = [Statement("P31", _CLUB), Statement("P17", _ELSEWHERE)]
    yield _item(base + 4, f"{team.name} de Montevideo", "association football club in Uruguay", [team.name], far, 25)
    basket = [Statement("P31", _BASKETBALL_TEAM), *nations, Statement("P641", _BASKETBALL)]
    yield _item(base + 5, f"{team.name} Basket", "basketball team", [team.name], basket, 60)


def _item(
    number: int, label: str, about: str, aliases: Sequence[str], said: Sequence[Statement], sitelinks: int
) -> Item:
    return Item(f"Q{number}", {"en": label}, about, {"en": list(aliases)} if aliases else {}, said, sitelinks)
