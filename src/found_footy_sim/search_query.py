"""Evaluates a search query: groups joined by AND, alternatives by OR, quoted phrases, words excluded by `-`."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r'-?"[^"]*"?|\(|\)|[^\s()"]+')
_WORD = re.compile(r"\w+")
_LETTER_REPLACEMENTS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"}
)


@dataclass(frozen=True)
class SearchDocument:
    """What a query is matched against: the text of a post and its author."""

    text: str
    author: str


QueryTest = Callable[[SearchDocument], bool]


def fold_text(text: str) -> str:
    """Remove case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_LETTER_REPLACEMENTS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


@lru_cache(maxsize=8192)
def split_words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold_text(text)))


def compile_query(query: str) -> QueryTest:
    """Compile the test that a post must pass. Unbalanced brackets are ignored, as by the real search."""
    return _parse_alternatives(_TokenStream(_TOKEN.findall(query)))


class _TokenStream:
    def __init__(self, tokens: list[str]) -> None:
        self._remaining: Iterator[str] = iter(tokens)
        self.next: str | None = next(self._remaining, None)

    def take(self) -> str:
        taken = self.next
        assert taken is not None
        self.next = next(self._remaining, None)
        return taken


def _parse_alternatives(tokens: _TokenStream) -> QueryTest:
    options = [_parse_conjunction(tokens)]
    while tokens.next == "OR":
        tokens.take()
        options.append(_parse_conjunction(tokens))
    return lambda document: any(option(document) for option in options)


def _parse_conjunction(tokens: _TokenStream) -> QueryTest:
    parts: list[QueryTest] = []
    while tokens.next not in (None, "OR", ")"):
        parts.append(_parse_group(tokens))
    return lambda document: all(part(document) for part in parts)


def _parse_group(tokens: _TokenStream) -> QueryTest:
    first = tokens.take()
    if first == "(":
        inner = _parse_alternatives(tokens)
        if tokens.next == ")":
            tokens.take()
        return inner
    return _parse_term(first)


def _parse_term(token: str) -> QueryTest:
    if token.startswith("-") and len(token) > 1:
        refused = _parse_term(token[1:])
        return lambda document: not refused(document) if not _is_operator(token[1:]) else True
    if token.startswith("from:"):
        return lambda document: fold_text(document.author) == fold_text(token[5:].lstrip("@"))
    if _is_operator(token):
        return lambda _: True
    wanted = split_words(token)
    if not wanted:
        return lambda document: token.strip('"') in document.text
    return lambda document: (
        _contains_phrase(split_words(document.text), wanted) or _contains_phrase(split_words(document.author), wanted)
    )


def _is_operator(token: str) -> bool:
    """`filter:videos`, `since_time:…`, `lang:en`: every post here is a video of today, so they change nothing."""
    return re.fullmatch(r"[a-z_]+:\S+", token) is not None and not token.startswith("from:")


def _contains_phrase(present: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    length = len(wanted)
    return any(present[start : start + length] == wanted for start in range(len(present) - length + 1))
