"""Signing in with a name and a password, and signing out."""

import asyncio
import math
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from found_footy.access.rules import MAX_PASSWORD_LENGTH, normalize_name
from found_footy.access.user_store import User
from found_footy.platform.http.access_tokens import caller_key
from found_footy.platform.logs import ActionLogger
from found_footy.web.accounts.page_parts import DEVICE_COOKIE, open_user_session, render_account_page
from found_footy.web.accounts.principals import SessionDep, find_principal
from found_footy.web.forms import FormDep, redirect_after_form, select_local_target
from found_footy.web.problems import ProblemError
from found_footy.web.session_cookies import USER_COOKIE, delete_token_cookie, read_token_cookie
from found_footy.web.state import WebState, WebStateDep, peer_address

router = APIRouter(include_in_schema=False)
logger = ActionLogger(__name__)
NextQuery = Annotated[str, Query(alias="next", max_length=1000)]
_MAX_NAME_LENGTH = 200


@router.get("/sign-in")
async def show_sign_in(request: Request, web: WebStateDep, asked: NextQuery = "") -> Response:
    target = select_local_target(asked, "/account")
    principal = await find_principal(web, request)
    if principal.session is not None:
        return redirect_after_form(target)
    return render_sign_in(web, target)


def render_sign_in(
    web: WebState, target: str, *, status: HTTPStatus = HTTPStatus.OK, name: str = "", problem: str = ""
) -> Response:
    oidc = web.access.deps.oidc
    return render_account_page(
        web,
        "sign_in.html",
        None,
        status=status,
        target=target,
        name=name,
        problem=problem,
        oidc_label=oidc.label if oidc else "",
    )


@router.post("/sign-in")
async def sign_in(request: Request, web: WebStateDep, fields: FormDep) -> Response:
    target = select_local_target(fields.get("next", ""), "/account")
    name = normalize_name(fields.get("name", "")[:_MAX_NAME_LENGTH])
    try:
        user = await _check_password(web, request, name, fields.get("password", ""))
    except ProblemError as error:
        shown = render_sign_in(web, target, status=error.failure.status, name=name, problem=error.failure.detail)
        shown.headers.update(error.failure.headers)
        return shown
    return await open_user_session(web, request, user, "with a password", target)


async def _check_password(web: WebState, request: Request, name: str, password: str) -> User:
    """Raises 401 for a wrong name or password, the same for both, and 429 after too many of them."""
    host, now, access = peer_address(request), asyncio.get_running_loop().time(), web.access
    device = read_token_cookie(request, DEVICE_COOKIE)
    known_user = await access.stores.tickets.find_device_user(device)
    claimed = await access.stores.users.find_by_name(name)
    device = device if claimed is not None and known_user == claimed.user_id else ""
    wait = access.limits.seconds_until_retry(host, name, device, now)
    if wait > 0:
        detail = f"Too many wrong passwords. Try again in {math.ceil(wait)} seconds."
        raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"Retry-After": str(math.ceil(wait))})
    access.limits.record_attempt(host, name, device, now)
    found = await access.accounts.find_by_password(name, password[: MAX_PASSWORD_LENGTH + 1])
    if found is None:
        logger.warning(
            "a sign-in from %s was refused", caller_key(host), action="sign_in_refused", caller=caller_key(host)
        )
        raise ProblemError(HTTPStatus.UNAUTHORIZED, "The name or the password is wrong.")
    access.limits.forget_attempts(host, name, device)
    return found


@router.post("/sign-out")
async def sign_out(request: Request, web: WebStateDep, session: SessionDep) -> Response:
    """End the session in the database, not only in this browser."""
    await web.access.accounts.end_session(session.user.name, session.user, session.session_id)
    response = redirect_after_form("/sign-in")
    delete_token_cookie(request, response, USER_COOKIE)
    return response
