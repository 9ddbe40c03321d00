"""A search query, really evaluated: groups joined by AND, alternatives by OR, quoted phrases, words left out by `-`."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r'-?"[^"]*"?|\(|\)|[^\s()"]+')
_WORD = re.compile(r"\w+")
_SPELLED_OUT = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"}
)


@dataclass(frozen=True)
class Document:
    """What a query is compared with: the words of a post and who wrote it."""

    text: str
    author: str


Test = Callable[[Document], bool]


def folded(text: str) -> str:
    """Without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SPELLED_OUT))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(folded(text)))


def compile_query(query: str) -> Test:
    """The test that a post must pass. A bracket left open or closed twice is forgiven, as it is by the real search."""
    return _either(_Tokens(_TOKEN.findall(query)))


class _Tokens:
    def __init__(self, tokens: list[str]) -> None:
        self._left: Iterator[str] = iter(tokens)
        self.next: str | None = next(self._left, None)

    def take(self) -> str:
        taken = self.next
        assert taken is not None
        self.next = next(self._left, None)
        return taken


def _either(tokens: _Tokens) -> Test:
    options = [_all(tokens)]
    while tokens.next == "OR":
        tokens.take()
        options.append(_all(tokens))
    return lambda document: any(option(document) for option in options)


def _all(tokens: _Tokens) -> Test:
    parts: list[Test] = []
    while tokens.next not in (None, "OR", ")"):
        parts.append(_part(tokens))
    return lambda document: all(part(document) for part in parts)


def _part(tokens: _Tokens) -> Test:
    first = tokens.take()
    if first == "(":
        inner = _either(tokens)
        if tokens.next == ")":
            tokens.take()
        return inner
    return _term(first)


def _term(token: str) -> Test:
    if token.startswith("-") and len(token) > 1:
        refused = _term(token[1:])
        return lambda document: not refused(document) if not _is_operator(token[1:]) else True
    if token.startswith("from:"):
        return lambda document: folded(document.author) == folded(token[5:].lstrip("@"))
    if _is_operator(token):
        return lambda _: True
    wanted = words(token)
    return lambda document: _has(words(document.text), wanted) or _has(words(document.author), wanted)


def _is_operator(token: str) -> bool:
    """`filter:videos`, `since_time:…`, `lang:en`: every post here is a video of today, so they change nothing."""
    return re.fullmatch(r"[a-z_]+:\S+", token) is not None and not token.startswith("from:")


def _has(present: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    length = len(wanted)
    return any(present[start : start + length] == wanted for start in range(len(present) - length + 1))
