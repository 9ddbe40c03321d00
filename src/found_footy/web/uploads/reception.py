"""Receives the body of an upload: within its place, its quota, its size and its time."""

import asyncio
import tempfile
from contextlib import ExitStack
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import IO

from fastapi import Request
from starlette.requests import ClientDisconnect

from found_footy.platform.errors import DiskFailed
from found_footy.platform.http.connection_limits import EXTEND_REQUEST_TIMEOUT
from found_footy.uploads.organizations.quotas import QuotaRefusal
from found_footy.uploads.organizations.receiver import OrganizationRemoved, ReceivedUpload
from found_footy.uploads.organizations.store import Organization
from found_footy.views.uploads import UploadView, build_pending_view, build_upload_view
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState
from found_footy.web.uploads.state import UploadsState

# How long storing may take after the image has arrived, for the reservation to outlast it.
_STORE_TIME = timedelta(minutes=2)
_BUSY_HEADERS = {"Retry-After": "2", "Connection": "close"}
_CLOSE_HEADERS = {"Connection": "close"}


def build_quota_problem(refusal: QuotaRefusal) -> ProblemError:
    if refusal.is_temporary:
        return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, refusal.reason, headers=_BUSY_HEADERS)
    return ProblemError(HTTPStatus.INSUFFICIENT_STORAGE, refusal.reason, headers=_CLOSE_HEADERS)


async def receive_upload(
    request: Request, web: WebState, uploads: UploadsState, organization: Organization, name: str
) -> tuple[ReceivedUpload, UploadView]:
    """Store the body of the request; returns what was stored, and the row as it is by then."""
    with uploads.slots.take(organization.organization_id) as has_place:
        if not has_place:
            detail = "Too many images are being received at the moment."
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers=_BUSY_HEADERS)
        received = await _receive_into_store(request, web.deps.settings.upload_timeout, uploads, organization, name)
    row = await uploads.store.get(organization.organization_id, name)
    if row is not None and row.get("eventId") == received.event_id and row.get("deletedAt") is None:
        return received, build_upload_view(row)
    now = web.deps.clock()
    view = build_pending_view(organization.organization_id, name, received.event_id, received.etag, received.size, now)
    return received, view


async def _receive_into_store(
    request: Request, deadline: timedelta, uploads: UploadsState, organization: Organization, name: str
) -> ReceivedUpload:
    size = int(request.headers["content-length"])
    if size == 0:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "The image is empty.")
    receiver = uploads.deps.receiver
    reserved = await receiver.reserve(organization, name, size, deadline + _STORE_TIME)
    if isinstance(reserved, QuotaRefusal):
        raise build_quota_problem(reserved)
    with ExitStack() as stack:
        try:
            file = _open_spool(stack)
            await _spool_body(request, file, size, deadline)
        except (ProblemError, DiskFailed):
            # Nothing was stored. After a failure below the object may be there: the reservation expires, and then the
            # store is asked.
            await receiver.release(organization, reserved)
            raise
        try:
            return await receiver.store_file(organization, reserved, Path(file.name))
        except OrganizationRemoved as error:
            raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such organization for this key.") from error


def _open_spool(stack: ExitStack) -> IO[bytes]:
    """Not buffered: closing would write again what a full disk did not take, and fail again."""
    try:
        return stack.enter_context(tempfile.NamedTemporaryFile(prefix="found-footy-upload-", buffering=0))
    except OSError as error:
        raise DiskFailed("disk", str(error)) from error


async def _spool_body(request: Request, file: IO[bytes], size: int, deadline: timedelta) -> None:
    """Write the body to a temporary file: only an image that has arrived whole is stored, and one that arrives slowly
    takes neither memory nor a connection to the store.
    """
    extend_timeout = request.scope.get("extensions", {}).get(EXTEND_REQUEST_TIMEOUT)
    if extend_timeout is not None:
        extend_timeout(deadline)
    received = 0
    try:
        async with asyncio.timeout(deadline.total_seconds()):
            async for chunk in request.stream():
                received += len(chunk)
                if received > size:
                    raise ProblemError(HTTPStatus.BAD_REQUEST, "The body is longer than declared.")
                _write_all(file, chunk)
    except TimeoutError as error:
        raise ProblemError(HTTPStatus.REQUEST_TIMEOUT, "The image did not arrive in time.") from error
    except ClientDisconnect as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "The connection ended before the image had arrived.") from error
    except OSError as error:
        raise DiskFailed("disk", str(error)) from error
    if received != size:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "The body is shorter than declared.")


def _write_all(file: IO[bytes], data: bytes) -> None:
    """A disk that is nearly full takes a part, and fails with the rest."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
