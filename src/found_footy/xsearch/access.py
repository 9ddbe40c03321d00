"""Access control of the service, checked before routing and before the body is read.

With a token: callers that send it. Without one: callers on this machine that use a local host name and no proxy. Public
paths reveal nothing.
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

from found_footy.platform.http.access_tokens import is_valid_bearer
from found_footy.platform.http.caller_checks import has_local_host_name, is_local_caller, is_same_origin
from found_footy.platform.logs import ActionLogger

# The empty page, its assets, and the liveness check.
_PUBLIC_PATHS = re.compile(r"/|/healthz|/assets/[^/]*")
_READ_METHODS = ("GET", "HEAD")
_MAX_BODY_BYTES = 256 * 1024
# Enough for the cookies of a whole browser.
_MAX_BODY_BYTES_BY_PATH = {"/session": 1_000_000}
BODY_TIMEOUT = timedelta(seconds=10)

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class AccessRefusal:
    status: HTTPStatus
    code: str
    detail: str


@dataclass(frozen=True)
class RequestCaller:
    """Facts of a request's sender. Header names are lower-case."""

    method: str
    path: str
    peer: str
    headers: Mapping[str, str]


def check_access(caller: RequestCaller, token: SecretStr | None) -> AccessRefusal | None:
    """Return why this caller is rejected; None if it is allowed."""
    if caller.method in _READ_METHODS and _PUBLIC_PATHS.fullmatch(caller.path):
        return None
    refusal = _check_local_caller(caller) if token is None else _check_token(caller, token)
    if refusal is None and caller.method not in _READ_METHODS and not is_same_origin(caller.headers):
        return AccessRefusal(HTTPStatus.FORBIDDEN, "foreign_page", "pages of other sites may not send this request")
    return refusal


def _check_token(caller: RequestCaller, token: SecretStr) -> AccessRefusal | None:
    if is_valid_bearer(caller.headers.get("authorization", ""), token):
        return None
    return AccessRefusal(HTTPStatus.UNAUTHORIZED, "unauthorized", "the token (X_SEARCH_TOKEN) is missing or wrong")


def _check_local_caller(caller: RequestCaller) -> AccessRefusal | None:
    if not is_local_caller(caller.peer, caller.headers):
        detail = "without a token (X_SEARCH_TOKEN) this service answers requests from its own machine only"
        return AccessRefusal(HTTPStatus.FORBIDDEN, "not_this_machine", detail)
    if not has_local_host_name(caller.headers):
        return AccessRefusal(
            HTTPStatus.MISDIRECTED_REQUEST, "foreign_name", "the Host header does not name this service"
        )
    return None


class SearchAccessMiddleware:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, token: SecretStr | None, body_timeout: timedelta = BODY_TIMEOUT) -> None:
        self._app = app
        self._token = token
        self._body_timeout_seconds = body_timeout.total_seconds()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = _parse_caller(scope)
        refusal = check_access(caller, self._token)
        if refusal is not None:
            fields = {"caller": caller.peer, "path": caller.path[:100], "why": refusal.code}
            logger.warning("refused %s: %s", caller.peer, refusal.code, action="caller_refused", **fields)
        elif caller.method not in _READ_METHODS:
            body = await self._read_body(caller, receive)
            refusal, receive = (
                (body, receive) if isinstance(body, AccessRefusal) else (None, _replay_message(body, receive))
            )
        await (self._app if refusal is None else _refusal_response(refusal))(scope, receive, send)

    async def _read_body(self, caller: RequestCaller, receive: Receive) -> Message | AccessRefusal:
        """Read the whole body as one message within the size limit: the framework's parser has none."""
        largest = _MAX_BODY_BYTES_BY_PATH.get(caller.path, _MAX_BODY_BYTES)
        too_large = AccessRefusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"a body may have at most {largest} bytes"
        )
        declared = caller.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > largest:
            return too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self._body_timeout_seconds):
                while True:
                    message = await receive()
                    body += message.get("body", b"")
                    if len(body) > largest:
                        return too_large
                    if not message.get("more_body", False):
                        return {**message, "body": bytes(body)} if message["type"] == "http.request" else message
        except TimeoutError:
            return AccessRefusal(
                HTTPStatus.REQUEST_TIMEOUT, "too_slow", f"no body within {self._body_timeout_seconds:g} s"
            )


def _parse_caller(scope: Scope) -> RequestCaller:
    peer = scope["client"][0] if scope.get("client") else ""
    return RequestCaller(scope["method"], scope["path"], peer, Headers(scope=scope))


def _replay_message(body: Message, receive: Receive) -> Receive:
    """Return a `receive` that yields `body` first, then further messages such as a disconnect."""
    read = [body]

    async def again() -> Message:
        return read.pop() if read else await receive()

    return again


def _refusal_response(refusal: AccessRefusal) -> JSONResponse:
    headers = {"connection": "close", "cache-control": "no-store"}
    if refusal.status is HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse({"error": refusal.code, "detail": refusal.detail}, refusal.status, headers)
