"""The search language, as far as posts about goals need it: words, phrases, OR, brackets, minus, operators.

A space means AND and binds tighter than OR. A query with more operators than the site takes finds nothing, as there.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from found_footy.sim.xsite.posts import Post

Matcher = Callable[[Post], bool]

MOST_OPERATORS = 22
_TOKEN = re.compile(r'-?"[^"]*"|[()]|[^\s()]+')
_WORD = re.compile(r"\w+")
_SPAN = re.compile(r"(\d+)([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def compile_query(raw: str, now: datetime) -> Matcher:
    tokens = _TOKEN.findall(raw)
    if not tokens or _operators(tokens) > MOST_OPERATORS:
        return _nothing
    matcher, rest = _any_of(tokens, now)
    return matcher if not rest else _nothing


def _nothing(_: Post) -> bool:
    return False


def _operators(tokens: list[str]) -> int:
    return sum(term == "OR" or term.startswith("-") or bool(re.match(r"[a-z_]+:\S", term)) for term in tokens)


def _any_of(tokens: list[str], now: datetime) -> tuple[Matcher, list[str]]:
    matcher, tokens = _all_of(tokens, now)
    branches = [matcher]
    while tokens and tokens[0] == "OR":
        matcher, tokens = _all_of(tokens[1:], now)
        branches.append(matcher)
    return (lambda post: any(branch(post) for branch in branches)), tokens


def _all_of(tokens: list[str], now: datetime) -> tuple[Matcher, list[str]]:
    terms: list[Matcher] = []
    while tokens and tokens[0] not in (")", "OR"):
        if tokens[0] == "(":
            matcher, tokens = _any_of(tokens[1:], now)
            tokens = tokens[1:]
        else:
            matcher, tokens = _term(tokens[0], now), tokens[1:]
        terms.append(matcher)
    return (lambda post: bool(terms) and all(term(post) for term in terms)), tokens


def _term(token: str, now: datetime) -> Matcher:
    if token.startswith("-") and len(token) > 1:
        inner = _term(token[1:], now)
        return lambda post: not inner(post)
    if token.startswith('"'):
        return _phrase(token.strip('"'))
    name, colon, value = token.partition(":")
    if colon and name in _OPERATORS:
        return _OPERATORS[name](value, now)
    return _phrase(token)


def _phrase(text: str) -> Matcher:
    wanted = _words(text)
    return lambda post: _contains(_words(_searchable(post)), wanted)


def _searchable(post: Post) -> str:
    return f"{post.long_text or post.text} {post.author} {post.author_name}"


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return tuple(_WORD.findall(plain))


def _contains(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if len(wanted) < 2:
        return bool(wanted) and wanted[0] in words
    if len(wanted) == 2:
        return wanted in set(pairwise(words))
    size = len(wanted)
    return any(words[i : i + size] == wanted for i in range(len(words) - size + 1))


def _filter(value: str, _: datetime) -> Matcher:
    if value in ("videos", "native_video", "consumer_video", "pro_video"):
        return lambda post: bool(post.videos) or bool(post.quoted and post.quoted.videos)
    if value == "replies":
        return lambda post: post.reply_to is not None
    if value == "quote":
        return lambda post: post.quoted is not None
    if value == "nativeretweets":
        return lambda post: post.reposted is not None
    return _nothing


def _moment(value: str) -> datetime:
    return datetime.fromtimestamp(int(value), UTC) if value.isdigit() else datetime.max.replace(tzinfo=UTC)


def _since(value: str, _: datetime) -> Matcher:
    start = _moment(value)
    return lambda post: post.posted_at >= start


def _until(value: str, _: datetime) -> Matcher:
    end = _moment(value)
    return lambda post: post.posted_at < end


def _within(value: str, now: datetime) -> Matcher:
    if not (span := _SPAN.fullmatch(value)):
        return _nothing
    start = now - timedelta(**{_UNITS[span[2]]: int(span[1])})
    return lambda post: post.posted_at >= start


def _since_id(value: str, _: datetime) -> Matcher:
    return lambda post: value.isdigit() and int(post.id) > int(value)


def _max_id(value: str, _: datetime) -> Matcher:
    return lambda post: value.isdigit() and int(post.id) <= int(value)


def _lang(value: str, _: datetime) -> Matcher:
    return lambda post: post.lang == value


def _from(value: str, _: datetime) -> Matcher:
    return lambda post: post.author.casefold() == value.casefold()


_OPERATORS: dict[str, Callable[[str, datetime], Matcher]] = {
    "filter": _filter,
    "since_time": _since,
    "until_time": _until,
    "within_time": _within,
    "since_id": _since_id,
    "max_id": _max_id,
    "lang": _lang,
    "from": _from,
}
