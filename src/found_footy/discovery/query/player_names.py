"""Which words of a player's name people write when they post his goal."""

import re
import unicodedata
from collections.abc import Callable

from found_footy.discovery.query.stop_words import is_stop_word
from found_footy.domain.ids import fold_to_ascii

MAX_NAMES = 4


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that never identify a player on their own.
_PARTICLES = _word_set(
    "al av af aus ap abd bin bint da das de del della dei degli den der des di do dos du e el van von vom y zu zum "
    "ibn la las le les lo los mac mc o st ten ter und op t"
)
_SUFFIXES = _word_set("junior jr filho neto sobrinho sr senior ii iii iv")
# Given names so common that they find other players' goals; dropped only if a more distinctive word follows.
_COMMON_GIVEN_NAMES = _word_set(
    "abdul abdullah adam ahmad ahmed aleksandar alejandro alessandro alex alexander alexandre alexis ali amine andre "
    "andrea andreas andrew andrey anthony antonio arthur ben benjamin bernard brian bryan carlos charles charlie chris "
    "christian christopher cristian daniel danny dave david diego dominic edward emmanuel enrique eric erik federico "
    "felipe fernando francesco francisco francois frank george giovanni giuseppe guillermo gustavo hamza harry "
    "hassan henry hugo hussein ibrahim ivan jack jacob jaime jake jakub james jan jason javier jean jesus joao joe "
    "joel johan john jon jonas jonathan jordan jorge jose josef joseph josh joshua juan julian julien karim kevin "
    "khaled kyle lars laurent leo leon lewis liam lorenzo louis luca lucas luis luka lukas luke luiz mahmoud manuel "
    "marc marco marcos marcus mario mark marko martin mateo matheus mathieu matt matteo matthew max maxime michael "
    "michel miguel mike milan mohamad mohamed mohammad mohammed moussa muhammad mustafa nathan nicholas nick nicolas "
    "nikola noah oliver omar oscar pablo patrick paul paulo pedro peter philip philippe pierre piotr rafael ricardo "
    "richard rob robert roberto rodrigo romain ryan said sam samuel santiago scott sebastian sergei sergey sergio "
    "simon stefan stephen steve steven thiago thomas tim tom tomas tommy tony tyler vincent victor wesley will william "
    "yassine youssef yusuf"
)
_INITIALS_PATTERN = re.compile(r"[a-z](?:[. ]+[a-z])*\.?", re.IGNORECASE)
# A shorter syllable ("Min", "In") on its own matches half of all posts.
_MIN_DISTINCTIVE_LENGTH = 4
# Suffixes that many players are known by. "Jr." is not one of them.
_DISTINCTIVE_SUFFIXES = _word_set("neto filho junior sobrinho")


def extract_player_search_names(player: str) -> tuple[str, ...]:
    """The terms to search a player by, in the order of his name; at least one for any name with a letter in it.

    A term of several words ("Heung Min") is a phrase. Accents are removed, because posts rarely have them.
    """
    names = [term for word in fold_to_ascii(player).split() for term in _split_word(word)]
    for unwanted in (_is_initials, _is_particle):
        names = _drop_unless_empty(names, unwanted)
    names = _deduplicate(_drop_trailing_stop_word(_drop_common_given_names(_drop_suffixes(names))))
    return (*names[:1], *names[1:][1 - MAX_NAMES :]) or _original_script_name(player)


def _split_word(word: str) -> list[str]:
    """A word as posts have it: split at hyphens, but kept as a phrase if a single syllable is not distinctive."""
    clean = re.sub(r"[^A-Za-z0-9.'-]", "", word)
    parts = [part for part in (piece.strip("'") for piece in clean.split("-")) if part.strip(".'")]
    telling = [part for part in parts if not _is_particle(part)]
    if len(telling) > 1 and min(map(len, telling)) < _MIN_DISTINCTIVE_LENGTH:
        return [" ".join(telling)]
    return telling or parts


def _drop_unless_empty(names: list[str], unwanted: Callable[[str], bool]) -> list[str]:
    """The names without the unwanted ones, or all of them if none would remain."""
    return [name for name in names if not unwanted(name)] or names


def _drop_suffixes(names: list[str]) -> list[str]:
    """ "Vinicius Junior" is Vinicius, but "Pedro Neto" is Neto: there are too many Pedros."""
    rest = [name for name in names if not _is_suffix(name)]
    if any(_is_distinctive(name) for name in rest):
        return rest
    return [name for name in names if not _is_suffix(name) or _normalize_word(name) in _DISTINCTIVE_SUFFIXES] or names


def _drop_common_given_names(names: list[str]) -> list[str]:
    """Drop a common given name only before a more distinctive word; the last word is not a given name."""
    return [
        name
        for place, name in enumerate(names)
        if not (_is_common_given_name(name) and any(_is_distinctive(later) for later in names[place + 1 :]))
    ]


def _drop_trailing_stop_word(names: list[str]) -> list[str]:
    """A stop word at the end of a name matches every post. It is dropped beside a longer word, else searched as one
    phrase with the words before it. A single stop word stays: nobody writes "E Can", and posts must name the team
    too.
    """
    if not names or not is_stop_word(names[-1]):
        return names
    if any(len(name) >= _MIN_DISTINCTIVE_LENGTH for name in names[:-1]):
        return names[:-1]
    return [" ".join(names)]


def _is_distinctive(name: str) -> bool:
    """Whether a word alone identifies the player."""
    return len(name) >= _MIN_DISTINCTIVE_LENGTH and not _is_common_given_name(name) and not is_stop_word(name)


def _is_initials(name: str) -> bool:
    return _INITIALS_PATTERN.fullmatch(name) is not None


def _is_suffix(name: str) -> bool:
    return _normalize_word(name) in _SUFFIXES


def _is_particle(name: str) -> bool:
    return _normalize_word(name) in _PARTICLES


def _is_common_given_name(name: str) -> bool:
    return _normalize_word(name) in _COMMON_GIVEN_NAMES


def _normalize_word(name: str) -> str:
    return name.lower().strip(".")


def _deduplicate(names: list[str]) -> list[str]:
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(_normalize_word(name), name.strip("."))
    return list(first.values())


def _original_script_name(player: str) -> tuple[str, ...]:
    """The last word of a name in another script, which conversion to ASCII would empty."""
    letters = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in player)
    return tuple(letters.split()[-1:])
