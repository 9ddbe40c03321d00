"""Who may talk to the service, decided before a route or a byte of a body is looked at.

With a token: whoever sends it. Without one: this machine, under its own name and without a proxy in between. What
strangers may ask for tells them nothing.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from found_footy.platform.logs import ActionLogger
from found_footy.platform.tokens import is_bearer

# The empty page, what it looks like, and that the process lives.
_PUBLIC = re.compile(r"/|/healthz|/assets/[^/]*")
_READING = ("GET", "HEAD")
_FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
_LOOPBACK = re.compile(r"::1|(::ffff:)?127(\.[0-9]{1,3}){3}")
_OWN_NAME = re.compile(r"(localhost|\[::1\]|127(\.[0-9]{1,3}){3})(:[0-9]{1,5})?", re.IGNORECASE)
_LARGEST_BODY = 256 * 1024
# The cookies of a whole browser.
_LARGEST_BODIES = {"/session": 1_000_000}
BODY_TIME = timedelta(seconds=10)

log = ActionLogger(__name__)


@dataclass(frozen=True)
class Refusal:
    status: HTTPStatus
    code: str
    detail: str


@dataclass(frozen=True)
class Caller:
    """What is known of who asks. Header names are in lower case."""

    method: str
    path: str
    peer: str
    headers: Mapping[str, str]


def refusal_of(caller: Caller, token: SecretStr | None) -> Refusal | None:
    """Why this caller is refused; None if it is not."""
    if caller.method in _READING and _PUBLIC.fullmatch(caller.path):
        return None
    refusal = _without_token(caller) if token is None else _with_token(caller, token)
    if refusal is None and caller.method not in _READING and not _is_own_page(caller.headers):
        return Refusal(HTTPStatus.FORBIDDEN, "foreign_page", "a page of another site may not ask for this")
    return refusal


def _with_token(caller: Caller, token: SecretStr) -> Refusal | None:
    if is_bearer(caller.headers.get("authorization", ""), token):
        return None
    return Refusal(HTTPStatus.UNAUTHORIZED, "unauthorized", "the token (X_SEARCH_TOKEN) is missing or wrong")


def _without_token(caller: Caller) -> Refusal | None:
    if _LOOPBACK.fullmatch(caller.peer) is None or any(name in caller.headers for name in _FORWARDED):
        detail = "without a token (X_SEARCH_TOKEN) this service answers its own machine only"
        return Refusal(HTTPStatus.FORBIDDEN, "not_this_machine", detail)
    if _OWN_NAME.fullmatch(caller.headers.get("host", "")) is None:
        return Refusal(HTTPStatus.MISDIRECTED_REQUEST, "foreign_name", "this service has another name than that")
    return None


def _is_own_page(headers: Mapping[str, str]) -> bool:
    """A browser names the page that a request comes from; a program need not."""
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host")


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, token: SecretStr | None, body_time: timedelta = BODY_TIME) -> None:
        self._app = app
        self._token = token
        self._body_seconds = body_time.total_seconds()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = _caller(scope)
        refusal = refusal_of(caller, self._token)
        if refusal is not None:
            told = {"caller": caller.peer, "path": caller.path[:100], "why": refusal.code}
            log.warning("refused %s: %s", caller.peer, refusal.code, action="caller_refused", **told)
        elif caller.method not in _READING:
            body = await self._body(caller, receive)
            refusal, receive = (body, receive) if isinstance(body, Refusal) else (None, _again(body, receive))
        await (self._app if refusal is None else _answer(refusal))(scope, receive, send)

    async def _body(self, caller: Caller, receive: Receive) -> Message | Refusal:
        """The whole body as one message, before anything reads it: parsing would take it at any size."""
        largest = _LARGEST_BODIES.get(caller.path, _LARGEST_BODY)
        too_large = Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"a body may have {largest} bytes")
        declared = caller.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > largest:
            return too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self._body_seconds):
                while True:
                    message = await receive()
                    body += message.get("body", b"")
                    if len(body) > largest:
                        return too_large
                    if not message.get("more_body", False):
                        return {**message, "body": bytes(body)} if message["type"] == "http.request" else message
        except TimeoutError:
            return Refusal(HTTPStatus.REQUEST_TIMEOUT, "too_slow", f"no body within {self._body_seconds:g} s")


def _caller(scope: Scope) -> Caller:
    peer = scope["client"][0] if scope.get("client") else ""
    return Caller(scope["method"], scope["path"], peer, Headers(scope=scope))


def _again(body: Message, receive: Receive) -> Receive:
    """`receive` with a message that was read already; after it come the others, such as that the caller has left."""
    read = [body]

    async def again() -> Message:
        return read.pop() if read else await receive()

    return again


def _answer(refusal: Refusal) -> JSONResponse:
    headers = {"connection": "close", "cache-control": "no-store"}
    if refusal.status is HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse({"error": refusal.code, "detail": refusal.detail}, refusal.status, headers)
