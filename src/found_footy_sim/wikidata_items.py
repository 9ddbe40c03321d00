"""Items of the simulated Wikidata: the teams of a scenario with their names, and items that could be
mistaken for them.
"""

from collections.abc import Iterator, Sequence

from found_footy_sim.script.model import Scenario, SimulatedTeam
from found_footy_sim.wikidata.items import ItemStatement, WikidataItem
from found_footy_sim.world.clubs import clubs_by_id

_CLUB_CLASS, _WOMENS_CLUB_CLASS, _RESERVE_TEAM_CLASS, _CITY_CLASS, _BASKETBALL_TEAM_CLASS = (
    "Q476028",
    "Q28140340",
    "Q2412834",
    "Q515",
    "Q13393265",
)
_BASKETBALL_SPORT = "Q5372"
_OTHER_COUNTRY = "Q77"
_COUNTRY_ITEMS = {
    "England": ("Q145", "Q21"),
    "Spain": ("Q29",),
    "Germany": ("Q183",),
    "Italy": ("Q38",),
    "France": ("Q142",),
    "Portugal": ("Q45",),
    "Netherlands": ("Q55",),
}
_FIRST_ITEM_NUMBER = 90_000_000


def build_items(scenario: Scenario) -> list[WikidataItem]:
    """Build every team of the scenario once, with its women's team, its reserves, its town and an unrelated
    namesake.
    """
    teams = {team.id: (team, match.league.country) for match in scenario.matches for team in (match.home, match.away)}
    return [item for team, country in teams.values() for item in _build_team_items(team, country)]


def team_names(team: SimulatedTeam) -> tuple[str, ...]:
    """Names of a team besides its official one."""
    known = clubs_by_id().get(team.id)
    return known.aliases if known else ()


def _build_team_items(team: SimulatedTeam, country: str) -> Iterator[WikidataItem]:
    nations = [ItemStatement("P17", code) for code in _COUNTRY_ITEMS.get(country, ())]
    base = _FIRST_ITEM_NUMBER + team.id * 10
    names = team_names(team)
    nick = [ItemStatement("P1449", names[-1], "en")] if names else []
    own = [ItemStatement("P31", _CLUB_CLASS), *nations, ItemStatement("P1813", team.name, "en"), *nick]
    label = f"{team.name} F.C."
    yield _build_item(base + 1, label, f"association football club in {country}", [team.name, *names], own, 120)
    yield _build_item(base, team.name, f"city in {country}", (), [ItemStatement("P31", _CITY_CLASS), *nations], 190)
    women = [ItemStatement("P31", _WOMENS_CLUB_CLASS), *nations]
    yield _build_item(base + 2, f"{team.name} Women", "women's association football club", [team.name], women, 20)
    reserve = [ItemStatement("P31", _CLUB_CLASS), ItemStatement("P31", _RESERVE_TEAM_CLASS), *nations]
    yield _build_item(base + 3, f"{team.name} II", f"reserve team of {label}", [team.name], reserve, 15)
    far = [ItemStatement("P31", _CLUB_CLASS), ItemStatement("P17", _OTHER_COUNTRY)]
    yield _build_item(
        base + 4, f"{team.name} de Montevideo", "association football club in Uruguay", [team.name], far, 25
    )
    basket = [ItemStatement("P31", _BASKETBALL_TEAM_CLASS), *nations, ItemStatement("P641", _BASKETBALL_SPORT)]
    yield _build_item(base + 5, f"{team.name} Basket", "basketball team", [team.name], basket, 60)


def _build_item(
    number: int, label: str, about: str, aliases: Sequence[str], statements: Sequence[ItemStatement], sitelinks: int
) -> WikidataItem:
    return WikidataItem(
        f"Q{number}", {"en": label}, about, {"en": list(aliases)} if aliases else {}, statements, sitelinks
    )
