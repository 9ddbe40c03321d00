"""Which of the things that share a name is the football team that is meant. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from found_footy.model.handoff import ResolveAliases
from found_footy.model.ids import fold

_CLUBS = frozenset({"Q476028", "Q103229495", "Q15944511"})
# Clubs of several sports; a league or a sport must say that football is one of them.
_SPORTS_CLUBS = frozenset({"Q20639856", "Q847017", "Q13580678"})
_NATIONAL = frozenset({"Q6979593", "Q135408445"})
_WOMEN = frozenset({"Q28140340", "Q51481377"})
_RESERVE = frozenset({"Q2412834"})
_YOUTH = frozenset({"Q131453766", "Q131453774", "Q131453798", "Q23847779", "Q23895910", "Q23904672"})
_DEFUNCT = frozenset({"Q94579592"})
_FOOTBALL = "Q2736"

_WOMEN_WORDS = re.compile(r"\b(women|ladies|femen\w*|femin\w*|fem|frauen|damen|dames|w)\b", re.IGNORECASE)
_YOUTH_WORDS = re.compile(r"\b(u-?\d\d|under[- ]?\d\d|youth|academy|junioren|primavera)\b", re.IGNORECASE)
_RESERVE_WORDS = re.compile(r"\b(ii|iii|b|reserves?|castilla|amateure)$", re.IGNORECASE)
_RESERVE_TEXT = re.compile(r"\breserve (team|side)\b|\breserves\b|\bb team\b", re.IGNORECASE)
_OTHER_GAMES = re.compile(
    r"\b(futsal|beach soccer|handball|basketball|esports|rugby|american football)\b", re.IGNORECASE
)
# A first team in spite of its name.
_FIRST_TEAMS = frozenset({"willem ii", "puskas academy"})


class Side(StrEnum):
    FIRST = "first"
    WOMEN = "women"
    YOUTH = "youth"
    RESERVE = "reserve"


def side_of(name: str) -> Side:
    """Which side of a club or country a name asks for: "Arsenal W", "England U21", "Jong Ajax" and "Real Sociedad II"
    ask for others than the first team.
    """
    plain = fold(name).strip()
    if plain.lower() in _FIRST_TEAMS:
        return Side.FIRST
    if _WOMEN_WORDS.search(plain):
        return Side.WOMEN
    if _YOUTH_WORDS.search(plain):
        return Side.YOUTH
    return Side.RESERVE if _RESERVE_WORDS.search(plain) or plain.lower().startswith("jong ") else Side.FIRST


@dataclass(frozen=True)
class Entity:
    """An item of the knowledge base, reduced to what the choice depends on. `names` hold label and aliases."""

    id: str
    label: str
    description: str = ""
    names: tuple[str, ...] = ()
    classes: frozenset[str] = frozenset()
    countries: frozenset[str] = frozenset()
    sports: frozenset[str] = frozenset()
    has_league: bool = False
    dissolved: bool = False
    sitelinks: int = 0
    statements: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def plain_names(self) -> frozenset[str]:
        return frozenset(plain(name) for name in (self.label, *self.names))

    @property
    def side(self) -> Side:
        if self.classes & _WOMEN or _WOMEN_WORDS.search(self.description):
            return Side.WOMEN
        if self.classes & _YOUTH or _YOUTH_WORDS.search(self.description):
            return Side.YOUTH
        if self.classes & _RESERVE or _RESERVE_TEXT.search(self.description):
            return Side.RESERVE
        return side_of(self.label)

    @property
    def is_national(self) -> bool:
        return bool(self.classes & _NATIONAL)

    @property
    def plays_football(self) -> bool:
        if _OTHER_GAMES.search(f"{self.label} {self.description}"):
            return False
        if self.classes & (_CLUBS | _NATIONAL | _WOMEN | _RESERVE | _YOUTH):
            return not self.sports or _FOOTBALL in self.sports
        return bool(self.classes & _SPORTS_CLUBS) and (self.has_league or _FOOTBALL in self.sports)


def choose(entities: Iterable[Entity], team: ResolveAliases, countries: Sequence[str] = ()) -> Entity | None:
    """The entity that the feed's team most likely is; None if none can be.

    `countries` are the ids of the team's country. A namesake of another country is never taken for it.
    """
    wanted = side_of(team.team_name)
    possible = [e for e in entities if _could_be(e, team, wanted) and not _elsewhere(e, team, countries)]
    return max(possible, key=lambda e: (_score(e, team, countries), e.sitelinks, e.id), default=None)


def _could_be(entity: Entity, team: ResolveAliases, wanted: Side) -> bool:
    return (
        entity.plays_football
        and entity.is_national == team.national
        and entity.side is wanted
        and not entity.classes & _DEFUNCT
        and _shares_a_word(entity, team.team_name)
    )


def _elsewhere(entity: Entity, team: ResolveAliases, countries: Sequence[str]) -> bool:
    """Known to be of another country. National teams are told apart by their names, so this is for clubs."""
    if team.national or not countries or not entity.countries:
        return False
    return not entity.countries & set(countries) and not _described(entity, team)


def _described(entity: Entity, team: ResolveAliases) -> bool:
    return bool(team.country) and plain(team.country or "") in plain(entity.description)


def _score(entity: Entity, team: ResolveAliases, countries: Sequence[str]) -> float:
    score = 4.0 if plain(team.team_name) in entity.plain_names else 0.0
    score += 3.0 if entity.countries & set(countries) or _described(entity, team) else 0.0
    score += 1.0 if "Q135408445" in entity.classes or entity.classes & _CLUBS else 0.0
    score -= 3.0 if entity.dissolved else 0.0
    return score + min(entity.sitelinks, 200) / 100


def _shares_a_word(entity: Entity, name: str) -> bool:
    """A hit on nothing but "FC" is no hit."""
    words = set(plain(name).split())
    return not words or any(words & set(own.split()) for own in entity.plain_names)


_AFFIXES = re.compile(r"\b(a\.?f\.?c|a\.?c|a\.?s|c\.?f|f\.?c|f\.?k|s\.?c|s\.?k|s\.?v|club|de|the|football)\b\.?")
_SEPARATORS = re.compile(r"[^a-z0-9 ]+")


def plain(name: str) -> str:
    """A name for comparing: folded, lower case, without FC and its relatives; as it is if nothing else is left."""
    lower = fold(name).lower()
    bare = " ".join(_SEPARATORS.sub(" ", _AFFIXES.sub(" ", lower)).split())
    return bare or " ".join(_SEPARATORS.sub(" ", lower).split())
