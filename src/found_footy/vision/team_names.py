"""Whether a name in a score bug is that of a team, as broadcasters abbreviate it and as text recognition misreads it.

Pure. A name fits a team strongly (its name, a word of it, a usual abbreviation, one letter misread), weakly (letters of
its name in their order), possibly (one letter misread, or taken for one that looks like it, but exactly the usual code
of another team), or not at all.
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache

from found_footy.domain.ids import fold_to_ascii
from found_footy.domain.known_teams import known_teams

# What text recognition takes for each other.
_CONFUSED_CHARACTERS = str.maketrans({"0": "O", "1": "I", "5": "S", "8": "B", "|": "I", "!": "I"})
# Letters that small print makes look alike. A name misread like this is nobody's, unless another team has that code.
_SIMILAR_LETTERS = ("MNHW", "UVY", "CGOQD", "EF", "PR", "ILTJ", "KX")
_CLUB_WORDS = """
AC ACF AFC AS BK BSC CA CD CF CLUB CP DE EC FC FK FSV IF JK KV LE NK OGC RC RCD SAD SC SD SK SL SS SSC SV THE TSG UD US
VFB VFL
"""
# Words of many teams' names: alone they name none.
_COMMON_WORDS = """
ATHLETIC ATLETICO CITY CLUB COUNTY DEPORTIVO DYNAMO INTER REAL ROVERS SAINT SPORT SPORTING STADE TOWN UNION UNITED
WANDERERS WOMEN
"""
# Abbreviations of teams that score bugs also write for other things.
_EVERYDAY_CODES = frozenset({"MIN", "FIN", "COM", "PEN", "AGG", "LIVE"})
_MIN_WORD_LENGTH, _MIN_CODE_LENGTH, _MAX_CODE_LENGTH, _MIN_NAME_LENGTH = 4, 3, 4, 5
# In names of this length one letter may be replaced by any other.
_MIN_LENGTH_FOR_SUBSTITUTION = 6


class NameFit(IntEnum):
    NONE = 0
    POSSIBLE = 1
    WEAK = 2
    STRONG = 3


@dataclass(frozen=True)
class TeamForms:
    """The texts that mean a team, folded. `has_usual_code` if the built-in table has its abbreviations."""

    forms: frozenset[str]
    letters: frozenset[str]
    has_usual_code: bool


def fold_name(text: str) -> str:
    """Upper case, ASCII letters and digits, single spaces."""
    return " ".join(re.sub(r"[^A-Z0-9|!]+", " ", fold_to_ascii(text).upper().replace("'", "")).split())


def fit_name(text: str, names: tuple[str, ...]) -> NameFit:
    """How well a text of a score bug fits the team with these names."""
    team, read = collect_forms(names), _fold_confused(fold_name(text))
    if read in team.forms:
        return NameFit.STRONG
    is_other_code = team.has_usual_code and is_usual_code(text)
    if any(_is_misread_text(read, form) for form in team.forms):
        return NameFit.POSSIBLE if is_other_code else NameFit.STRONG
    if is_usual_code(text) and any(_looks_like(read, form) for form in team.forms):
        return NameFit.POSSIBLE
    is_short = _MIN_CODE_LENGTH <= len(read) <= _MAX_CODE_LENGTH
    if is_short and any(_is_abbreviation(read, letters) for letters in team.letters):
        return NameFit.NONE if is_other_code else NameFit.WEAK
    return NameFit.NONE


def reads_like_known_team(text: str) -> bool:
    """Whether the text is exactly the name or the usual abbreviation of a team in the built-in table."""
    folded = fold_name(text)
    return is_usual_code(text) or (len(folded) >= _MIN_NAME_LENGTH and folded in _known_names())


def is_usual_code(text: str) -> bool:
    return len(fold_name(text)) >= _MIN_CODE_LENGTH and is_known_code(text)


def is_known_code(text: str) -> bool:
    """Whether it is the code of a team, however short: OM, AZ."""
    return fold_name(text) in _known_codes() - _EVERYDAY_CODES


@lru_cache(maxsize=512)
def collect_forms(names: tuple[str, ...]) -> TeamForms:
    folded = [fold_name(name) for name in names if fold_name(name)]
    codes = {code for name in folded for code in _codes_by_name().get(name, ())}
    bare = [words for name in folded if (words := _drop_club_words(name))]
    forms = {*folded, *codes, *(" ".join(words) for words in bare)}
    for words in bare:
        forms |= {word for word in words if len(word) >= _MIN_WORD_LENGTH and word not in _COMMON_WORDS.split()}
        forms |= _derive_codes(words)
    return TeamForms(
        frozenset(map(_fold_confused, forms)), frozenset(_fold_confused("".join(words)) for words in bare), bool(codes)
    )


def _derive_codes(words: list[str]) -> set[str]:
    """Abbreviations as broadcasters make them: SEV, RMA and MCI, ATM, and the initials of three words and more."""
    codes = {
        word[:_MIN_CODE_LENGTH] for word in words if len(word) > _MIN_CODE_LENGTH and word not in _COMMON_WORDS.split()
    }
    if len(words) > 1:
        first, second = words[0], words[1]
        codes |= {first[0] + second[:2], first[:2] + second[0], "".join(word[0] for word in words)}
    return {code for code in codes if len(code) >= _MIN_CODE_LENGTH}


def _drop_club_words(name: str) -> list[str]:
    return [word for word in name.split() if word not in _CLUB_WORDS.split() and not word.isdigit()]


def _fold_confused(folded: str) -> str:
    return folded.replace(" ", "").translate(_CONFUSED_CHARACTERS)


def _is_misread_text(read: str, form: str) -> bool:
    """Whether one letter is missing or too many; in long names one letter may also be another."""
    short, long = sorted((read, form), key=len)
    if len(long) - len(short) == 1 and len(short) >= _MIN_CODE_LENGTH - 1 and len(form) >= _MIN_CODE_LENGTH:
        return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))
    replaced = sum(one != other for one, other in zip(read, form, strict=False))
    return len(read) == len(form) >= _MIN_LENGTH_FOR_SUBSTITUTION and replaced == 1


def _looks_like(read: str, form: str) -> bool:
    """Whether one letter is another one that looks like it: SEY for SEV, ATH for ATM."""
    differing = [{one, other} for one, other in zip(read, form, strict=False) if one != other]
    return (
        len(read) == len(form)
        and len(differing) == 1
        and any(differing[0] <= set(similar) for similar in _SIMILAR_LETTERS)
    )


def _is_abbreviation(read: str, letters: str) -> bool:
    """Whether the letters stand in the name in this order, the first one first."""
    rest = iter(letters)
    return letters[:1] == read[:1] and all(letter in rest for letter in read)


@cache
def _codes_by_name() -> dict[str, tuple[str, ...]]:
    """Names that two teams share, such as those of a country's club and national team, have the codes of both."""
    found: dict[str, tuple[str, ...]] = {}
    for team in known_teams():
        for name in team.names:
            found[fold_name(name)] = (*found.get(fold_name(name), ()), *team.codes)
    return {name: codes for name, codes in found.items() if codes}


@cache
def _known_codes() -> frozenset[str]:
    return frozenset(code for team in known_teams() for code in team.codes)


@cache
def _known_names() -> frozenset[str]:
    names = (fold_name(name) for team in known_teams() for name in team.names)
    return frozenset(form for name in names for form in (name, " ".join(_drop_club_words(name))) if form)
