"""Responses of the search call, by mode."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response

from found_footy_sim.x import timeline_json
from found_footy_sim.x.accounts import CSRF_COOKIE, SESSION_COOKIE, XSession
from found_footy_sim.x.behaviour import XSiteMode
from found_footy_sim.x.posts import XPost

CF_HEADERS = {"cf-ray": "8f00ba4d0c0ffee0-LHR", "server": "cloudflare"}
CF_PAGE = "<!doctype html><title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>"


@dataclass(frozen=True)
class SearchCall:
    """One search call of a logged-in page."""

    session: XSession
    found: Sequence[XPost]
    cursor: str | None
    product: str


def build_response(mode: XSiteMode, call: SearchCall) -> Response:
    if not call.session.rate_limit.count_request():
        return _rate_limit_response(call)
    return _RESPONSE_BUILDERS.get(mode, _timeline_response)(call)


def _timeline_response(call: SearchCall) -> Response:
    return _json_response(call, timeline_json.build_timeline_page(call.found, call.cursor, product=call.product))


def _json_response(call: SearchCall, body: Any, status: int = 200, remaining: int | None = None) -> Response:
    return JSONResponse(body, status, headers=call.session.rate_limit.headers(remaining) | {"cf-ray": "8f-LHR"})


def _errors_builder(
    message: str, code: int, status: int = 200, remaining: int | None = None
) -> Callable[[SearchCall], Response]:
    body = {"errors": [{"message": message, "code": code}]}
    return lambda call: _json_response(call, body, status, remaining)


def _rate_limit_response(call: SearchCall) -> Response:
    return Response(b"Rate limit exceeded\n", 429, call.session.rate_limit.headers(0), "text/plain")


def _last_request_response(call: SearchCall) -> Response:
    return _json_response(call, timeline_json.build_timeline_page(call.found, call.cursor), remaining=0)


def _hoisted_response(call: SearchCall) -> Response:
    return _json_response(call, timeline_json.build_timeline_page(call.found, call.cursor, hoist_legacy=True))


def _degraded_response(call: SearchCall) -> Response:
    body = timeline_json.build_timeline_page(call.found[:1], call.cursor)
    return _json_response(call, {"errors": [{"message": "Dependency: Unspecified", "code": 0}], **body})


def _degraded_empty_response(call: SearchCall) -> Response:
    return _json_response(
        call,
        {"errors": [{"message": "Dependency: Unspecified", "code": 0}], **timeline_json.build_timeline_page([], None)},
    )


def _no_results_response(call: SearchCall) -> Response:
    return _json_response(call, timeline_json.build_timeline_page([], call.cursor))


def _no_instructions_response(call: SearchCall) -> Response:
    return _json_response(call, {"data": {"search_by_raw_query": {"search_timeline": {"timeline_v3": {"rows": []}}}}})


def _unreadable_posts_response(call: SearchCall) -> Response:
    text = json.dumps(timeline_json.build_timeline_page(call.found, call.cursor))
    return _json_response(call, json.loads(text.replace('"tweet_results"', '"post_results"')))


def _second_page_error_response(call: SearchCall) -> Response:
    return (
        _timeline_response(call)
        if call.cursor is None
        else _json_response(call, {"errors": [{"message": "Internal", "code": 131}]}, 503)
    )


def _cleared_cookies_response(call: SearchCall) -> Response:
    response = _errors_builder("Could not authenticate you", 32, 401)(call)
    for name in (SESSION_COOKIE, CSRF_COOKIE, "twid"):
        response.delete_cookie(name)
    return response


def _rotated_ct0_response(call: SearchCall) -> Response:
    """Once per search, with its first page."""
    response = _timeline_response(call)
    if call.cursor is not None:
        return response
    call.session.csrf = call.session.csrf[::-1]
    response.set_cookie(CSRF_COOKIE, call.session.csrf, max_age=86_400)
    return response


_RESPONSE_BUILDERS: dict[XSiteMode, Callable[[SearchCall], Response]] = {
    XSiteMode.UNAUTHORIZED: lambda call: _json_response(call, {}, 401),
    XSiteMode.CODE_32: _errors_builder("Could not authenticate you", 32),
    XSiteMode.FORBIDDEN_EMPTY: lambda _: Response(b"", 403),
    XSiteMode.COOKIES_CLEARED: _cleared_cookies_response,
    XSiteMode.CT0_ROTATION: _rotated_ct0_response,
    XSiteMode.LOCKED_CODE: _errors_builder("To protect our users, this account is temporarily locked.", 326, 403),
    XSiteMode.RATE_LIMITED: _rate_limit_response,
    XSiteMode.CODE_88: _errors_builder("Rate limit exceeded.", 88, remaining=0),
    XSiteMode.CODE_88_EARLY: _errors_builder("Rate limit exceeded.", 88),
    XSiteMode.LAST_REQUEST: _last_request_response,
    XSiteMode.NOT_FOUND_EMPTY: lambda _: Response(b"", 404),
    XSiteMode.FEATURES_NULL: _errors_builder("The following features cannot be null: x", 336, 400),
    XSiteMode.NO_INSTRUCTIONS: _no_instructions_response,
    XSiteMode.UNREADABLE_POSTS: _unreadable_posts_response,
    XSiteMode.NOT_JSON: lambda _: Response(b'{"data":{"search_by', 200, media_type="application/json"),
    XSiteMode.HOISTED: _hoisted_response,
    XSiteMode.DEGRADED: _degraded_response,
    XSiteMode.DEGRADED_EMPTY: _degraded_empty_response,
    XSiteMode.LOAD_SHED: _errors_builder("LoadShed: shedding load", -1),
    XSiteMode.TIMEOUT: _errors_builder("Timeout: Unspecified", 29),
    XSiteMode.SERVER_ERROR: lambda _: Response(b"upstream connect error", 503, media_type="text/plain"),
    XSiteMode.SECOND_PAGE_ERROR: _second_page_error_response,
    XSiteMode.CLOUDFLARE_API: lambda _: HTMLResponse(CF_PAGE, 403, CF_HEADERS),
    XSiteMode.NO_RESULTS: _no_results_response,
    XSiteMode.SILENT_LIMIT: _no_results_response,
    XSiteMode.SUSPENDED: lambda _: Response(b"", 404),
}
