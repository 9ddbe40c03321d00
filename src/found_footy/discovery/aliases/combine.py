"""Combines a team's aliases: the built-in table first, then other sources, else rules."""

import re
from collections.abc import Mapping
from dataclasses import replace

from found_footy.discovery.aliases.entities import TeamSide, detect_team_side
from found_footy.discovery.aliases.rules import is_abbreviation, is_usable_alias, merge_aliases
from found_footy.discovery.aliases.table import drop_club_words, find_known_team, is_known_team_name, table_aliases
from found_footy.discovery.messages import AliasSource, TeamAliases
from found_footy.domain.ids import fold_to_ascii
from found_footy.domain.messages import Goal, ResolveAliases
from found_footy.domain.national_teams import strip_squad_suffix

_DOTTED_INITIALS = re.compile(r"\b(?:[A-Za-z]\.){2,}")
_INITIALS_LENGTHS = range(3, 5)


def combine_aliases(team: str, found: Mapping[AliasSource, tuple[str, ...]]) -> tuple[str, ...]:
    """The feed's name, the table's names, then those of the other sources; by rules if no source knows the team."""
    if not any(found.values()):
        return rule_aliases(team)
    others = [aliases for source, aliases in found.items() if source is not AliasSource.TABLE]
    return merge_aliases(team, found.get(AliasSource.TABLE, ()), *others)


def offline_aliases(team: ResolveAliases) -> TeamAliases:
    """Aliases without any request: from the built-in table or by rules."""
    known = find_known_team(team)
    if known is None:
        return TeamAliases(rule_aliases(team.team_name), AliasSource.RULES)
    return TeamAliases(table_aliases(known, team.team_name), AliasSource.TABLE)


def add_aliases(goal: Goal, aliases: tuple[str, ...]) -> Goal:
    """The goal with the aliases of its team, and those of the opponent that need no request."""
    is_home = goal.team_name == goal.home_name
    opponent = goal.away_name if is_home else goal.home_name
    theirs = offline_aliases(ResolveAliases(0, opponent, goal.country, bool(goal.national))).aliases if opponent else ()
    home, away = (aliases, theirs) if is_home else (theirs, aliases)
    return replace(goal, home_aliases=home, away_aliases=away)


def opponent_names(goal: Goal) -> tuple[str, ...]:
    """The names of the team that did not score."""
    is_home = goal.team_name == goal.home_name
    name, aliases = (goal.away_name, goal.away_aliases) if is_home else (goal.home_name, goal.home_aliases)
    return (name, *aliases) if name else ()


def rule_aliases(team: str) -> tuple[str, ...]:
    """The feed's name, the name without club words, its initials. Never empty for a team with a name.

    Initials of two letters are too often everyday words. A name without club words that is the name of another club
    ("Barcelona SC" of Guayaquil) is left out.
    """
    undotted = _DOTTED_INITIALS.sub(lambda dotted: dotted.group().replace(".", ""), fold_to_ascii(team))
    name = " ".join(undotted.replace(".", " ").split()) or team.strip()
    telling = drop_club_words(name)
    short = " ".join(telling)
    candidates = [*_aliases_of_side(name), "" if is_known_team_name(short) else short, _initials(telling)]
    return merge_aliases(name, [each for each in candidates if is_usable_alias(each, team)])


def _aliases_of_side(name: str) -> tuple[str, ...]:
    """Posts also call women's and youth teams by the name of their club or country."""
    bare, side = strip_squad_suffix(name), detect_team_side(name)
    if not bare or side not in (TeamSide.WOMEN, TeamSide.YOUTH):
        return ()
    return (f"{bare} Women", bare) if side is TeamSide.WOMEN else (bare,)


def _initials(words: list[str]) -> str:
    initials = "".join(word[0] for word in words if word[0].isalpha()).upper()
    return initials if len(initials) in _INITIALS_LENGTHS and is_abbreviation(initials) else ""
