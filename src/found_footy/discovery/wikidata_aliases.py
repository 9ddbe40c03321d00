"""What Wikidata knows a team by: search, choose the item, read its names, keep the useful ones."""

import logging
from collections.abc import Sequence
from typing import Protocol

from found_footy.discovery.alias_rules import MOST_ALIASES, Name, ranked
from found_footy.discovery.countries import country_ids
from found_footy.discovery.entities import Entity, Side, choose, side_of
from found_footy.discovery.messages import AliasSource
from found_footy.discovery.wikidata import Wikidata
from found_footy.discovery.wikidata_shapes import entity_names
from found_footy.model.handoff import ResolveAliases
from found_footy.model.nations import without_side
from found_footy.platform.errors import OutsideError

logger = logging.getLogger(__name__)

# More than are kept, for somebody who picks among them.
_MOST_CANDIDATES = 24


class Picker(Protocol):
    """Picks, from candidates only, those that people write. Gives them back as they are when it cannot."""

    async def pick(self, team: ResolveAliases, candidates: tuple[str, ...]) -> tuple[str, ...]: ...


class WikidataAliases:
    source = AliasSource.WIKIDATA

    def __init__(self, wikidata: Wikidata, picker: Picker | None = None) -> None:
        self._wikidata = wikidata
        self._picker = picker

    async def aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        """Empty if no item is this team. OutsideError if Wikidata could not be asked."""
        chosen = await self._item(team)
        if chosen is None:
            return ()
        names = (*await self._names(chosen), *entity_names(chosen))
        if self._picker is None:
            return ranked(team.team_name, names)
        candidates = ranked(team.team_name, names, _MOST_CANDIDATES)
        picked = set(await self._picker.pick(team, candidates[1:]))
        return (*candidates[:1], *(text for text in candidates[1:] if text in picked))[:MOST_ALIASES]

    async def _item(self, team: ResolveAliases) -> Entity | None:
        """By the name as it is, then by longer and looser searches, until one finds something that can be the team."""
        seen: set[str] = set()
        for text, clubs_only in searches(team):
            found = await (self._wikidata.search_clubs(text) if clubs_only else self._wikidata.search(text))
            fresh = [item for item in found if item not in seen]
            seen.update(fresh)
            chosen = choose(await self._wikidata.entities(fresh), team, country_ids(team.country))
            if chosen is not None:
                return chosen
        return None

    async def _names(self, chosen: Entity) -> tuple[Name, ...]:
        """The item's own document is at hand and nearly as good, so a failing query costs little."""
        try:
            return await self._wikidata.names(chosen.id)
        except OutsideError as error:
            logger.warning(
                "names of %s from its document alone: %s", chosen.id, error, extra={"action": "aliases_without_query"}
            )
            return ()


def searches(team: ResolveAliases) -> Sequence[tuple[str, bool]]:
    """What to search for, in this order, and whether among clubs only."""
    if team.national:
        country = without_side(team.team_name)
        if side_of(team.team_name) is Side.YOUTH:
            return ((f"{country} national under-{''.join(filter(str.isdigit, team.team_name))} football team", False),)
        who = "women's" if side_of(team.team_name) is Side.WOMEN else "men's"
        return ((f"{country} {who} national football team", False), (f"{country} national football team", False))
    return ((team.team_name, False), (team.team_name, True), (f"{team.team_name} football club", False))
