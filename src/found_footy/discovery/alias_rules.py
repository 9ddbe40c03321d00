"""Which of the names that a source has for a team are worth searching by, and in which order. Pure.

Names come from a place that anybody may edit, and each one widens the search. So they are capped in length, charset
and number, and a name made of everyday words alone is not taken.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from found_footy.discovery.entities import Side, plain, side_of
from found_footy.discovery.everyday import is_everyday
from found_footy.model.ids import fold

MOST_ALIASES = 8
LONGEST_ALIAS = 40
_MOST_WORDS = 3
_SHORTEST = 3
_ABBREVIATION = re.compile(r"[A-Z][A-Z0-9]{1,3}")
_YEAR = re.compile(r"\b(1[89]|20)\d\d\b")
_UNWANTED = re.compile(r"[()\[\]{}<>|@#$%^*_=+~`\"\\]|://|www\.|\.(com|org|net|co)\b|:", re.IGNORECASE)
# Articles before a nickname: a search for "Atleti" finds "El Atleti" too.
_ARTICLES = frozenset(
    ["the", "el", "la", "los", "las", "le", "les", "il", "lo", "gli", "i", "o", "os", "as", "a", "der", "die", "das"]
)
# A shorter word without its article ("La Real", "El Tri") means something else.
_SHORTEST_WITHOUT_ARTICLE = 5
_PLACES = frozenset(
    [
        "angeles",
        "calera",
        "coruna",
        "havre",
        "louviere",
        "mans",
        "palmas",
        "plata",
        "salvador",
        "serena",
        "spezia",
        "vegas",
    ]
)


class Kind(StrEnum):
    """Where a name comes from. Ranked in the order of `_RANK`."""

    LABEL = "label"
    SHORT = "short"
    NICK = "nick"
    OFFICIAL = "official"
    ALIAS = "alt"


@dataclass(frozen=True)
class Name:
    text: str
    kind: Kind = Kind.ALIAS
    language: str = "en"


_RANK = {Kind.SHORT: 2, Kind.NICK: 3, Kind.LABEL: 4, Kind.ALIAS: 4, Kind.OFFICIAL: 5}
_LANGUAGES = ("en", "mul", "es", "de", "fr", "it", "pt")


def ranked(team: str, names: Iterable[Name], most: int = MOST_ALIASES) -> tuple[str, ...]:
    """The feed's own name first, then abbreviations, short names, nicknames and the rest. Empty if no name is usable:
    what a team is called by the feed alone is not knowledge.
    """
    usable = sorted((name for name in names if is_usable(name.text, team) and is_written(name.text, team)), key=_order)
    if not usable:
        return ()
    return joined(team, [without_article(tidy(name.text), team) for name in usable], most=most)


def joined(team: str, *sources: Iterable[str], most: int = MOST_ALIASES) -> tuple[str, ...]:
    """The feed's own name, then the usable names of each source in turn that find what those before them do not."""
    distinct = [tidy(team)]
    for alias in (tidy(text) for source in sources for text in source if is_usable(text, team)):
        if not any(_finds_as_much(known, alias) for known in distinct):
            distinct.append(alias)
    return tuple(distinct[:most])


def without_article(name: str, team: str) -> str:
    """A nickname without its article. Names of places, and what the team itself is called, keep theirs."""
    article, _, rest = name.partition(" ")
    if fold(article).lower() not in _ARTICLES or len(rest) < _SHORTEST_WITHOUT_ARTICLE:
        return name
    is_place = fold(rest).lower().split()[0] in _PLACES or _words(name) <= _words(team)
    return name if is_place or not is_usable(rest, team) else rest


def is_usable(text: str, team: str) -> bool:
    clean = tidy(text)
    words = clean.split()
    if not 0 < len(clean) <= LONGEST_ALIAS or len(words) > _MOST_WORDS:
        return False
    if not _is_latin(clean) or _YEAR.search(clean) or _UNWANTED.search(clean) or clean.isdigit():
        return False
    if len(clean) < _SHORTEST and not is_abbreviation(clean):
        return False
    if all(is_everyday(word) for word in words):
        return False
    return side_of(clean) in (Side.FIRST, side_of(team))


def is_written(text: str, team: str) -> bool:
    """Nobody writes "Atletico of Madrid", the translation of a name. A team that the feed calls so is written so."""
    return "of" not in text.lower().split()[1:] or "of" in team.lower().split()


def is_abbreviation(text: str) -> bool:
    return _ABBREVIATION.fullmatch(text) is not None


def tidy(text: str) -> str:
    """Without dots in abbreviations and without doubled blanks: "A.C. Milan" is written AC Milan."""
    undotted = re.sub(r"\b(?:\w\.){2,}", lambda found: found.group().replace(".", ""), text)
    return " ".join(re.sub(r"(?<=\w)\.(?=\s|$)", "", undotted).split())


def without_opponent(aliases: Sequence[str], team: str, opponent: str) -> tuple[str, ...]:
    """The aliases that do not mean the other side just as well, such as "Manchester" or "Madrid" in a derby."""
    theirs = set(plain(opponent).split())
    own = [alias for alias in aliases if _words(alias) == _words(team) or not set(plain(alias).split()) <= theirs]
    return tuple(own) if theirs else tuple(aliases)


def _order(name: Name) -> tuple[int, int, int, str]:
    clean = tidy(name.text)
    rank = 1 if is_abbreviation(clean) else _RANK[name.kind]
    language = name.language.partition("-")[0]
    known = _LANGUAGES.index(language) if language in _LANGUAGES else len(_LANGUAGES)
    return (rank, known, len(clean), clean)


def _finds_as_much(known: str, other: str) -> bool:
    """Whether a post that has the other name has this one too: Porto finds what FC Porto does, not the reverse."""
    sought, words = fold(known).lower().split(), fold(other).lower().split()
    return any(words[place : place + len(sought)] == sought for place in range(len(words) - len(sought) + 1))


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(tidy(text)).lower().split())


def _is_latin(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return bool(letters) and all("LATIN" in unicodedata.name(c, "") for c in letters)
