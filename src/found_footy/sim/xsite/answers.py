"""What the search call answers, mode by mode."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response

from found_footy.sim.xsite import shapes
from found_footy.sim.xsite.accounts import CSRF_COOKIE, SESSION_COOKIE, Session
from found_footy.sim.xsite.conduct import Mode
from found_footy.sim.xsite.posts import Post

CF_HEADERS = {"cf-ray": "8f00ba4d0c0ffee0-LHR", "server": "cloudflare"}
CF_PAGE = "<!doctype html><title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>"


@dataclass(frozen=True)
class Call:
    """One search call of a logged-in page."""

    session: Session
    found: Sequence[Post]
    cursor: str | None
    product: str


def answer(mode: Mode, call: Call) -> Response:
    if not call.session.allowance.take():
        return _rate_limited(call)
    return _ANSWERS.get(mode, _page)(call)


def _page(call: Call) -> Response:
    return _json(call, shapes.timeline(call.found, call.cursor, product=call.product))


def _json(call: Call, body: Any, status: int = 200, remaining: int | None = None) -> Response:
    return JSONResponse(body, status, headers=call.session.allowance.headers(remaining) | {"cf-ray": "8f-LHR"})


def _errors(message: str, code: int, status: int = 200, remaining: int | None = None) -> Callable[[Call], Response]:
    body = {"errors": [{"message": message, "code": code}]}
    return lambda call: _json(call, body, status, remaining)


def _rate_limited(call: Call) -> Response:
    return Response(b"Rate limit exceeded\n", 429, call.session.allowance.headers(0), "text/plain")


def _last_request(call: Call) -> Response:
    return _json(call, shapes.timeline(call.found, call.cursor), remaining=0)


def _hoisted(call: Call) -> Response:
    return _json(call, shapes.timeline(call.found, call.cursor, hoisted=True))


def _degraded(call: Call) -> Response:
    body = shapes.timeline(call.found[:1], call.cursor)
    return _json(call, {"errors": [{"message": "Dependency: Unspecified", "code": 0}], **body})


def _degraded_empty(call: Call) -> Response:
    return _json(call, {"errors": [{"message": "Dependency: Unspecified", "code": 0}], **shapes.timeline([], None)})


def _no_results(call: Call) -> Response:
    return _json(call, shapes.timeline([], call.cursor))


def _no_instructions(call: Call) -> Response:
    return _json(call, {"data": {"search_by_raw_query": {"search_timeline": {"timeline_v3": {"rows": []}}}}})


def _unreadable_posts(call: Call) -> Response:
    text = json.dumps(shapes.timeline(call.found, call.cursor))
    return _json(call, json.loads(text.replace('"tweet_results"', '"post_results"')))


def _second_page_error(call: Call) -> Response:
    return _page(call) if call.cursor is None else _json(call, {"errors": [{"message": "Internal", "code": 131}]}, 503)


def _cookies_cleared(call: Call) -> Response:
    response = _errors("Could not authenticate you", 32, 401)(call)
    for name in (SESSION_COOKIE, CSRF_COOKIE, "twid"):
        response.delete_cookie(name)
    return response


def _ct0_rotation(call: Call) -> Response:
    """Once per search, with its first page."""
    response = _page(call)
    if call.cursor is not None:
        return response
    call.session.csrf = call.session.csrf[::-1]
    response.set_cookie(CSRF_COOKIE, call.session.csrf, max_age=86_400)
    return response


_ANSWERS: dict[Mode, Callable[[Call], Response]] = {
    Mode.UNAUTHORIZED: lambda call: _json(call, {}, 401),
    Mode.CODE_32: _errors("Could not authenticate you", 32),
    Mode.FORBIDDEN_EMPTY: lambda _: Response(b"", 403),
    Mode.COOKIES_CLEARED: _cookies_cleared,
    Mode.CT0_ROTATION: _ct0_rotation,
    Mode.LOCKED_CODE: _errors("To protect our users, this account is temporarily locked.", 326, 403),
    Mode.RATE_LIMITED: _rate_limited,
    Mode.CODE_88: _errors("Rate limit exceeded.", 88, remaining=0),
    Mode.CODE_88_EARLY: _errors("Rate limit exceeded.", 88),
    Mode.LAST_REQUEST: _last_request,
    Mode.NOT_FOUND_EMPTY: lambda _: Response(b"", 404),
    Mode.FEATURES_NULL: _errors("The following features cannot be null: x", 336, 400),
    Mode.NO_INSTRUCTIONS: _no_instructions,
    Mode.UNREADABLE_POSTS: _unreadable_posts,
    Mode.NOT_JSON: lambda _: Response(b'{"data":{"search_by', 200, media_type="application/json"),
    Mode.HOISTED: _hoisted,
    Mode.DEGRADED: _degraded,
    Mode.DEGRADED_EMPTY: _degraded_empty,
    Mode.LOAD_SHED: _errors("LoadShed: shedding load", -1),
    Mode.TIMEOUT: _errors("Timeout: Unspecified", 29),
    Mode.SERVER_ERROR: lambda _: Response(b"upstream connect error", 503, media_type="text/plain"),
    Mode.SECOND_PAGE_ERROR: _second_page_error,
    Mode.CLOUDFLARE_API: lambda _: HTMLResponse(CF_PAGE, 403, CF_HEADERS),
    Mode.NO_RESULTS: _no_results,
    Mode.SILENT_LIMIT: _no_results,
    Mode.SUSPENDED: lambda _: Response(b"", 404),
}
