"""Which names of a team are worth searching for, and in which order. Pure.

Names come from a source that anybody may edit, and each one widens the search. So they are limited in length,
charset and number, and a name that consists of stop words is not used.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from found_footy.discovery.aliases.entities import TeamSide, detect_team_side, name_key
from found_footy.discovery.query.stop_words import is_stop_word
from found_footy.domain.ids import fold_to_ascii

MAX_ALIASES = 8
MAX_ALIAS_LENGTH = 40
_MAX_ALIAS_WORDS = 3
_MIN_ALIAS_LENGTH = 3
_ABBREVIATION = re.compile(r"[A-Z][A-Z0-9]{1,3}")
_YEAR = re.compile(r"\b(1[89]|20)\d\d\b")
_FORBIDDEN_TEXT = re.compile(r"[()\[\]{}<>|@#$%^*_=+~`\"\\]|://|www\.|\.(com|org|net|co)\b|:", re.IGNORECASE)
# Articles before a nickname: a search for "Atleti" finds "El Atleti" too.
_ARTICLES = frozenset(
    ["the", "el", "la", "los", "las", "le", "les", "il", "lo", "gli", "i", "o", "os", "as", "a", "der", "die", "das"]
)
# A shorter word without its article ("La Real", "El Tri") means something else.
_MIN_LENGTH_WITHOUT_ARTICLE = 5
_PLACE_NAMES_WITH_ARTICLE = frozenset(
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


class NameKind(StrEnum):
    """The kind of a name. Ranked by `_RANK_BY_KIND`."""

    LABEL = "label"
    SHORT = "short"
    NICK = "nick"
    OFFICIAL = "official"
    ALIAS = "alt"


@dataclass(frozen=True)
class TeamName:
    text: str
    kind: NameKind = NameKind.ALIAS
    language: str = "en"


_RANK_BY_KIND = {NameKind.SHORT: 2, NameKind.NICK: 3, NameKind.LABEL: 4, NameKind.ALIAS: 4, NameKind.OFFICIAL: 5}
LANGUAGES = ("en", "mul", "es", "de", "fr", "it", "pt")


def rank_aliases(team: str, names: Iterable[TeamName], limit: int = MAX_ALIASES) -> tuple[str, ...]:
    """The feed's name first, then abbreviations, short names, nicknames and the rest. Empty if no name is usable: the
    feed's name alone is no result.
    """
    usable = sorted(
        (name for name in names if is_usable_alias(name.text, team) and is_commonly_written(name.text, team)),
        key=_sort_key,
    )
    if not usable:
        return ()
    return merge_aliases(team, [strip_article(tidy_name(name.text), team) for name in usable], limit=limit)


def merge_aliases(team: str, *sources: Iterable[str], limit: int = MAX_ALIASES) -> tuple[str, ...]:
    """The feed's name, then the usable names of each source that find posts which those before them do not."""
    distinct = [tidy_name(team)]
    for alias in (tidy_name(text) for source in sources for text in source if is_usable_alias(text, team)):
        if not any(_is_phrase_in(known, alias) for known in distinct):
            distinct.append(alias)
    return tuple(distinct[:limit])


def strip_article(name: str, team: str) -> str:
    """A nickname without its article. Names of places, and the team's own name, keep theirs."""
    article, _, rest = name.partition(" ")
    if fold_to_ascii(article).lower() not in _ARTICLES or len(rest) < _MIN_LENGTH_WITHOUT_ARTICLE:
        return name
    is_place = fold_to_ascii(rest).lower().split()[0] in _PLACE_NAMES_WITH_ARTICLE or _word_set(name) <= _word_set(team)
    return name if is_place or not is_usable_alias(rest, team) else rest


def is_usable_alias(text: str, team: str) -> bool:
    clean = tidy_name(text)
    words = clean.split()
    if not 0 < len(clean) <= MAX_ALIAS_LENGTH or len(words) > _MAX_ALIAS_WORDS:
        return False
    if not _is_latin(clean) or _YEAR.search(clean) or _FORBIDDEN_TEXT.search(clean) or clean.isdigit():
        return False
    if len(clean) < _MIN_ALIAS_LENGTH and not is_abbreviation(clean):
        return False
    if all(is_stop_word(word) for word in words):
        return False
    return detect_team_side(clean) in (TeamSide.FIRST, detect_team_side(team))


def is_commonly_written(text: str, team: str) -> bool:
    """ "Atletico of Madrid", a translated name, is not written in posts, unless the feed itself uses such a name."""
    return "of" not in text.lower().split()[1:] or "of" in team.lower().split()


def is_abbreviation(text: str) -> bool:
    return _ABBREVIATION.fullmatch(text) is not None


def tidy_name(text: str) -> str:
    """Without dots in abbreviations and without double spaces: "A.C. Milan" becomes AC Milan."""
    undotted = re.sub(r"\b(?:\w\.){2,}", lambda found: found.group().replace(".", ""), text)
    return " ".join(re.sub(r"(?<=\w)\.(?=\s|$)", "", undotted).split())


def drop_opponent_aliases(aliases: Sequence[str], team: str, opponent: str) -> tuple[str, ...]:
    """Drop the aliases that also mean the opponent, such as "Manchester" or "Madrid" in a derby."""
    theirs = set(name_key(opponent).split())
    own = [
        alias for alias in aliases if _word_set(alias) == _word_set(team) or not set(name_key(alias).split()) <= theirs
    ]
    return tuple(own) if theirs else tuple(aliases)


def _sort_key(name: TeamName) -> tuple[int, int, int, str]:
    clean = tidy_name(name.text)
    rank = 1 if is_abbreviation(clean) else _RANK_BY_KIND[name.kind]
    language = name.language.partition("-")[0]
    known = LANGUAGES.index(language) if language in LANGUAGES else len(LANGUAGES)
    return (rank, known, len(clean), clean)


def _is_phrase_in(phrase: str, text: str) -> bool:
    """Whether every post with `text` also contains `phrase`: Porto finds what FC Porto finds, not the reverse."""
    sought, words = fold_to_ascii(phrase).lower().split(), fold_to_ascii(text).lower().split()
    return any(words[place : place + len(sought)] == sought for place in range(len(words) - len(sought) + 1))


def _word_set(text: str) -> frozenset[str]:
    return frozenset(fold_to_ascii(tidy_name(text)).lower().split())


def _is_latin(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return bool(letters) and all("LATIN" in unicodedata.name(c, "") for c in letters)
