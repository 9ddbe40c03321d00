"""Forms of the uploads' pages: signing in and out, and requests that carry the page's CSRF token in a field."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from found_footy.domain.uploads import is_organization_id
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebStateDep
from found_footy.web.uploads.access import (
    SESSION_COOKIE,
    Access,
    OrganizationPath,
    UploadsStateDep,
    find_session,
    find_session_organization,
    has_csrf_token,
)
from found_footy.web.uploads.requests import MAX_FORM_BYTES

CSRF_FIELD = "csrf_token"
_MAX_FIELDS = 8


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a small form; of a repeated one, the last value."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The form is too large.")
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=_MAX_FIELDS, errors="strict")
    except ValueError as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "The form cannot be read.") from error
    return {name: values[-1] for name, values in fields.items()}


FormDep = Annotated[dict[str, str], Depends(read_form)]


@dataclass(frozen=True)
class FormAccess:
    access: Access
    fields: dict[str, str]


async def require_form_access(
    request: Request, uploads: UploadsStateDep, organization_id: OrganizationPath, fields: FormDep
) -> FormAccess:
    """Raises 401 without a session, 403 without the page's CSRF token, 404 for another organization."""
    session = await find_session(uploads, request)
    organization = await find_session_organization(uploads, session)
    if session is None or organization is None:
        raise ProblemError(HTTPStatus.UNAUTHORIZED, "You are signed out. Sign in again.")
    if not is_organization_id(organization_id) or organization.organization_id != organization_id:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such organization for this key.")
    if not has_csrf_token(session, request, fields.get(CSRF_FIELD, "")):
        raise ProblemError(HTTPStatus.FORBIDDEN, "The page is out of date, or not ours. Load it again.")
    return FormAccess(Access(organization, session), fields)


FormAccessDep = Annotated[FormAccess, Depends(require_form_access)]


def redirect_with_session(request: Request, web: WebStateDep, token: str, target: str) -> Response:
    """Go on as somebody who is signed in. Scripts cannot read the cookie, and other sites' requests do not carry it."""
    response = RedirectResponse(target, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})
    response.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=int(web.deps.settings.session.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


async def end_session(request: Request, uploads: UploadsStateDep, target: str) -> Response:
    """End the session in the database, not only in this browser."""
    await uploads.deps.sessions.close(request.cookies.get(SESSION_COOKIE, ""))
    response = RedirectResponse(target, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
    return response
