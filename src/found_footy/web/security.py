"""Middleware in front of the routes: limits on requests, headers on responses, metrics of both."""

import time
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from found_footy.platform.logs import ActionLogger
from found_footy.web import manual_clips, metrics
from found_footy.web.accounts import requests as account_requests
from found_footy.web.cached_answers import CachedAnswer
from found_footy.web.content_policy import build_content_security_policy
from found_footy.web.problems import ProblemError, classify_error, render_failure
from found_footy.web.state import WebState, get_web_state, peer_address
from found_footy.web.uploads import object_notifications, requests

logger = ActionLogger(__name__)
_MAX_PATH_LENGTH = 1024
_MAX_QUERY_LENGTH = 2048

# Modules with routes whose requests carry a body: `can_have_body` names them by method and path, and
# `find_request_problem` denies a request by its headers, before its body is read.
_BODY_RULES = (manual_clips, requests, object_notifications, account_requests)

SECURITY_HEADERS = {
    "Content-Security-Policy": build_content_security_policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}


class SecurityMiddleware:
    """The outermost layer, so that responses to malformed requests also get headers and are counted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._proxy_warned = False

    def _warn_of_unnamed_proxy(self, scope: Scope) -> None:
        """Log once that requests seem to come through a proxy that is not trusted, whose visitors all count as one."""
        if self._proxy_warned or "x-forwarded-for" not in Headers(scope=scope):
            return
        request = Request(scope)
        if not get_web_state(request).deps.settings.trusted_proxies:
            self._proxy_warned = True
            logger.warning(
                "requests from %s are forwarded ones: if it is your proxy, set FOOTY_WEB__TRUSTED_PROXIES=%s",
                peer_address(request),
                peer_address(request),
                action="proxy_not_named",
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        web: WebState = scope["app"].state.web
        cached = web.cached_answers.find(scope)
        if cached is not None:
            await _send_cached(cached, send)
            return
        self._warn_of_unnamed_proxy(scope)
        recorder = _ResponseRecorder(scope, send)
        refusal = _refuse_request(scope)
        try:
            await (refusal or self._app)(scope, receive, recorder.send)
        except Exception as error:
            # A bug. The server logs it; the visitor gets a response without details.
            if not recorder.has_started:
                await render_failure(Request(scope), classify_error(error))(scope, receive, recorder.send)
            raise
        finally:
            recorder.record_metrics()


_ENCODED_HEADERS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]


async def _send_cached(cached: CachedAnswer, send: Send) -> None:
    since = time.perf_counter()
    cached.headers.extend(_ENCODED_HEADERS)
    await cached.send(send)
    metrics.REQUESTS.labels(cached.route, "GET", str(cached.status)).inc()
    metrics.REQUEST_SECONDS.labels(cached.route).observe(time.perf_counter() - since)


class _ResponseRecorder:
    """Adds headers to a response and records its status."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._started_at = time.perf_counter()
        self._status = 0

    @property
    def has_started(self) -> bool:
        return self._status != 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    def record_metrics(self) -> None:
        """Labelled by route, never by path: strangers can invent any number of paths."""
        route = getattr(self._scope.get("route"), "path", "none")
        metrics.REQUESTS.labels(route, _method_label(self._scope), str(self._status)).inc()
        if not route.endswith("/events"):
            metrics.REQUEST_SECONDS.labels(route).observe(time.perf_counter() - self._started_at)


def _method_label(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in {"GET", "HEAD"} else "other"


def _refuse_request(scope: Scope) -> Response | None:
    """Most routes only read, so a request has no body and a URL of bounded length. Those that take a body deny by
    headers, before it is read.
    """
    headers = Headers(scope=scope)
    if len(scope.get("raw_path") or scope["path"]) > _MAX_PATH_LENGTH or len(scope["query_string"]) > _MAX_QUERY_LENGTH:
        return _render_and_close(scope, ProblemError(HTTPStatus.REQUEST_URI_TOO_LONG, "The address is too long."))
    rule = next((rule for rule in _BODY_RULES if rule.can_have_body(scope["method"], scope["path"])), None)
    if rule is not None:
        request = Request(scope)
        problem = rule.find_request_problem(get_web_state(request), request)
        return _render_and_close(scope, problem) if problem else None
    if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
        detail = "A request body is not accepted here."
        return _render_and_close(scope, ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail))
    return None


def _render_and_close(scope: Scope, problem: ProblemError) -> Response:
    """Close the connection after the response: the rest of the request is not read."""
    response = render_failure(Request(scope), problem.failure)
    response.headers["Connection"] = "close"
    return response
