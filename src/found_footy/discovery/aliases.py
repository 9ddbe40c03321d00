"""What a team is called by all that is known: the built-in table first, then what other sources add, else by rules."""

import re
from collections.abc import Mapping

from found_footy.discovery.alias_rules import is_abbreviation, is_usable, joined
from found_footy.discovery.entities import Side, side_of
from found_footy.discovery.known_teams import find, is_name_of_known_team, table_aliases, without_club_words
from found_footy.discovery.messages import AliasSource, TeamAliases
from found_footy.model.handoff import ResolveAliases
from found_footy.model.ids import fold
from found_footy.model.nations import without_side

_DOTTED = re.compile(r"\b(?:[A-Za-z]\.){2,}")
_INITIALS = range(3, 5)


def combined(team: str, found: Mapping[AliasSource, tuple[str, ...]]) -> tuple[str, ...]:
    """The feed's own name, the table's names, then those of the other sources. By rules if nobody knows the team."""
    if not any(found.values()):
        return rule_aliases(team)
    others = [aliases for source, aliases in found.items() if source is not AliasSource.TABLE]
    return joined(team, found.get(AliasSource.TABLE, ()), *others)


def offline_aliases(team: ResolveAliases) -> TeamAliases:
    """What can be said without asking anybody."""
    known = find(team)
    if known is None:
        return TeamAliases(rule_aliases(team.team_name), AliasSource.RULES)
    return TeamAliases(table_aliases(known, team.team_name), AliasSource.TABLE)


def rule_aliases(team: str) -> tuple[str, ...]:
    """The feed's own name, the name without club words, its initials. Never empty for a team with a name.

    Initials of two letters are everyday words too often to be any use. A name without club words that is the name of
    another club ("Barcelona SC" of Guayaquil) is left out.
    """
    undotted = _DOTTED.sub(lambda dotted: dotted.group().replace(".", ""), fold(team))
    name = " ".join(undotted.replace(".", " ").split()) or team.strip()
    telling = without_club_words(name)
    short = " ".join(telling)
    candidates = [*_of_side(name), "" if is_name_of_known_team(short) else short, _initials(telling)]
    return joined(name, [each for each in candidates if is_usable(each, team)])


def _of_side(name: str) -> tuple[str, ...]:
    """Women and youth are written about by the name of their club or country, too."""
    bare, side = without_side(name), side_of(name)
    if not bare or side not in (Side.WOMEN, Side.YOUTH):
        return ()
    return (f"{bare} Women", bare) if side is Side.WOMEN else (bare,)


def _initials(words: list[str]) -> str:
    initials = "".join(word[0] for word in words if word[0].isalpha()).upper()
    return initials if len(initials) in _INITIALS and is_abbreviation(initials) else ""
