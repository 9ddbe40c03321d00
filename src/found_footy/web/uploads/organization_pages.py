"""The page of an organization: signing in, its images, and one image with what happened to it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Cookie, Depends, Query, Request, Response

from found_footy.domain.uploads import OPEN_STATUSES, UploadStatus, is_organization_id
from found_footy.uploads.organizations.quotas import Quota
from found_footy.views.timetable import find_time_zone, time_zone_name
from found_footy.views.uploads import build_upload_view, uploads_path
from found_footy.views.uploads_store import UploadFilter
from found_footy.web.forms import PAGE_HEADERS, FormDep, redirect_after_form
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep
from found_footy.web.uploads.access import (
    NameDep,
    OrganizationAccess,
    OrganizationPath,
    UploadsStateDep,
    authenticate_key,
    find_session,
    find_session_organization,
)
from found_footy.web.uploads.api import delete_image, format_cursor, parse_cursor, require_row, retry_image
from found_footy.web.uploads.sessions import (
    FormAccessDep,
    end_session,
    redirect_with_session,
    require_form_access,
)
from found_footy.web.uploads.state import UploadsState

router = APIRouter(include_in_schema=False)

_PAGE_SIZE = 60
_MAX_LABELS = 24
# The filters of the page, by the word in its address.
STATUS_FILTERS: Mapping[str, tuple[str, tuple[UploadStatus, ...]]] = {
    "classified": ("Classified", (UploadStatus.CLASSIFIED,)),
    "open": ("In progress", OPEN_STATUSES),
    "failed": ("Failed", (UploadStatus.FAILED,)),
}
ZoneCookie = Annotated[str | None, Cookie(alias="zone", max_length=64)]
LabelQuery = Annotated[str | None, Query(max_length=200)]
StatusQuery = Annotated[str | None, Query(max_length=20)]
CursorQuery = Annotated[str | None, Query(max_length=512)]


@router.get("/organizations")
async def show_sign_in(request: Request, web: WebStateDep, uploads: UploadsStateDep) -> Response:
    found = await find_session_organization(uploads, await find_session(uploads, request))
    if found is not None:
        return redirect_after_form(organization_path(found.organization_id))
    return _render_sign_in(web, HTTPStatus.OK)


@router.post("/organizations")
async def sign_in(request: Request, web: WebStateDep, uploads: UploadsStateDep, fields: FormDep) -> Response:
    try:
        found = await authenticate_key(uploads, request, fields.get("key", "").strip())
    except ProblemError as error:
        return _render_sign_in(web, error.failure.status, problem=error.failure.detail)
    token = await uploads.deps.sessions.open(found.organization_id, found.key.key_id)
    return redirect_with_session(request, web, token, organization_path(found.organization_id))


def organization_path(organization_id: str, name: str = "") -> str:
    return f"/organizations/{organization_id}" + (f"/uploads/{quote(name, safe='')}" if name else "")


def _render_sign_in(web: WebState, status: HTTPStatus, *, organization_id: str = "", problem: str = "") -> Response:
    return web.renderer.render_page(
        "uploads_sign_in.html",
        status=status,
        headers=PAGE_HEADERS,
        organization_id=organization_id if is_organization_id(organization_id) else "",
        problem=problem,
    )


async def _find_page_access(request: Request, uploads: UploadsState, organization_id: str) -> OrganizationAccess | None:
    session = await find_session(uploads, request)
    found = await find_session_organization(uploads, session)
    if session is None or found is None or found.organization_id != organization_id:
        return None
    return OrganizationAccess(found, session)


@router.get("/organizations/{organization_id}")
async def show_uploads(
    request: Request,
    web: WebStateDep,
    uploads: UploadsStateDep,
    organization_id: OrganizationPath,
    label: LabelQuery = None,
    status: StatusQuery = None,
    cursor: CursorQuery = None,
    zone: ZoneCookie = None,
) -> Response:
    access = await _find_page_access(request, uploads, organization_id)
    if access is None:
        return _render_sign_in(web, HTTPStatus.UNAUTHORIZED, organization_id=organization_id)
    # Read before the rows: a change in between is told again rather than missed.
    position = uploads.feed.format_cursor(organization_id)
    wanted = UploadFilter(label or None, STATUS_FILTERS.get(status or "", ("", ()))[1])
    rows = await uploads.store.list_newest(organization_id, wanted, parse_cursor(cursor or None), _PAGE_SIZE)
    context = {
        "uploads": [build_upload_view(row) for row in rows],
        "counts": await uploads.store.count(organization_id, _MAX_LABELS),
        "use": await uploads.deps.reservations.measure_use(organization_id),
        "quota": access.organization.resolve_quota(_default_quota(uploads)),
        "max_bytes": uploads.deps.settings.max_bytes,
        "status_filters": STATUS_FILTERS,
        "shown_status": status if status in STATUS_FILTERS else None,
        "label": label or None,
        "address": lambda **query: _list_address(organization_id, query),
        "next_cursor": format_cursor(rows) if len(rows) == _PAGE_SIZE else None,
        "is_first_page": not cursor,
    }
    return _render_page(web, "uploads.html", access, position, zone, context)


def _list_address(organization_id: str, query: Mapping[str, str | None]) -> str:
    given = {name: value for name, value in query.items() if value}
    return organization_path(organization_id) + (f"?{urlencode(given)}" if given else "")


def _default_quota(uploads: UploadsState) -> Quota:
    return Quota(uploads.deps.settings.quota_bytes, uploads.deps.settings.quota_objects)


@router.get("/organizations/{organization_id}/uploads/{name}")
async def show_upload(
    request: Request,
    web: WebStateDep,
    uploads: UploadsStateDep,
    organization_id: OrganizationPath,
    name: NameDep,
    zone: ZoneCookie = None,
) -> Response:
    access = await _find_page_access(request, uploads, organization_id)
    if access is None:
        return _render_sign_in(web, HTTPStatus.UNAUTHORIZED, organization_id=organization_id)
    position = uploads.feed.format_cursor(organization_id)
    row = require_row(await uploads.store.get(organization_id, name), name)
    return _render_page(web, "upload.html", access, position, zone, {"upload": build_upload_view(row)})


def _render_page(
    web: WebState, template: str, access: OrganizationAccess, position: str, zone: str | None, context: dict[str, Any]
) -> Response:
    place = find_time_zone(zone)
    return web.renderer.render_page(
        template,
        headers=PAGE_HEADERS,
        organization_id=access.organization_id,
        csrf_token=access.session.csrf_token if access.session else "",
        api_path=uploads_path(access.organization_id),
        page_path=lambda name="": organization_path(access.organization_id, name),
        position=position,
        zone=place,
        zone_name=time_zone_name(place),
        **context,
    )


@router.post("/organizations/{organization_id}/retry")
async def retry_from_form(uploads: UploadsStateDep, form: FormAccessDep) -> Response:
    """For browsers without scripts; the others use the API."""
    organization_id, name = form.access.organization_id, form.fields.get("name", "")
    await retry_image(uploads, organization_id, name)
    return redirect_after_form(organization_path(organization_id, name))


@router.post("/organizations/{organization_id}/delete")
async def delete_from_form(uploads: UploadsStateDep, form: FormAccessDep) -> Response:
    organization_id = form.access.organization_id
    await delete_image(uploads, organization_id, form.fields.get("name", ""))
    return redirect_after_form(organization_path(organization_id))


@router.post("/organizations/{organization_id}/sign-out", dependencies=[Depends(require_form_access)])
async def sign_out(request: Request, uploads: UploadsStateDep) -> Response:
    return await end_session(request, uploads, "/organizations")
