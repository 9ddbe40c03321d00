"""Middleware that decides about every request before a route sees it, from `route_rules`."""

import asyncio
from http import HTTPStatus
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from found_footy.access.levels import AccessLevel
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.logs import ActionLogger
from found_footy.web.accounts.principals import ANONYMOUS, Principal, authenticate
from found_footy.web.accounts.route_rules import ROUTE_TABLE, MissingRoute, RouteAccess, RouteRule
from found_footy.web.forms import (
    CSRF_FIELD,
    CSRF_HEADER,
    FORM_TYPE,
    MAX_FORM_BYTES,
    MAX_TARGET_LENGTH,
    has_csrf_token,
    parse_form,
)
from found_footy.web.problems import ProblemError, classify_error, is_page_request, render_failure
from found_footy.web.state import WebState, get_web_state

logger = ActionLogger(__name__)
_READING_METHODS = ("GET", "HEAD")
_STALE_PAGE = "The page is out of date, or not ours. Load it again."


class AccessMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        web, access = get_web_state(request), ROUTE_TABLE.find(scope["method"], scope["path"])
        if isinstance(access, MissingRoute):
            await self._answer_missing(access, request, receive, send)
        elif _is_open(web, access):
            await self._app(scope, receive, send)
        else:
            await self._serve_guarded(web, access, request, receive, send)

    async def _answer_missing(self, missing: MissingRoute, request: Request, receive: Receive, send: Send) -> None:
        path = request.url.path
        if not missing.allowed and path.endswith("/") and ROUTE_TABLE.has_path(path.rstrip("/")):
            # The application redirects to the address without the slash.
            await self._app(request.scope, receive, send)
            return
        if missing.allowed:
            headers = {"Allow": ", ".join(missing.allowed)}
            problem = ProblemError(
                HTTPStatus.METHOD_NOT_ALLOWED, "This address does not take requests of this method.", headers=headers
            )
        else:
            problem = ProblemError(HTTPStatus.NOT_FOUND, "There is nothing at this address.")
        await render_failure(request, problem.failure)(request.scope, receive, send)

    async def _serve_guarded(
        self, web: WebState, access: RouteAccess, request: Request, receive: Receive, send: Send
    ) -> None:
        scope, principal = request.scope, ANONYMOUS
        try:
            principal = await authenticate(web, request)
            refusal = _find_refusal(access, principal, request)
            if refusal is None and principal.session is not None and request.method not in _READING_METHODS:
                receive = await _require_csrf_token(principal, request, receive)
        except (ProblemError, ExternalSystemError) as error:
            refusal = render_failure(request, classify_error(error))
        if refusal is not None:
            if request.headers.get("content-length", "0") != "0":
                # The rest of the request is not read.
                refusal.headers["Connection"] = "close"
            await refusal(scope, receive, send)
            return
        scope.setdefault("state", {})["principal"] = principal
        guarded = _GuardedResponse(web, access, request, send)
        try:
            await self._app(scope, receive, guarded.send)
        except AccessEnded:
            logger.info("a stream ended with the access to it", action="guarded_stream_ended")


def _is_open(web: WebState, access: RouteAccess) -> bool:
    is_public_view = access.rule is RouteRule.VIEW and not access.needs_user and web.access.deps.settings.public
    return access.rule.level is None or is_public_view


def _find_refusal(access: RouteAccess, principal: Principal, request: Request) -> Response | None:
    needed = access.rule.level or AccessLevel.ADMIN
    if principal.level >= needed and not (access.needs_user and principal is ANONYMOUS):
        return None
    if principal.is_anonymous:
        if is_page_request(request) and request.method in _READING_METHODS:
            asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            target = f"/sign-in?next={quote(asked, safe='')}" if len(asked) <= MAX_TARGET_LENGTH else "/sign-in"
            return RedirectResponse(target, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})
        detail = "Sign in, or send an API key as a bearer token."
        problem = ProblemError(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": "Bearer"})
        return render_failure(request, problem.failure)
    logger.warning(
        "%s refused to %s", request.url.path[:100], principal.name, action="access_refused", needs=access.rule.value
    )
    detail = f"This needs the role {access.rule.value}, or an API key of that scope."
    return render_failure(request, ProblemError(HTTPStatus.FORBIDDEN, detail).failure)


async def _require_csrf_token(principal: Principal, request: Request, receive: Receive) -> Receive:
    """Return `receive` for the route; the body of a form is read here, and given to the route again. Raises 403 if a
    change does not come from a page of the session.
    """
    if principal.session is None:
        return receive
    if has_csrf_token(principal.session, request, request.headers.get(CSRF_HEADER, "")):
        return receive
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        raise ProblemError(HTTPStatus.FORBIDDEN, _STALE_PAGE)
    body = await _read_body(receive)
    if not has_csrf_token(principal.session, request, parse_form(body).get(CSRF_FIELD, "")):
        raise ProblemError(HTTPStatus.FORBIDDEN, _STALE_PAGE)
    return _replay(body, receive)


async def _read_body(receive: Receive) -> bytes:
    body, has_more = b"", True
    while has_more:
        message = await receive()
        if message["type"] != "http.request":
            raise ProblemError(HTTPStatus.BAD_REQUEST, "The form did not arrive whole.")
        body += message.get("body", b"")
        has_more = message.get("more_body", False)
        if len(body) > MAX_FORM_BYTES:
            raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The form is too large.")
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def replay() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replay


class AccessEnded(Exception):
    """A stream ends because who opened it may not see it any more."""


class _GuardedResponse:
    """Keeps shared caches from storing a response, and ends a stream with the access of whoever opened it."""

    def __init__(self, web: WebState, access: RouteAccess, request: Request, send: Send) -> None:
        self._web = web
        self._access = access
        self._request = request
        self._send = send
        self._checked_at = asyncio.get_running_loop().time()
        self._is_stream = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            stored = headers.get("cache-control", "no-cache")
            headers["cache-control"] = stored.replace("public", "private")
            self._is_stream = "content-length" not in headers
        elif self._is_stream and not await self._is_still_allowed():
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            raise AccessEnded
        await self._send(message)

    async def _is_still_allowed(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now - self._checked_at < self._web.deps.settings.heartbeat.total_seconds():
            return True
        self._checked_at = now
        try:
            principal = await authenticate(self._web, self._request)
        except (ProblemError, ExternalSystemError) as error:
            logger.warning("access to a stream is unknown, so it ends: %s", error, action="guarded_stream_unknown")
            return False
        return principal.level >= (self._access.rule.level or AccessLevel.ADMIN)
