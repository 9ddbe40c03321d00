"""Pages for admins: users with their keys and share links, and the audit log."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from found_footy.access.levels import Role
from found_footy.access.rules import normalize_name
from found_footy.platform.errors import BadInput, Conflict, NotFound
from found_footy.web.accounts.page_parts import describe_refusal, render_account_page
from found_footy.web.accounts.principals import Principal, PrincipalDep
from found_footy.web.forms import FormDep, redirect_after_form
from found_footy.web.pages.links import read_site_address
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)
_PAGE_SIZE = 100
FilterText = Annotated[str, Query(max_length=200)]


@router.get("/users")
async def show_users(web: WebStateDep, principal: PrincipalDep, zone: ZoneCookie = None) -> Response:
    return await _render_users(web, principal, zone)


async def _render_users(
    web: WebState, principal: Principal, zone: str | None, *, status: HTTPStatus = HTTPStatus.OK, **context: Any
) -> Response:
    users = await web.access.stores.users.list_all()
    names = {user.user_id: user.name for user in users}
    return render_account_page(
        web,
        "users.html",
        principal.session,
        status=status,
        zone=zone,
        users=users,
        roles=list(Role),
        keys=[(key, names.get(key.user_id, "")) for key in await web.access.stores.keys.list_keys()],
        shares=[(link, names.get(link.user_id, "")) for link in await web.access.stores.shares.list_links()],
        **({"problem": "", "new_link": "", "invited": ""} | context),
    )


def _require_other(principal: Principal, name: str) -> str:
    """One's own role and account are out of reach, so that an admin remains."""
    name = normalize_name(name)
    if principal.session is not None and principal.session.user.name == name:
        raise ProblemError(HTTPStatus.CONFLICT, "Another admin must do this to your account.")
    return name


def _parse_role(text: str) -> Role:
    try:
        return Role(text)
    except ValueError as error:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "Choose a role.") from error


@router.post("/users/add")
async def add_user(
    request: Request, web: WebStateDep, principal: PrincipalDep, fields: FormDep, zone: ZoneCookie = None
) -> Response:
    """The new user chooses a password by the link that the answer shows."""
    role = _parse_role(fields.get("role", ""))
    try:
        user = await web.access.accounts.add_user(principal.name, fields.get("name", ""), role, None)
    except (BadInput, Conflict) as error:
        problem = describe_refusal(error).failure
        return await _render_users(web, principal, zone, status=problem.status, problem=problem.detail)
    return await _render_link(request, web, principal, user.name, zone)


@router.post("/users/link")
async def give_link(
    request: Request, web: WebStateDep, principal: PrincipalDep, fields: FormDep, zone: ZoneCookie = None
) -> Response:
    """For a user who forgot the password: the old one stays valid until another is chosen."""
    return await _render_link(request, web, principal, fields.get("name", ""), zone)


async def _render_link(request: Request, web: WebState, principal: Principal, name: str, zone: str | None) -> Response:
    try:
        token = await web.access.accounts.invite(principal.name, name, web.access.deps.settings.invitation)
    except NotFound as error:
        raise describe_refusal(error) from error
    link = f"{read_site_address(web, request)}/welcome/{token}"
    return await _render_users(web, principal, zone, new_link=link, invited=normalize_name(name))


@router.post("/users/role")
async def change_role(web: WebStateDep, principal: PrincipalDep, fields: FormDep) -> Response:
    name, role = _require_other(principal, fields.get("name", "")), _parse_role(fields.get("role", ""))
    try:
        await web.access.accounts.set_role(principal.name, name, role)
    except NotFound as error:
        raise describe_refusal(error) from error
    return redirect_after_form("/users")


@router.post("/users/remove")
async def remove_user(web: WebStateDep, principal: PrincipalDep, fields: FormDep) -> Response:
    name = _require_other(principal, fields.get("name", ""))
    if fields.get("confirmed") != "yes":
        return render_account_page(web, "user_remove.html", principal.session, name=name)
    try:
        await web.access.accounts.remove_user(principal.name, name)
    except NotFound as error:
        raise describe_refusal(error) from error
    return redirect_after_form("/users")


@router.post("/users/keys/revoke")
async def revoke_any_key(web: WebStateDep, principal: PrincipalDep, fields: FormDep) -> Response:
    try:
        await web.access.accounts.revoke_key(principal.name, fields.get("key", ""))
    except NotFound as error:
        raise describe_refusal(error) from error
    return redirect_after_form("/users")


@router.post("/users/shares/revoke")
async def revoke_any_share_link(web: WebStateDep, principal: PrincipalDep, fields: FormDep) -> Response:
    try:
        await web.access.accounts.revoke_share_link(principal.name, fields.get("link", ""))
    except NotFound as error:
        raise describe_refusal(error) from error
    return redirect_after_form("/users")


@router.get("/audit")
async def show_audit(
    web: WebStateDep,
    principal: PrincipalDep,
    target: FilterText = "",
    by: FilterText = "",
    before: datetime | None = None,
    zone: ZoneCookie = None,
) -> Response:
    if before is not None and before.tzinfo is None:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "The moment needs a time zone.")
    log = web.access.stores.audit_log
    rows = [row async for row in log.read_history(target, _PAGE_SIZE + 1, actor=by, before=before)]
    return render_account_page(
        web,
        "audit.html",
        principal.session,
        zone=zone,
        entries=rows[:_PAGE_SIZE],
        next_before=rows[_PAGE_SIZE - 1]["at"].isoformat() if len(rows) > _PAGE_SIZE else "",
        target=target,
        by=by,
    )
