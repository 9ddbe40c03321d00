"""Names of teams and players, and which of them a search text means. Case, accents and aliases do not matter. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from found_footy.discovery.aliases.table import find_known_team, spelling_key
from found_footy.domain.messages import ResolveAliases
from found_footy.domain.national_teams import is_national_team

MAX_QUERY_LENGTH = 100
_MAX_WORDS = 8


@dataclass(frozen=True)
class NamedTeam:
    """A team of a stored fixture. `aliases` are other names that it is searched by."""

    id: int
    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class NameCatalogue:
    """Every team and every scorer of the stored fixtures."""

    teams: Mapping[int, NamedTeam]
    players: frozenset[str]


@dataclass(frozen=True)
class WordMatch:
    """What one word of a search text may mean: teams by id, players by their stored name."""

    word: str
    team_ids: frozenset[int]
    players: frozenset[str]

    @property
    def is_empty(self) -> bool:
        return not self.team_ids and not self.players


def build_catalogue(
    teams: Iterable[tuple[int, str]], players: Iterable[str], stored_aliases: Mapping[int, Iterable[str]]
) -> NameCatalogue:
    """`teams` are ids with names, the name in use last; `stored_aliases` are the cached ones by team id."""
    named = dict(teams)
    return NameCatalogue(
        {
            team_id: NamedTeam(team_id, name, _merge_names(name, stored_aliases.get(team_id, ()), team_id))
            for team_id, name in named.items()
        },
        frozenset(players),
    )


def _merge_names(name: str, stored: Iterable[str], team_id: int) -> tuple[str, ...]:
    """The stored aliases, then those of the built-in table; each spelling once, the team's own name left out."""
    by_spelling = {spelling_key(alias): alias for alias in reversed((*stored, *_list_table_names(team_id, name)))}
    by_spelling.pop(spelling_key(name), None)
    by_spelling.pop("", None)
    return tuple(reversed(by_spelling.values()))


@lru_cache(maxsize=4096)
def _list_table_names(team_id: int, name: str) -> tuple[str, ...]:
    known = find_known_team(ResolveAliases(team_id, name, national=is_national_team(name)))
    return (*known.aliases, *known.names, *known.codes) if known else ()


def split_words(text: str) -> tuple[str, ...]:
    """The words of a search text, folded: `Özil` and `ozil` are the same word."""
    return tuple(dict.fromkeys(spelling_key(text[:MAX_QUERY_LENGTH]).split()))[:_MAX_WORDS]


@lru_cache(maxsize=65_536)
def _fold_words(name: str) -> tuple[str, ...]:
    return tuple(spelling_key(name).split())


def has_word(name: str, word: str) -> bool:
    """Whether a word of the name begins with the folded `word`."""
    return any(own.startswith(word) for own in _fold_words(name))


def match_words(catalogue: NameCatalogue, text: str) -> tuple[WordMatch, ...]:
    """For each word of the text, the teams and players whose names have a word that begins with it."""
    return tuple(
        WordMatch(
            word,
            frozenset(
                team.id
                for team in catalogue.teams.values()
                if any(has_word(name, word) for name in (team.name, *team.aliases))
            ),
            frozenset(name for name in catalogue.players if has_word(name, word)),
        )
        for word in split_words(text)
    )


def find_teams(catalogue: NameCatalogue, text: str, limit: int) -> tuple[NamedTeam, ...]:
    """The teams that every word of the text means by one name, those with the name itself before those with an alias;
    first the ones whose name is the text.
    """
    words, whole = split_words(text), spelling_key(text)
    ranked = []
    for team in catalogue.teams.values():
        names = (team.name, *team.aliases)
        matched = [name for name in names if words and all(has_word(name, word) for word in words)]
        if matched:
            is_exact = any(spelling_key(name) == whole for name in matched)
            ranked.append((not is_exact, matched[0] != team.name, team.name, team.id, team))
    return tuple(row[-1] for row in sorted(ranked, key=lambda row: row[:-1])[:limit])


def find_players(catalogue: NameCatalogue, text: str, limit: int) -> tuple[str, ...]:
    """The players' names that have every word of the text; first the ones whose last word is the text."""
    words, whole = split_words(text), spelling_key(text)
    matched = [name for name in catalogue.players if words and all(has_word(name, word) for word in words)]
    return tuple(sorted(matched, key=lambda name: (_fold_words(name)[-1:] != (whole,), name))[:limit])
