"""Forms of the uploads' pages: signing in and out, and requests that carry the page's CSRF token in a field."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request, Response

from found_footy.domain.uploads import is_organization_id
from found_footy.web.forms import CSRF_FIELD, FormDep, has_csrf_token, redirect_after_form
from found_footy.web.problems import ProblemError
from found_footy.web.session_cookies import delete_token_cookie, read_token_cookie, set_token_cookie
from found_footy.web.state import WebStateDep
from found_footy.web.uploads.access import (
    SESSION_COOKIE,
    OrganizationAccess,
    OrganizationPath,
    UploadsStateDep,
    find_session,
    find_session_organization,
)


@dataclass(frozen=True)
class FormAccess:
    access: OrganizationAccess
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
    return FormAccess(OrganizationAccess(organization, session), fields)


FormAccessDep = Annotated[FormAccess, Depends(require_form_access)]


def redirect_with_session(request: Request, web: WebStateDep, token: str, target: str) -> Response:
    """Go on as somebody who is signed in."""
    response = redirect_after_form(target)
    set_token_cookie(request, response, SESSION_COOKIE, token, web.deps.settings.session)
    return response


async def end_session(request: Request, uploads: UploadsStateDep, target: str) -> Response:
    """End the session in the database, not only in this browser."""
    await uploads.deps.sessions.close(read_token_cookie(request, SESSION_COOKIE))
    response = redirect_after_form(target)
    delete_token_cookie(request, response, SESSION_COOKIE)
    return response
