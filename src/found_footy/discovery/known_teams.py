"""The built-in table: what well-known clubs and national teams are called, for when nobody else can be asked."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from found_footy.discovery.aliases import MOST_ALIASES
from found_footy.discovery.entities import Side, plain, side_of
from found_footy.discovery.messages import AliasSource
from found_footy.model.handoff import ResolveAliases


@dataclass(frozen=True)
class KnownTeam:
    """`id` is the feed's number of the team, where it is known for sure."""

    name: str
    country: str
    aliases: tuple[str, ...]
    national: bool = False
    id: int | None = None


@cache
def known_teams() -> tuple[KnownTeam, ...]:
    rows = json.loads((files("found_footy.discovery") / "data" / "teams.json").read_text(encoding="utf-8"))
    return tuple(_team(row) for row in rows)


class KnownTeams:
    """A source of aliases that is always there."""

    source = AliasSource.TABLE

    async def aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        found = find(team)
        return (team.team_name, *found.aliases)[:MOST_ALIASES] if found else ()


def find(team: ResolveAliases) -> KnownTeam | None:
    """By number if the name agrees, else by name. A name that two known teams share is decided by the country, or not
    at all.
    """
    if side_of(team.team_name) is not Side.FIRST:
        return None
    name = plain(team.team_name)
    for known in known_teams():
        if known.id is not None and known.id == team.team_id and _shares_a_word(known, name):
            return known if _may_be(known, team) else None
    for book in (_by_own_name(), _by_alias()):
        named = [known for known in book.get(name, ()) if _may_be(known, team)]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def _shares_a_word(known: KnownTeam, name: str) -> bool:
    """Numbers of another feed, or of an invented one, mean other teams."""
    return bool(set(name.split()) & {word for own in (known.name, *known.aliases) for word in plain(own).split()})


def _may_be(known: KnownTeam, team: ResolveAliases) -> bool:
    """The feed's country is that of the league, so it says nothing of a national team, and may be missing in a cup."""
    if team.national:
        return known.national
    return team.country is None or (not known.national and plain(known.country) == plain(team.country))


@cache
def _by_own_name() -> Mapping[str, tuple[KnownTeam, ...]]:
    return _book(lambda known: [known.name])


@cache
def _by_alias() -> Mapping[str, tuple[KnownTeam, ...]]:
    """Abbreviations are left out: half of all clubs are somebody's FCB."""
    return _book(lambda known: [alias for alias in known.aliases if not alias.isupper()])


def _book(names: Callable[[KnownTeam], Iterable[str]]) -> Mapping[str, tuple[KnownTeam, ...]]:
    named: dict[str, list[KnownTeam]] = {}
    for known in known_teams():
        for key in {plain(name) for name in names(known)}:
            named.setdefault(key, []).append(known)
    return {key: tuple(teams) for key, teams in named.items()}


def _team(row: Mapping[str, Any]) -> KnownTeam:
    return KnownTeam(
        row["name"], row["country"], tuple(row["aliases"]), bool(row.get("national", False)), row.get("id")
    )
