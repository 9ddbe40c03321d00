"""What a team is called, by rules alone: the last resort when nothing better is known."""

import re

from found_footy.model.ids import fold

MOST_ALIASES = 8
_CLUB_WORDS = (
    "ac acf afc as bk bsc bv ca cd cf club cp de ec fbc fc ff fk fsv gnk hsc if ifk jk kf kv nk ogc ok pfc rb rc rcd "
    "rsc sad sc sd sk sl spvgg ss ssc sv tsg tsv ud us vfb vfl"
)
_DOTTED = re.compile(r"\b(?:[A-Za-z]\.){2,}")
_SHORTEST_WORD = 3
_ABBREVIATION = range(2, 5)


def rule_aliases(team: str) -> tuple[str, ...]:
    """The feed's own name, the name without club words, its initials. Never empty for a team with a name."""
    undotted = _DOTTED.sub(lambda dotted: dotted.group().replace(".", ""), fold(team))
    words = undotted.replace(".", " ").split()
    telling = [word for word in words if word.lower() not in _CLUB_WORDS.split() and not word.isdigit()]
    short = " ".join(telling) if telling else ""
    candidates = [" ".join(words) or team.strip(), short, _initials(telling)]
    return tuple(dict.fromkeys(c for c in candidates if len(c) >= _SHORTEST_WORD or c.isupper()))[:MOST_ALIASES] or (
        team.strip(),
    )


def _initials(words: list[str]) -> str:
    initials = "".join(word[0] for word in words if word[0].isalpha()).upper()
    return initials if len(words) > 1 and len(initials) in _ABBREVIATION else ""
