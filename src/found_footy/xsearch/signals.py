"""What the site's answers mean. Every known sign has one outcome; the unknown is drift, never "no results"."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from found_footy.xsearch.budget import read_allowance
from found_footy.xsearch.errors import (
    AccountLocked,
    Blocked,
    ProtocolDrift,
    RateLimited,
    SearchFailed,
    SessionExpired,
    Transient,
)
from found_footy.xsearch.shape import dig, dig_list, dig_text
from found_footy.xsearch.timeline import TimelinePage, parse_timeline

_TIMELINE = "/SearchTimeline"
_LOGIN_PATHS = ("/i/flow/login", "/i/jf/onboarding", "/login")
_LOCKED_PATHS = ("/account/access", "/account/suspended")
_LOCKED_WORDS = ("temporarily locked", "account is suspended")
_SHELLS_BEFORE_BLOCKED = 2

# Error codes inside an answer. Those of the session and account outrank any data that came along.
_SESSION_CODES = frozenset({32, 353})
_ACCOUNT_CODES = frozenset({326, 64})
_RATE_CODE = 88
_FEATURES_CODE = 336


class EmptyShell(Transient):
    """A page that loaded and did nothing: once or twice bad luck, after that a closed door."""


class NotFoundEmpty(ProtocolDrift):
    """The search call was answered with 404 and no body: the site does not know this call any more, or the account is
    suspended or may not search.
    """


@dataclass(frozen=True)
class Answer:
    """An answer to the page's search call. Header names are lower-case; `body` is None if it could not be had."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True)
class View:
    """What a person would see on the page."""

    url: str
    text: str = ""
    logged_in: bool = False
    articles: int = 0
    empty_state: bool = False
    error_detail: bool = False
    challenge: bool = False


@dataclass(frozen=True)
class ReadAnswer:
    """A page of results. `degraded`: the site admits that part of it is missing."""

    page: TimelinePage
    degraded: bool = False


def is_timeline(url: str, method: str) -> bool:
    """The search call, whatever its query id and method; its preflight is not it."""
    return method != "OPTIONS" and urlsplit(url).path.endswith(_TIMELINE)


def judge_location(url: str) -> SearchFailed | None:
    """Where the site led the browser. Only the path counts: a query may contain any word."""
    path = urlsplit(url).path
    if path.startswith(_LOGIN_PATHS):
        return SessionExpired("the site asks for a log-in")
    if path.startswith(_LOCKED_PATHS):
        return AccountLocked("the site wants the account's owner to unlock it")
    return None


def judge_document(status: int, headers: Mapping[str, str]) -> SearchFailed | None:
    """The answer to opening the page itself."""
    if status == 429:
        return RateLimited("the page was refused: too many requests", read_allowance(headers).resets_at)
    if 400 <= status < 500 and "cf-ray" in headers:
        return Blocked(f"the site's gatekeeper refused the page (HTTP {status})")
    if status in (401, 403):
        return SessionExpired(f"the page was refused (HTTP {status})")
    if status >= 500:
        return Transient(f"the page failed (HTTP {status})")
    return ProtocolDrift(f"the search page is gone (HTTP {status})") if status >= 400 else None


def judge_page(view: View) -> SearchFailed | None:
    """What the page itself says about the log-in and the account, if it says anything."""
    if moved := judge_location(view.url):
        return moved
    if view.challenge or any(word in view.text.casefold() for word in _LOCKED_WORDS):
        return AccountLocked("the site wants to see a person")
    return None


def judge_silence(view: View, shells_before: int) -> SearchFailed:
    """The page opened but its search call was never answered. `shells_before` counts empty shells in a row so far."""
    if moved := judge_page(view):
        return moved
    if view.articles or view.empty_state:
        return ProtocolDrift("the page shows results, but the call that fetched them was not recognized")
    if view.error_detail:
        return Transient("the page says that something went wrong")
    if shells_before >= _SHELLS_BEFORE_BLOCKED:
        return Blocked("the page stays an empty shell")
    return EmptyShell("the page stayed an empty shell")


def read_answer(answer: Answer, site: str) -> ReadAnswer:
    """The results in an answer, or the typed error that it is. Zero posts in a sound answer is a sound result."""
    if failure := _judge_transport(answer):
        raise failure
    payload = _json(answer)
    if failure := _judge_codes(payload, answer) or _judge_status(answer, payload):
        raise failure
    page = parse_timeline(payload, site)
    errors = dig_list(payload, "errors")
    if page is None:
        raise _without_timeline(errors)
    if page.posts and not page.readable:
        raise ProtocolDrift(f"none of {page.posts} posts could be read")
    if not page.posts and page.strange:
        raise ProtocolDrift(f"none of {page.strange} entries is of a known kind")
    return ReadAnswer(page, degraded=bool(errors))


def _judge_transport(answer: Answer) -> SearchFailed | None:
    """What the status and headers say before the body is looked at."""
    said = read_allowance(answer.headers)
    if answer.status == 429:
        return RateLimited("the site's request allowance is used up", said.resets_at)
    html = "html" in answer.headers.get("content-type", "")
    if html and 400 <= answer.status < 500 and "cf-ray" in answer.headers:
        return Blocked(f"the site's gatekeeper refused the search call (HTTP {answer.status})")
    if answer.status == 200 and answer.body is None:
        return Transient("the answer was lost before it could be read")
    return None


def _json(answer: Answer) -> object:
    """The body as JSON; None if there is none. Only a broken body of a good answer is a failure by itself."""
    try:
        return json.loads(answer.body or b"null")
    except (ValueError, RecursionError):
        if answer.status != 200:
            return None
    if "json" in answer.headers.get("content-type", ""):
        raise Transient("the answer was cut short")
    raise ProtocolDrift("the answer is not JSON")


def _judge_codes(payload: object, answer: Answer) -> SearchFailed | None:
    errors = dig_list(payload, "errors")
    codes = {_code(error) for error in errors}
    words = " ".join(dig_text(error, "message") for error in errors).casefold()
    if codes & _ACCOUNT_CODES or any(word in words for word in _LOCKED_WORDS):
        return AccountLocked("the account is locked")
    if codes & _SESSION_CODES:
        return SessionExpired("the site does not recognize the session")
    if _RATE_CODE in codes:
        return _judge_rate_code(answer)
    if _FEATURES_CODE in codes:
        return ProtocolDrift("the site misses features in the search call")
    return None


def _code(error: object) -> int | None:
    code = dig(error, "code")
    return code if isinstance(code, int) else None


def _judge_rate_code(answer: Answer) -> SearchFailed:
    said = read_allowance(answer.headers)
    if said.remaining:
        return Blocked(f"refused as too many requests with {said.remaining} left: the account is probably restricted")
    return RateLimited("the site's request allowance is used up", said.resets_at)


def _judge_status(answer: Answer, payload: object) -> SearchFailed | None:
    status = answer.status
    if status == 401 or (status == 403 and not dig_list(payload, "errors")):
        return SessionExpired(f"the search call was refused (HTTP {status}): X wants a log-in")
    if status >= 500:
        return Transient(f"the search call failed (HTTP {status})")
    if status == 404 and not answer.body:
        return NotFoundEmpty("the search call finds nothing (HTTP 404): X has changed, or the account is suspended")
    if status != 200:
        return ProtocolDrift(f"the search call was not understood (HTTP {status})")
    return None


def _without_timeline(errors: list[object]) -> SearchFailed:
    if errors:
        message = dig_text(errors[0], "message")[:200]
        return Transient(f"the site reports: {message or 'an error without words'}")
    return ProtocolDrift("the answer has no timeline")
