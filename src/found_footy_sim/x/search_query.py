"""The search language, as far as posts about goals need it: words, phrases, OR, brackets, minus, operators.

A space means AND and binds tighter than OR. As on the real site, a query with too many operators finds nothing.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from found_footy_sim.x.posts import XPost

PostMatcher = Callable[[XPost], bool]

MAX_OPERATORS = 22
_TOKEN = re.compile(r'-?"[^"]*"|[()]|[^\s()]+')
_WORD = re.compile(r"\w+")
_SPAN_PATTERN = re.compile(r"(\d+)([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def compile_query(raw: str, now: datetime) -> PostMatcher:
    tokens = _TOKEN.findall(raw)
    if not tokens or _count_operators(tokens) > MAX_OPERATORS:
        return _match_nothing
    matcher, rest = _parse_any_of(tokens, now)
    return matcher if not rest else _match_nothing


def _match_nothing(_: XPost) -> bool:
    return False


def _count_operators(tokens: list[str]) -> int:
    return sum(term == "OR" or term.startswith("-") or bool(re.match(r"[a-z_]+:\S", term)) for term in tokens)


def _parse_any_of(tokens: list[str], now: datetime) -> tuple[PostMatcher, list[str]]:
    matcher, tokens = _parse_all_of(tokens, now)
    branches = [matcher]
    while tokens and tokens[0] == "OR":
        matcher, tokens = _parse_all_of(tokens[1:], now)
        branches.append(matcher)
    return (lambda post: any(branch(post) for branch in branches)), tokens


def _parse_all_of(tokens: list[str], now: datetime) -> tuple[PostMatcher, list[str]]:
    terms: list[PostMatcher] = []
    while tokens and tokens[0] not in (")", "OR"):
        if tokens[0] == "(":
            matcher, tokens = _parse_any_of(tokens[1:], now)
            tokens = tokens[1:]
        else:
            matcher, tokens = _parse_term(tokens[0], now), tokens[1:]
        terms.append(matcher)
    return (lambda post: bool(terms) and all(term(post) for term in terms)), tokens


def _parse_term(token: str, now: datetime) -> PostMatcher:
    if token.startswith("-") and len(token) > 1:
        inner = _parse_term(token[1:], now)
        return lambda post: not inner(post)
    if token.startswith('"'):
        return _match_phrase(token.strip('"'))
    name, colon, value = token.partition(":")
    if colon and name in _OPERATORS:
        return _OPERATORS[name](value, now)
    return _match_phrase(token)


def _match_phrase(text: str) -> PostMatcher:
    wanted = _split_words(text)
    if not wanted:
        return lambda post: bool(text) and text in _searchable_text(post)
    return lambda post: _contains_phrase(_split_words(_searchable_text(post)), wanted)


def _searchable_text(post: XPost) -> str:
    return f"{post.long_text or post.text} {post.author} {post.author_name}"


@lru_cache(maxsize=8192)
def _split_words(text: str) -> tuple[str, ...]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return tuple(_WORD.findall(plain))


def _contains_phrase(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if len(wanted) < 2:
        return bool(wanted) and wanted[0] in words
    if len(wanted) == 2:
        return wanted in set(pairwise(words))
    size = len(wanted)
    return any(words[i : i + size] == wanted for i in range(len(words) - size + 1))


def _match_filter(value: str, _: datetime) -> PostMatcher:
    if value in ("videos", "native_video", "consumer_video", "pro_video"):
        return lambda post: bool(post.videos) or bool(post.quoted and post.quoted.videos)
    if value == "replies":
        return lambda post: post.reply_to is not None
    if value == "quote":
        return lambda post: post.quoted is not None
    if value == "nativeretweets":
        return lambda post: post.reposted is not None
    return _match_nothing


def _parse_timestamp(value: str) -> datetime:
    return datetime.fromtimestamp(int(value), UTC) if value.isdigit() else datetime.max.replace(tzinfo=UTC)


def _match_since(value: str, _: datetime) -> PostMatcher:
    start = _parse_timestamp(value)
    return lambda post: post.posted_at >= start


def _match_until(value: str, _: datetime) -> PostMatcher:
    end = _parse_timestamp(value)
    return lambda post: post.posted_at < end


def _match_within(value: str, now: datetime) -> PostMatcher:
    if not (span := _SPAN_PATTERN.fullmatch(value)):
        return _match_nothing
    start = now - timedelta(**{_UNITS[span[2]]: int(span[1])})
    return lambda post: post.posted_at >= start


def _match_since_id(value: str, _: datetime) -> PostMatcher:
    return lambda post: value.isdigit() and int(post.id) > int(value)


def _match_max_id(value: str, _: datetime) -> PostMatcher:
    return lambda post: value.isdigit() and int(post.id) <= int(value)


def _match_lang(value: str, _: datetime) -> PostMatcher:
    return lambda post: post.lang == value


def _match_author(value: str, _: datetime) -> PostMatcher:
    return lambda post: post.author.casefold() == value.casefold()


_OPERATORS: dict[str, Callable[[str, datetime], PostMatcher]] = {
    "filter": _match_filter,
    "since_time": _match_since,
    "until_time": _match_until,
    "within_time": _match_within,
    "since_id": _match_since_id,
    "max_id": _match_max_id,
    "lang": _match_lang,
    "from": _match_author,
}
