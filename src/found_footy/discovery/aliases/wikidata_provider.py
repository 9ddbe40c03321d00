"""Aliases from Wikidata: searches, chooses the item, fetches its names, and selects the useful ones."""

from collections.abc import Sequence
from typing import Protocol

from found_footy.discovery.aliases.countries import country_ids
from found_footy.discovery.aliases.entities import TeamSide, WikidataEntity, choose_entity, detect_team_side
from found_footy.discovery.aliases.rules import MAX_ALIASES, TeamName, rank_aliases
from found_footy.discovery.aliases.wikidata_client import WikidataClient
from found_footy.discovery.aliases.wikidata_wire import entity_names
from found_footy.discovery.messages import AliasSource
from found_footy.domain.messages import ResolveAliases
from found_footy.domain.national_teams import strip_squad_suffix
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.logs import ActionLogger

logger = ActionLogger(__name__)

# More than are used, for a picker to choose from.
_MAX_CANDIDATES = 24


class AliasPicker(Protocol):
    """Picks from the candidates those that people write. Returns them unchanged if it fails."""

    async def pick_aliases(self, team: ResolveAliases, candidates: tuple[str, ...]) -> tuple[str, ...]: ...


class WikidataAliasProvider:
    source = AliasSource.WIKIDATA

    def __init__(self, wikidata: WikidataClient, picker: AliasPicker | None = None) -> None:
        self._wikidata = wikidata
        self._picker = picker

    async def find_aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        """Empty if no item is this team. ExternalSystemError if Wikidata does not answer."""
        chosen = await self._find_entity(team)
        if chosen is None:
            return ()
        names = (*await self._fetch_names(chosen), *entity_names(chosen))
        if self._picker is None:
            return rank_aliases(team.team_name, names)
        candidates = rank_aliases(team.team_name, names, _MAX_CANDIDATES)
        picked = set(await self._picker.pick_aliases(team, candidates[1:]))
        return (*candidates[:1], *(text for text in candidates[1:] if text in picked))[:MAX_ALIASES]

    async def _find_entity(self, team: ResolveAliases) -> WikidataEntity | None:
        """Search by the exact name, then by longer and looser terms, until an item can be the team."""
        seen: set[str] = set()
        for text, clubs_only in build_searches(team):
            found = await (self._wikidata.search_clubs(text) if clubs_only else self._wikidata.search_items(text))
            fresh = [item for item in found if item not in seen]
            seen.update(fresh)
            chosen = choose_entity(await self._wikidata.fetch_entities(fresh), team, country_ids(team.country))
            if chosen is not None:
                return chosen
        return None

    async def _fetch_names(self, chosen: WikidataEntity) -> tuple[TeamName, ...]:
        """If the query fails, the names in the already fetched item are used, which are nearly as good."""
        try:
            return await self._wikidata.fetch_names(chosen.id)
        except ExternalSystemError as error:
            logger.warning(
                "names of %s from its Wikidata item only: %s",
                chosen.id,
                error,
                action="aliases_without_query",
            )
            return ()


def build_searches(team: ResolveAliases) -> Sequence[tuple[str, bool]]:
    """The search terms in order, and whether to search among clubs only."""
    if team.national:
        country = strip_squad_suffix(team.team_name)
        if detect_team_side(team.team_name) is TeamSide.YOUTH:
            return ((f"{country} national under-{''.join(filter(str.isdigit, team.team_name))} football team", False),)
        who = "women's" if detect_team_side(team.team_name) is TeamSide.WOMEN else "men's"
        return ((f"{country} {who} national football team", False), (f"{country} national football team", False))
    return ((team.team_name, False), (team.team_name, True), (f"{team.team_name} football club", False))
