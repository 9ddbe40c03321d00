"""Reads the scorer's name from a part of a post title, without the words that describe the goal. Pure."""

import re
from dataclasses import dataclass

from found_footy.discovery.sources.reddit.title_words import (
    DESCRIPTION,
    NAME_PARTICLES,
    OWN_GOAL,
    PENALTY,
    SENDING_OFF,
    SENTENCE,
)

_MAX_NAME_WORDS = 5
_MAX_NAME_LENGTH = 45
_POSSESSIVE = re.compile(r"'s?$")
# "Saka penalty + Colwill red card": the second is another's.
_ADDED_PART = re.compile(r"(?<=\w)\s+\+\s?(?=[^\W\d_]).*")
_EDGES = " -:|,;'!?*_/+&~"


@dataclass(frozen=True)
class ScorerReading:
    """`name` is None if the part names nobody; `has_other_words` if it says more than a name and a description."""

    name: str | None = None
    has_other_words: bool = False


def read_scorer(part: str) -> ScorerReading:
    bare = _ADDED_PART.sub("", part)
    for described in (OWN_GOAL, PENALTY, SENDING_OFF, DESCRIPTION):
        bare = described.sub(" ", bare)
    words = [word for word in (_tidy_word(word) for word in bare.split()) if word]
    named = _take_name(words)
    name = " ".join(named)
    if not named or len(name) > _MAX_NAME_LENGTH:
        return ScorerReading(None, bool(words))
    return ScorerReading(name, len(named) < len(words))


def _take_name(words: list[str]) -> list[str]:
    """The words up to the first that belongs to no name. Titles in lower case throughout have names in lower case."""
    if words and all(word.islower() for word in words):
        return words if len(words) <= _MAX_NAME_WORDS and not SENTENCE.search(" ".join(words)) else []
    taken: list[str] = []
    for word in words:
        if not _is_name_word(word) or len(taken) == _MAX_NAME_WORDS:
            break
        taken.append(word)
    while taken and taken[-1] in NAME_PARTICLES:
        taken.pop()
    return taken


def _is_name_word(word: str) -> bool:
    if any(c.isdigit() for c in word) or not any(c.isalpha() for c in word):
        return False
    return word in NAME_PARTICLES or any(c.isupper() for c in word) or not any(c.islower() for c in word)


def _tidy_word(word: str) -> str:
    return _POSSESSIVE.sub("", word.strip(_EDGES)).strip(_EDGES)
