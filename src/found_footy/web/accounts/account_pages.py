"""The page of one's own account: password, sessions, API keys, share links."""

import asyncio
import math
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response

from found_footy.access.accounts import MAX_LABEL_LENGTH
from found_footy.access.levels import KeyScope, list_scopes
from found_footy.access.rules import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from found_footy.access.session_store import UserSession
from found_footy.platform.errors import BadInput, NotFound
from found_footy.web.accounts.page_parts import describe_refusal, open_user_session, render_account_page
from found_footy.web.accounts.principals import SessionDep
from found_footy.web.forms import FormDep, redirect_after_form
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)
# What the form offers; "never" is an answer too, but not the first one.
LIFETIMES = {
    "90": timedelta(days=90),
    "7": timedelta(days=7),
    "30": timedelta(days=30),
    "365": timedelta(days=365),
    "never": None,
}


@router.get("/account")
async def show_account(web: WebStateDep, session: SessionDep, zone: ZoneCookie = None) -> Response:
    return await _render_account(web, session, zone)


async def _render_account(
    web: WebState, session: UserSession, zone: str | None, *, status: HTTPStatus = HTTPStatus.OK, **context: Any
) -> Response:
    stores, user = web.access.stores, session.user
    notice = await stores.sessions.take_notice(session.session_id)
    return render_account_page(
        web,
        "account.html",
        session,
        status=status,
        zone=zone,
        sessions=await stores.sessions.list_open(user),
        this_session=session.session_id,
        keys=await stores.keys.list_keys(user.user_id),
        shares=[(link, "") for link in await stores.shares.list_links(user.user_id)],
        scopes=list_scopes(user.role),
        lifetimes=list(LIFETIMES),
        min_length=MIN_PASSWORD_LENGTH,
        max_label=MAX_LABEL_LENGTH,
        **({"notice": notice, "problem": "", "new_key": ""} | context),
    )


@router.post("/account/password")
async def change_password(
    request: Request, web: WebStateDep, session: SessionDep, fields: FormDep, zone: ZoneCookie = None
) -> Response:
    """All sessions of the user end, and this browser gets a new one."""
    user, accounts = session.user, web.access.accounts
    given, repeated = fields.get("new", ""), fields.get("repeated", "")
    problem = ""
    if user.password_hash and (wrong := await _check_current_password(web, session, fields.get("current", ""))):
        problem = wrong
    elif given != repeated:
        problem = "The two new passwords are not the same."
    try:
        if not problem:
            changed = await accounts.set_password(user.name, user.name, given)
            return await open_user_session(web, request, changed, "with a new password", "/account")
    except BadInput as error:
        problem = str(error)
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    return await _render_account(web, session, zone, status=status, problem=problem)


async def _check_current_password(web: WebState, session: UserSession, given: str) -> str:
    """Return what is wrong; empty for the right password. Wrong ones count: somebody at a browser that was left open
    must not find the password out by trying.
    """
    limits, now, caller = web.access.password_changes, asyncio.get_running_loop().time(), session.user.user_id
    wait = limits.seconds_until_retry(caller, now)
    if wait > 0:
        return f"Too many wrong passwords. Try again in {math.ceil(wait)} seconds."
    limits.record_attempt(caller, now)
    if await web.access.accounts.find_by_password(session.user.name, given[: MAX_PASSWORD_LENGTH + 1]) is None:
        return "The current password is wrong."
    limits.forget_latest(caller)
    return ""


@router.post("/account/sessions/end")
async def end_sessions(web: WebStateDep, session: SessionDep, fields: FormDep) -> Response:
    """End one session, or all of them with this one."""
    chosen = fields.get("session", "")
    if chosen:
        await web.access.accounts.end_session(session.user.name, session.user, chosen)
        return redirect_after_form("/account")
    await web.access.accounts.end_sessions(session.user.name, session.user)
    return redirect_after_form("/sign-in")


@router.post("/account/keys/add")
async def add_key(web: WebStateDep, session: SessionDep, fields: FormDep, zone: ZoneCookie = None) -> Response:
    """The answer is the only page that shows the key."""
    user = session.user
    try:
        scope, lifetime = KeyScope(fields.get("scope", "")), LIFETIMES[fields.get("lifetime", "")]
    except (ValueError, KeyError):
        problem = "Choose a scope and a lifetime."
        return await _render_account(web, session, zone, status=HTTPStatus.UNPROCESSABLE_ENTITY, problem=problem)
    try:
        key, _ = await web.access.accounts.add_key(user.name, user, fields.get("label", ""), scope, lifetime)
    except BadInput as error:
        return await _render_account(web, session, zone, status=HTTPStatus.UNPROCESSABLE_ENTITY, problem=str(error))
    return await _render_account(web, session, zone, new_key=key)


@router.post("/account/keys/revoke")
async def revoke_key(web: WebStateDep, session: SessionDep, fields: FormDep) -> Response:
    try:
        await web.access.accounts.revoke_key(session.user.name, fields.get("key", ""), session.user)
    except NotFound as error:
        raise describe_refusal(error) from error
    return redirect_after_form("/account")


@router.post("/account/shares/revoke")
async def revoke_share_link(web: WebStateDep, session: SessionDep, fields: FormDep) -> Response:
    try:
        await web.access.accounts.revoke_share_link(session.user.name, fields.get("link", ""), session.user)
    except NotFound as error:
        raise describe_refusal(error) from error
    return redirect_after_form("/account")
