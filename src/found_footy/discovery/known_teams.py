"""The built-in table: what well-known clubs and national teams are called."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from found_footy.discovery.alias_rules import joined
from found_footy.discovery.entities import Side, side_of
from found_footy.discovery.messages import AliasSource
from found_footy.model.handoff import ResolveAliases
from found_footy.model.ids import fold
from found_footy.model.nations import country_key

_CLUB_WORDS = """
ac acf afc as bk bsc bv ca cd cf cfr club cp de ec fbc fc ff fk football fsv futbol futebol gnk hnk hsc if ifk jk kf kv
mfk nk ogc ok pfc rb rc rcd rsc sad sc sd sk sl spvgg ss ssc sv the tsg tsv ud us vfb vfl
"""
# Words that many clubs' names have: two clubs that share nothing else are not one.
_GENERIC = frozenset(
    {"athletic", "atletico", "city", "real", "rovers", "saint", "san", "st", "town", "union", "united"}
)
# Other names of countries, by the names that the feed gives to their leagues.
_SAME_COUNTRY = {
    "bosnia herzegovina": "bosnia", "czechia": "czech republic", "north macedonia": "macedonia", "turkiye": "turkey",
    "republic ireland": "ireland", "united states": "usa", "korea republic": "south korea",
}  # fmt: skip


@dataclass(frozen=True)
class KnownTeam:
    """`id` is the feed's number of the team, where it is known for sure; `also` are other spellings of its name."""

    name: str
    country: str
    aliases: tuple[str, ...]
    national: bool = False
    id: int | None = None
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)


class KnownTeams:
    """A source of aliases that is always there."""

    source = AliasSource.TABLE

    async def aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        found = find(team)
        return table_aliases(found, team.team_name) if found else ()


def table_aliases(known: KnownTeam, name: str) -> tuple[str, ...]:
    """What a known team is called, first by the name that the feed gives it."""
    return joined(name, (*known.aliases, known.name))


def find(team: ResolveAliases) -> KnownTeam | None:
    """By number if the name agrees, else by the name as it is written, then without club words, then by alias. A name
    that two known teams share is decided by the country, or not at all.
    """
    if side_of(team.team_name) is not Side.FIRST:
        return None
    for known in known_teams():
        if known.id is not None and known.id == team.team_id and _shares_a_word(known, team.team_name):
            return known if _may_be(known, team) else None
    for book, key in ((_by_spelling(), spelling), (_by_name(), short_name), (_by_alias(), short_name)):
        named = [known for known in book.get(key(team.team_name), ()) if _may_be(known, team)]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def is_name_of_known_team(name: str) -> bool:
    return spelling(name) in _by_spelling()


def spelling(name: str) -> str:
    """A name for comparing as it is written: folded, lower case, words apart."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", fold(name).lower().replace("'", "")).split())


def short_name(name: str) -> str:
    """A name for comparing without FC and its relatives, and without years; as it is if nothing else is left."""
    return " ".join(without_club_words(spelling(name))) or spelling(name)


def without_club_words(name: str) -> list[str]:
    return [word for word in name.split() if word.lower() not in _CLUB_WORDS.split() and not word.isdigit()]


def _shares_a_word(known: KnownTeam, name: str) -> bool:
    """Numbers of another feed, or of an invented one, mean other teams."""
    own = {word for text in known.names for word in short_name(text).split()}
    return bool(set(short_name(name).split()) & ((own - _GENERIC) or own))


def _may_be(known: KnownTeam, team: ResolveAliases) -> bool:
    """National teams are told apart by their names. A club's country may be missing in a cup."""
    if known.national or team.national:
        return known.national == team.national
    return team.country is None or _country(known.country) == _country(team.country)


def _country(name: str) -> str:
    key = country_key(name)
    return _SAME_COUNTRY.get(key, key)


@cache
def known_teams() -> tuple[KnownTeam, ...]:
    rows = json.loads((files("found_footy.discovery") / "data" / "teams.json").read_text(encoding="utf-8"))
    return tuple(_team(row) for row in rows)


@cache
def _by_spelling() -> Mapping[str, tuple[KnownTeam, ...]]:
    return _book(spelling, lambda known: known.names)


@cache
def _by_name() -> Mapping[str, tuple[KnownTeam, ...]]:
    return _book(short_name, lambda known: known.names)


@cache
def _by_alias() -> Mapping[str, tuple[KnownTeam, ...]]:
    """Abbreviations are left out: half of all clubs are somebody's FCB. So are nicknames of clubs, which others may be
    named after.
    """

    def names(known: KnownTeam) -> list[str]:
        own = set(short_name(known.name).split())
        aliases = [alias for alias in known.aliases if not alias.isupper()]
        return [alias for alias in aliases if known.national or own & set(short_name(alias).split())]

    return _book(short_name, names)


def _book(
    key: Callable[[str], str], names: Callable[[KnownTeam], Iterable[str]]
) -> Mapping[str, tuple[KnownTeam, ...]]:
    named: dict[str, list[KnownTeam]] = {}
    for known in known_teams():
        for text in {key(name) for name in names(known)}:
            named.setdefault(text, []).append(known)
    return {text: tuple(teams) for text, teams in named.items()}


def _team(row: Mapping[str, Any]) -> KnownTeam:
    return KnownTeam(
        name=row["name"],
        country=row["country"],
        aliases=tuple(row["aliases"]),
        national=bool(row.get("national", False)),
        id=row.get("id"),
        also=tuple(row.get("also", ())),
    )


# Workflows read the table too, where no file can be opened.
known_teams()
