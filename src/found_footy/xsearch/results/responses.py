"""Classifies the site's answers. Every known sign has one outcome; an unknown one is protocol drift, never "no
results".
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from found_footy.xsearch.errors import (
    SearchFailed,
    TransientFailure,
    XAccountLocked,
    XBlocked,
    XProtocolDrift,
    XRateLimited,
    XSessionExpired,
)
from found_footy.xsearch.results.timeline import TimelinePage, build_page
from found_footy.xsearch.results.wire import SearchPayload, SiteError, parse_payload
from found_footy.xsearch.session.budget import parse_rate_limit_headers

_TIMELINE_PATH = "/SearchTimeline"
_LOGIN_PATHS = ("/i/flow/login", "/i/jf/onboarding", "/login")
_LOCKED_PATHS = ("/account/access", "/account/suspended")
_LOCKED_PHRASES = ("temporarily locked", "account is suspended")
_MAX_EMPTY_SHELLS = 2

# Error codes inside an answer. Those about session and account override any data in the same answer.
_SESSION_CODES = frozenset({32, 353})
_ACCOUNT_CODES = frozenset({326, 64})
_RATE_LIMIT_CODE = 88
_FEATURES_CODE = 336


class EmptyShell(TransientFailure):
    """A page that loaded and did nothing: transient the first two times in a row, a block after that."""


class EmptyNotFound(XProtocolDrift):
    """The search call was answered with 404 and no body: the site no longer has this call, or the account is suspended
    or may not search.
    """


@dataclass(frozen=True)
class TimelineResponse:
    """An answer to the page's search call. Header names are lower-case; `body` is None if it could not be read."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True)
class PageSnapshot:
    """What is visible on the page."""

    url: str
    text: str = ""
    logged_in: bool = False
    articles: int = 0
    empty_state: bool = False
    error_detail: bool = False
    challenge: bool = False


@dataclass(frozen=True)
class ParsedResponse:
    """A page of results. `degraded`: the site reports that part of it is missing."""

    page: TimelinePage
    degraded: bool = False


def is_timeline_call(url: str, method: str) -> bool:
    """Whether this is the search call, whatever its query id and method; its preflight is not."""
    return method != "OPTIONS" and urlsplit(url).path.endswith(_TIMELINE_PATH)


def classify_location(url: str) -> SearchFailed | None:
    """Classify the URL to which the site redirected. Only the path counts: a query may contain any word."""
    path = urlsplit(url).path
    if path.startswith(_LOGIN_PATHS):
        return XSessionExpired("the site asks for a log-in")
    if path.startswith(_LOCKED_PATHS):
        return XAccountLocked("the account is locked; its owner must unlock it on the site")
    return None


def classify_document(status: int, headers: Mapping[str, str]) -> SearchFailed | None:
    """Classify the answer to opening the page itself."""
    if status == 429:
        return XRateLimited("the page was refused: too many requests", parse_rate_limit_headers(headers).resets_at)
    if 400 <= status < 500 and "cf-ray" in headers:
        return XBlocked(f"the site's bot protection refused the page (HTTP {status})")
    if status in (401, 403):
        return XSessionExpired(f"the page was refused (HTTP {status})")
    if status >= 500:
        return TransientFailure(f"the page failed (HTTP {status})")
    return XProtocolDrift(f"the search page does not exist (HTTP {status})") if status >= 400 else None


def classify_page(view: PageSnapshot) -> SearchFailed | None:
    """Classify what the page shows about the log-in and the account."""
    if failure := classify_location(view.url):
        return failure
    if view.challenge or any(word in view.text.casefold() for word in _LOCKED_PHRASES):
        return XAccountLocked("the site asks for a captcha or another proof of a person")
    return None


def classify_silence(view: PageSnapshot, shells_before: int) -> SearchFailed:
    """Classify a page that opened without an answer to its search call. `shells_before` counts empty shells in a row so
    far.
    """
    if failure := classify_page(view):
        return failure
    if view.articles or view.empty_state:
        return XProtocolDrift("the page shows results, but the call that fetched them was not recognized")
    if view.error_detail:
        return TransientFailure("the page says that something went wrong")
    if shells_before >= _MAX_EMPTY_SHELLS:
        return XBlocked("the page stays empty")
    return EmptyShell("the page stayed empty")


def parse_response(answer: TimelineResponse, site: str) -> ParsedResponse:
    """Parse an answer, or raise its typed error. A valid answer without posts is a valid result."""
    if failure := _classify_transport(answer):
        raise failure
    payload = parse_payload(_parse_json(answer))
    if failure := _classify_codes(payload, answer) or _classify_status(answer, payload):
        raise failure
    page = build_page(payload, site)
    if page is None:
        raise _missing_timeline_error(payload.errors)
    if page.posts and not page.readable:
        raise XProtocolDrift(f"none of {page.posts} posts could be read")
    if not page.posts and page.unknown_entries:
        raise XProtocolDrift(f"none of {page.unknown_entries} entries is of a known kind")
    return ParsedResponse(page, degraded=bool(payload.errors))


def _classify_transport(answer: TimelineResponse) -> SearchFailed | None:
    """Classify by status and headers, before the body is read."""
    said = parse_rate_limit_headers(answer.headers)
    if answer.status == 429:
        return XRateLimited("the site's request quota is used up", said.resets_at)
    html = "html" in answer.headers.get("content-type", "")
    if html and 400 <= answer.status < 500 and "cf-ray" in answer.headers:
        return XBlocked(f"the site's bot protection refused the search call (HTTP {answer.status})")
    if answer.status == 200 and answer.body is None:
        return TransientFailure("the answer was lost before it could be read")
    return None


def _parse_json(answer: TimelineResponse) -> object:
    """Parse the body as JSON; None if there is none. Only an invalid body of a successful answer is a failure by
    itself.
    """
    try:
        return json.loads(answer.body or b"null")
    except (ValueError, RecursionError):
        if answer.status != 200:
            return None
    if "json" in answer.headers.get("content-type", ""):
        raise TransientFailure("the answer was truncated")
    raise XProtocolDrift("the answer is not JSON")


def _classify_codes(payload: SearchPayload, answer: TimelineResponse) -> SearchFailed | None:
    codes = {error.code for error in payload.errors}
    words = " ".join(error.message for error in payload.errors).casefold()
    if codes & _ACCOUNT_CODES or any(word in words for word in _LOCKED_PHRASES):
        return XAccountLocked("the account is locked")
    if codes & _SESSION_CODES:
        return XSessionExpired("the site does not recognize the session")
    if _RATE_LIMIT_CODE in codes:
        return _classify_rate_code(answer)
    if _FEATURES_CODE in codes:
        return XProtocolDrift("the site reports missing features in the search call")
    return None


def _classify_rate_code(answer: TimelineResponse) -> SearchFailed:
    said = parse_rate_limit_headers(answer.headers)
    if said.remaining:
        return XBlocked(f"refused as too many requests with {said.remaining} left: the account is probably restricted")
    return XRateLimited("the site's request quota is used up", said.resets_at)


def _classify_status(answer: TimelineResponse, payload: SearchPayload) -> SearchFailed | None:
    status = answer.status
    if status == 401 or (status == 403 and not payload.errors):
        return XSessionExpired(f"the search call was refused (HTTP {status}): X requires a log-in")
    if status >= 500:
        return TransientFailure(f"the search call failed (HTTP {status})")
    if status == 404 and not answer.body:
        return EmptyNotFound("the search call finds nothing (HTTP 404): X has changed, or the account is suspended")
    if status != 200:
        return XProtocolDrift(f"the search call was not understood (HTTP {status})")
    return None


def _missing_timeline_error(errors: Sequence[SiteError]) -> SearchFailed:
    if errors:
        message = errors[0].message[:200]
        return TransientFailure(f"the site reports: {message or 'an error without a message'}")
    return XProtocolDrift("the answer has no timeline")
