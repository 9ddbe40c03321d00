"""The built-in table of aliases of well-known clubs and national teams."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from found_footy.discovery.aliases.entities import TeamSide, detect_team_side
from found_footy.discovery.aliases.rules import merge_aliases
from found_footy.discovery.messages import AliasSource
from found_footy.domain.ids import fold_to_ascii
from found_footy.domain.known_teams import KnownTeam, known_teams
from found_footy.domain.messages import ResolveAliases
from found_footy.domain.national_teams import normalize_country

_CLUB_WORDS = """
ac acf afc as bk bsc bv ca cd cf cfr club cp de ec fbc fc ff fk football fsv futbol futebol gnk hnk hsc if ifk jk kf kv
mfk nk ogc ok pfc rb rc rcd rsc sad sc sd sk sl spvgg ss ssc sv the tsg tsv ud us vfb vfl
"""
# Words that many clubs' names have: two names that share only these are not the same club.
_GENERIC_WORDS = frozenset(
    {"athletic", "atletico", "city", "real", "rovers", "saint", "san", "st", "town", "union", "united"}
)
# Other names of countries, mapped to the names that the feed gives their leagues.
_COUNTRY_SYNONYMS = {
    "bosnia herzegovina": "bosnia",
    "czechia": "czech republic",
    "north macedonia": "macedonia",
    "turkiye": "turkey",
    "republic ireland": "ireland",
    "united states": "usa",
    "korea republic": "south korea",
}


class TableAliasProvider:
    """An alias source that is always available."""

    source = AliasSource.TABLE

    async def find_aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        found = find_known_team(team)
        return table_aliases(found, team.team_name) if found else ()


def table_aliases(known: KnownTeam, name: str) -> tuple[str, ...]:
    """The aliases of a known team, starting with the feed's name."""
    return merge_aliases(name, (*known.aliases, known.name))


def find_known_team(team: ResolveAliases) -> KnownTeam | None:
    """Find by id if the name agrees, else by the name as written, then without club words, then by alias. A name that
    two known teams share is decided by the country, or not at all.
    """
    if detect_team_side(team.team_name) is not TeamSide.FIRST:
        return None
    for known in known_teams():
        if known.id is not None and known.id == team.team_id and _has_common_word(known, team.team_name):
            return known if _is_possible_match(known, team) else None
    for book, key in (
        (_teams_by_spelling(), spelling_key),
        (_teams_by_name(), short_name_key),
        (_teams_by_alias(), short_name_key),
    ):
        named = [known for known in book.get(key(team.team_name), ()) if _is_possible_match(known, team)]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def is_known_team_name(name: str) -> bool:
    return spelling_key(name) in _teams_by_spelling()


def spelling_key(name: str) -> str:
    """A name for comparison as written: ASCII, lower case, separate words."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", fold_to_ascii(name).lower().replace("'", "")).split())


def short_name_key(name: str) -> str:
    """A name for comparison without FC and similar words and years; unchanged if nothing else is left."""
    return " ".join(drop_club_words(spelling_key(name))) or spelling_key(name)


def drop_club_words(name: str) -> list[str]:
    return [word for word in name.split() if word.lower() not in _CLUB_WORDS.split() and not word.isdigit()]


def _has_common_word(known: KnownTeam, name: str) -> bool:
    """Whether the name agrees with the table: ids of another feed, or of a simulated one, mean other teams."""
    own = {word for text in known.names for word in short_name_key(text).split()}
    return bool(set(short_name_key(name).split()) & ((own - _GENERIC_WORDS) or own))


def _is_possible_match(known: KnownTeam, team: ResolveAliases) -> bool:
    """National teams are distinguished by their names. A club's country may be missing in a cup."""
    if known.national or team.national:
        return known.national == team.national
    return team.country is None or _canonical_country(known.country) == _canonical_country(team.country)


def _canonical_country(name: str) -> str:
    key = normalize_country(name)
    return _COUNTRY_SYNONYMS.get(key, key)


@cache
def _teams_by_spelling() -> Mapping[str, tuple[KnownTeam, ...]]:
    return _build_index(spelling_key, lambda known: known.names)


@cache
def _teams_by_name() -> Mapping[str, tuple[KnownTeam, ...]]:
    return _build_index(short_name_key, lambda known: known.names)


@cache
def _teams_by_alias() -> Mapping[str, tuple[KnownTeam, ...]]:
    """Abbreviations are left out: FCB means many clubs. So are nicknames of clubs, which may be the names of others."""

    def names(known: KnownTeam) -> list[str]:
        own = set(short_name_key(known.name).split())
        aliases = [alias for alias in known.aliases if not alias.isupper()]
        return [alias for alias in aliases if known.national or own & set(short_name_key(alias).split())]

    return _build_index(short_name_key, names)


def _build_index(
    key: Callable[[str], str], names: Callable[[KnownTeam], Iterable[str]]
) -> Mapping[str, tuple[KnownTeam, ...]]:
    named: dict[str, list[KnownTeam]] = {}
    for known in known_teams():
        for text in {key(name) for name in names(known)}:
            named.setdefault(text, []).append(known)
    return {text: tuple(teams) for text, teams in named.items()}
