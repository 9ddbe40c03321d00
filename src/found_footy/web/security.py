"""What stands between the network and the routes: limits on requests, headers on answers, figures about both."""

import time
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from found_footy.web import metrics
from found_footy.web.manual import LARGEST_BODY, takes_body
from found_footy.web.problems import failure_of, respond

_LONGEST_PATH = 1024
_LONGEST_QUERY = 2048
_LONGEST_LENGTH = 12

_POLICY = "; ".join(
    (
        "default-src 'self'",
        "media-src 'self'",
        "img-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}


class Guard:
    """The outermost layer, so that also an answer to a broken request has its headers and is counted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        watch = _Watch(scope, send)
        refused = _refusal(scope)
        try:
            await (refused or self._app)(scope, receive, watch.send)
        except Exception as error:
            # A bug. The server writes it to the log; the visitor gets an answer that tells nothing of it.
            if not watch.begun:
                await respond(Request(scope), failure_of(error))(scope, receive, watch.send)
            raise
        finally:
            watch.record()


class _Watch:
    """Adds the headers to an answer on its way out, and notes what it was."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._since = time.perf_counter()
        self._status = 0

    @property
    def begun(self) -> bool:
        return self._status != 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    def record(self) -> None:
        """By route, never by path: the addresses that strangers make up are endless."""
        route = getattr(self._scope.get("route"), "path", "none")
        metrics.REQUESTS.labels(route, _method(self._scope), str(self._status)).inc()
        if route != "/events":
            metrics.SECONDS.labels(route).observe(time.perf_counter() - self._since)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in {"GET", "HEAD"} else "other"


def _refusal(scope: Scope) -> JSONResponse | None:
    """Nearly everything here is read, so a request has no body, and its address has a sane length."""
    headers = Headers(scope=scope)
    if len(scope.get("raw_path") or scope["path"]) > _LONGEST_PATH or len(scope["query_string"]) > _LONGEST_QUERY:
        return _problem(HTTPStatus.REQUEST_URI_TOO_LONG, "The address is too long.")
    if takes_body(scope["method"], scope["path"]):
        return _too_much(headers)
    if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
        return _problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Nothing here takes a request body.")
    return None


def _too_much(headers: Headers) -> JSONResponse | None:
    length = headers.get("content-length", "")
    if not length.isdecimal() or "transfer-encoding" in headers:
        return _problem(HTTPStatus.LENGTH_REQUIRED, "The request must tell the length of its body.")
    if len(length) > _LONGEST_LENGTH or int(length) > LARGEST_BODY:
        return _problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A body may have {LARGEST_BODY} bytes at most.")
    return None


def _problem(status: HTTPStatus, detail: str) -> JSONResponse:
    body = {"type": "about:blank", "title": status.phrase, "status": int(status), "detail": detail}
    return JSONResponse(body, status, {"Connection": "close"}, media_type="application/problem+json")
