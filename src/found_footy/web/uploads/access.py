"""Who may use an organization's routes: whoever sends its key, or has signed in with it on the page.

A key of another organization gets the same answer as an organization that does not exist.
"""

import asyncio
import math
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Path, Request

from found_footy.domain.uploads import find_name_fault, is_organization_id
from found_footy.platform.http.access_tokens import read_bearer
from found_footy.uploads.organizations.sessions import Session
from found_footy.uploads.organizations.store import Organization
from found_footy.web.forms import CSRF_HEADER, has_csrf_token
from found_footy.web.problems import ProblemError
from found_footy.web.session_cookies import read_token_cookie
from found_footy.web.state import WebStateDep, peer_address
from found_footy.web.uploads.state import UploadsState

SESSION_COOKIE = "footy_session"
_READING_METHODS = ("GET", "HEAD")


def get_uploads_state(web: WebStateDep) -> UploadsState:
    if web.uploads is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "Uploads are switched off here.")
    return web.uploads


UploadsStateDep = Annotated[UploadsState, Depends(get_uploads_state)]
OrganizationPath = Annotated[str, Path(max_length=100)]


@dataclass(frozen=True)
class OrganizationAccess:
    """The organization whose routes are used, and the session if it was a browser that asked."""

    organization: Organization
    session: Session | None

    @property
    def organization_id(self) -> str:
        return self.organization.organization_id


async def require_access(
    request: Request, uploads: UploadsStateDep, organization_id: OrganizationPath
) -> OrganizationAccess:
    """Raises 401 without a valid key or session, 403 for a change without the page's CSRF token, 404 for another
    organization, 429 after too many wrong keys.
    """
    key = read_bearer(request.headers)
    if key is not None:
        found = OrganizationAccess(await authenticate_key(uploads, request, key), None)
    else:
        found = await _authenticate_session(uploads, request)
    if not is_organization_id(organization_id) or found.organization_id != organization_id:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such organization for this key.")
    return found


AccessDep = Annotated[OrganizationAccess, Depends(require_access)]


async def authenticate_key(uploads: UploadsState, request: Request, key: str) -> Organization:
    """Return the organization of the key. Raises 401 for a wrong key, 429 after too many of them.

    A right key is accepted however many wrong ones its address sent: organizations share addresses, and a program that
    still sends a replaced key must not keep out those that send the new one. Keys cannot be guessed in any case.
    """
    found = await uploads.deps.organizations.authenticate(key)
    if found is not None:
        return found
    host, now = peer_address(request), asyncio.get_running_loop().time()
    wait = uploads.wrong_keys.seconds_until_retry(host, now)
    if wait > 0:
        headers = {"Retry-After": str(math.ceil(wait)), "Connection": "close"}
        raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "Too many wrong keys from this address.", headers=headers)
    uploads.wrong_keys.record_wrong_key(host, now)
    raise _build_key_problem("The key is wrong, or no longer valid.")


def _build_key_problem(detail: str) -> ProblemError:
    # The rest of an upload that is refused is not read.
    headers = {"WWW-Authenticate": "Bearer", "Connection": "close"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, headers=headers)


async def _authenticate_session(uploads: UploadsState, request: Request) -> OrganizationAccess:
    session = await find_session(uploads, request)
    found = await find_session_organization(uploads, session)
    if session is None or found is None:
        raise _build_key_problem("Send the organization's key as a bearer token, or sign in on its page.")
    if request.method not in _READING_METHODS and not has_csrf_token(
        session, request, request.headers.get(CSRF_HEADER, "")
    ):
        raise ProblemError(HTTPStatus.FORBIDDEN, "The page is out of date, or not ours. Load it again.")
    return OrganizationAccess(found, session)


async def find_session(uploads: UploadsState, request: Request) -> Session | None:
    return await uploads.deps.sessions.find(read_token_cookie(request, SESSION_COOKIE))


async def find_session_organization(uploads: UploadsState, session: Session | None) -> Organization | None:
    """Return the organization of a session; None if its key was replaced or it was removed since."""
    if session is None or session.organization_id is None:
        return None
    return await _find_organization(uploads, session.organization_id, session.proof)


async def _find_organization(uploads: UploadsState, organization_id: str, key_id: str) -> Organization | None:
    """Return the organization; None if it has another key, or was removed."""
    found = await uploads.deps.organizations.store.get(organization_id)
    is_current = found is not None and found.removed_at is None and found.key.key_id == key_id
    return found if is_current else None


async def is_still_open(uploads: UploadsState, request: Request, access: OrganizationAccess) -> bool:
    """Whether the access that a request got when it began is still given: its session, or else its key."""
    if access.session is not None:
        return await find_session_organization(uploads, await find_session(uploads, request)) is not None
    return await _find_organization(uploads, access.organization_id, access.organization.key.key_id) is not None


def require_upload_name(name: Annotated[str, Path(max_length=1024)]) -> str:
    """Return the name in the address. Raises 422 with a sentence for people for a name that no upload can have."""
    fault = find_name_fault(name)
    # The server replaces bytes that are not UTF-8, so two names could become one.
    if fault is None and "\ufffd" in name:
        fault = "The name is not UTF-8."
    if fault is not None:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, fault, headers={"Connection": "close"})
    return name


NameDep = Annotated[str, Depends(require_upload_name)]
