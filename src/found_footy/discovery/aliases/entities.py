"""Chooses the football team among the Wikidata items that share a name. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from found_footy.domain.ids import fold_to_ascii
from found_footy.domain.messages import ResolveAliases

CLUB_CLASSES = frozenset({"Q476028", "Q103229495", "Q15944511"})
# Clubs of several sports; a league or a sport must show that football is one of them.
_SPORTS_CLUB_CLASSES = frozenset({"Q20639856", "Q847017", "Q13580678"})
_NATIONAL_TEAM_CLASSES = frozenset({"Q6979593", "Q135408445"})
_WOMEN_CLASSES = frozenset({"Q28140340", "Q51481377"})
_RESERVE_CLASSES = frozenset({"Q2412834"})
_YOUTH_CLASSES = frozenset({"Q131453766", "Q131453774", "Q131453798", "Q23847779", "Q23895910", "Q23904672"})
_DEFUNCT_CLASSES = frozenset({"Q94579592"})
_FOOTBALL_ITEM = "Q2736"

_WOMEN_WORDS = re.compile(r"\b(women|ladies|femen\w*|femin\w*|fem|frauen|damen|dames|w)\b", re.IGNORECASE)
_YOUTH_WORDS = re.compile(r"\b(u-?\d\d|under[- ]?\d\d|youth|academy|junioren|primavera)\b", re.IGNORECASE)
_RESERVE_WORDS = re.compile(r"\b(ii|iii|b|reserves?|castilla|amateure)$", re.IGNORECASE)
_RESERVE_TEXT = re.compile(r"\breserve (team|side)\b|\breserves\b|\bb team\b", re.IGNORECASE)
_OTHER_SPORTS = re.compile(
    r"\b(futsal|beach soccer|handball|basketball|esports|rugby|american football)\b", re.IGNORECASE
)
# First teams whose names look like those of other sides.
_FIRST_TEAMS = frozenset({"willem ii", "puskas academy"})


class TeamSide(StrEnum):
    FIRST = "first"
    WOMEN = "women"
    YOUTH = "youth"
    RESERVE = "reserve"


def detect_team_side(name: str) -> TeamSide:
    """Which side of a club or country a name means: "Arsenal W", "England U21", "Jong Ajax" and "Real Sociedad II" are
    not first teams.
    """
    plain = fold_to_ascii(name).strip()
    if plain.lower() in _FIRST_TEAMS:
        return TeamSide.FIRST
    if _WOMEN_WORDS.search(plain):
        return TeamSide.WOMEN
    if _YOUTH_WORDS.search(plain):
        return TeamSide.YOUTH
    return TeamSide.RESERVE if _RESERVE_WORDS.search(plain) or plain.lower().startswith("jong ") else TeamSide.FIRST


@dataclass(frozen=True)
class WikidataEntity:
    """A Wikidata item, reduced to the fields that the choice depends on. `names` hold label and aliases."""

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
    def name_keys(self) -> frozenset[str]:
        return frozenset(name_key(name) for name in (self.label, *self.names))

    @property
    def side(self) -> TeamSide:
        if self.classes & _WOMEN_CLASSES or _WOMEN_WORDS.search(self.description):
            return TeamSide.WOMEN
        if self.classes & _YOUTH_CLASSES or _YOUTH_WORDS.search(self.description):
            return TeamSide.YOUTH
        if self.classes & _RESERVE_CLASSES or _RESERVE_TEXT.search(self.description):
            return TeamSide.RESERVE
        return detect_team_side(self.label)

    @property
    def is_national(self) -> bool:
        return bool(self.classes & _NATIONAL_TEAM_CLASSES)

    @property
    def is_football_team(self) -> bool:
        if _OTHER_SPORTS.search(f"{self.label} {self.description}"):
            return False
        if self.classes & (CLUB_CLASSES | _NATIONAL_TEAM_CLASSES | _WOMEN_CLASSES | _RESERVE_CLASSES | _YOUTH_CLASSES):
            return not self.sports or _FOOTBALL_ITEM in self.sports
        return bool(self.classes & _SPORTS_CLUB_CLASSES) and (self.has_league or _FOOTBALL_ITEM in self.sports)


def choose_entity(
    entities: Iterable[WikidataEntity], team: ResolveAliases, countries: Sequence[str] = ()
) -> WikidataEntity | None:
    """The entity that most likely is the feed's team; None if none can be.

    `countries` are the ids of the team's country. A club of another country with the same name is never chosen.
    """
    wanted = detect_team_side(team.team_name)
    possible = [
        e for e in entities if _is_possible_match(e, team, wanted) and not _is_from_other_country(e, team, countries)
    ]
    return max(possible, key=lambda e: (_match_score(e, team, countries), e.sitelinks, e.id), default=None)


def _is_possible_match(entity: WikidataEntity, team: ResolveAliases, wanted: TeamSide) -> bool:
    return (
        entity.is_football_team
        and entity.is_national == team.national
        and entity.side is wanted
        and not entity.classes & _DEFUNCT_CLASSES
        and _has_common_word(entity, team.team_name)
    )


def _is_from_other_country(entity: WikidataEntity, team: ResolveAliases, countries: Sequence[str]) -> bool:
    """Whether a club is known to be of another country. National teams are distinguished by their names."""
    if team.national or not countries or not entity.countries:
        return False
    return not entity.countries & set(countries) and not _is_country_in_description(entity, team)


def _is_country_in_description(entity: WikidataEntity, team: ResolveAliases) -> bool:
    return bool(team.country) and name_key(team.country or "") in name_key(entity.description)


def _match_score(entity: WikidataEntity, team: ResolveAliases, countries: Sequence[str]) -> float:
    score = 4.0 if name_key(team.team_name) in entity.name_keys else 0.0
    score += 3.0 if entity.countries & set(countries) or _is_country_in_description(entity, team) else 0.0
    score += 1.0 if "Q135408445" in entity.classes or entity.classes & CLUB_CLASSES else 0.0
    score -= 3.0 if entity.dissolved else 0.0
    return score + min(entity.sitelinks, 200) / 100


def _has_common_word(entity: WikidataEntity, name: str) -> bool:
    """A match on "FC" alone does not count."""
    words = set(name_key(name).split())
    return not words or any(words & set(own.split()) for own in entity.name_keys)


_CLUB_AFFIXES = re.compile(r"\b(a\.?f\.?c|a\.?c|a\.?s|c\.?f|f\.?c|f\.?k|s\.?c|s\.?k|s\.?v|club|de|the|football)\b\.?")
_SEPARATORS = re.compile(r"[^a-z0-9 ]+")


def name_key(name: str) -> str:
    """A name for comparison: ASCII, lower case, without FC and similar words; unchanged if nothing else is left."""
    lower = fold_to_ascii(name).lower()
    bare = " ".join(_SEPARATORS.sub(" ", _CLUB_AFFIXES.sub(" ", lower)).split())
    return bare or " ".join(_SEPARATORS.sub(" ", lower).split())
