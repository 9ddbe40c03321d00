"""Signing in by an identity provider: the way there, and the answer that the browser brings back."""

import hmac
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from found_footy.access.oidc.client import OidcClient, build_request
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.http.session_tokens import generate_token
from found_footy.platform.logs import ActionLogger
from found_footy.web.accounts.page_parts import open_user_session
from found_footy.web.accounts.sign_in_pages import NextQuery, render_sign_in
from found_footy.web.forms import select_local_target
from found_footy.web.pages.links import read_site_address
from found_footy.web.problems import ProblemError
from found_footy.web.session_cookies import delete_token_cookie, read_token_cookie, set_token_cookie
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)
logger = ActionLogger(__name__)
STATE_COOKIE = "footy_oidc"
_STATE_LIFETIME = timedelta(minutes=10)
_CALLBACK_PATH = "/sign-in/oidc/callback"
AnswerText = Annotated[str, Query(max_length=2000)]


def _require_oidc(web: WebState) -> OidcClient:
    if web.access.deps.oidc is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "No identity provider is set up here.")
    return web.access.deps.oidc


@router.get("/sign-in/oidc")
async def start_oidc(request: Request, web: WebStateDep, asked: NextQuery = "") -> Response:
    oidc, state = _require_oidc(web), generate_token()
    pending = build_request(
        select_local_target(asked, "/account"), f"{read_site_address(web, request)}{_CALLBACK_PATH}"
    )
    try:
        address = await oidc.build_authorization_url(state, pending)
    except ExternalSystemError as error:
        return _render_failure(web, error)
    await web.access.stores.tickets.add_oidc_request(state, pending)
    response = RedirectResponse(address, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})
    set_token_cookie(request, response, STATE_COOKIE, state, _STATE_LIFETIME)
    return response


@router.get(_CALLBACK_PATH)
async def finish_oidc(
    request: Request, web: WebStateDep, state: AnswerText = "", code: AnswerText = "", error: AnswerText = ""
) -> Response:
    """The state must be that of this very browser, so that nobody signs another person in as themselves."""
    oidc, expected = _require_oidc(web), read_token_cookie(request, STATE_COOKIE)
    is_ours = bool(expected) and hmac.compare_digest(state.encode(), expected.encode())
    pending = await web.access.stores.tickets.take_oidc_request(state) if is_ours else None
    if pending is None:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "This sign-in was not begun in this browser, or took too long.")
    if error or not code:
        raise ProblemError(HTTPStatus.FORBIDDEN, "The identity provider did not sign you in.")
    try:
        identity = await oidc.identify(code, pending)
    except ExternalSystemError as failed:
        return _render_failure(web, failed)
    if identity.role is None:
        raise ProblemError(HTTPStatus.FORBIDDEN, f"{identity.name} has no role here. An admin must give one.")
    user = await web.access.accounts.find_or_add_external(
        identity.issuer, identity.subject, identity.name, identity.role
    )
    response = await open_user_session(web, request, user, "by the identity provider", pending.target)
    delete_token_cookie(request, response, STATE_COOKIE)
    return response


def _render_failure(web: WebState, error: ExternalSystemError) -> Response:
    """The log has the provider's words; the page says what to do."""
    logger.warning("signing in by the identity provider failed: %s", error, action="oidc_failed")
    problem = "The identity provider did not answer correctly. Try again, or sign in with a password."
    return render_sign_in(web, "/account", status=HTTPStatus.BAD_GATEWAY, problem=problem)
