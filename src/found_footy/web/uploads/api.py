"""The JSON API of organizations' uploads. Additive changes only inside v1."""

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from found_footy.domain.uploads import UploadStatus
from found_footy.platform.errors import Conflict, NotFound
from found_footy.platform.http.caller_checks import is_local_caller
from found_footy.platform.mongo import Document
from found_footy.uploads.organizations.quotas import QuotaRefusal
from found_footy.views.uploads import UploadView, build_upload_view
from found_footy.views.uploads_store import UploadFilter, UploadListCursor
from found_footy.web.api.responses import respond_with_etag
from found_footy.web.problems import PROBLEM_MEDIA_TYPE, ProblemDetails, ProblemError
from found_footy.web.state import WebStateDep, peer_address
from found_footy.web.uploads.access import AccessDep, NameDep, UploadsStateDep
from found_footy.web.uploads.reception import build_quota_problem, receive_upload

UPLOADS_PATH = "/api/v1/organizations/{organization_id}/uploads"
_MAX_CURSOR_LENGTH = 512
# A model in its place would also promise the problem as plain JSON.
_PROBLEM_SCHEMA = {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}
_COMMON_PROBLEMS = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_WRITE_PROBLEMS = (HTTPStatus.FORBIDDEN,)
_BODY_PROBLEMS = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.LENGTH_REQUIRED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.INSUFFICIENT_STORAGE,
)


def problem_responses(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    return {
        int(status): {"content": {PROBLEM_MEDIA_TYPE: {"schema": _PROBLEM_SCHEMA}}, "description": status.phrase}
        for status in statuses
    }


router = APIRouter(prefix=UPLOADS_PATH, tags=["uploads"], responses=problem_responses(*_COMMON_PROBLEMS))


class UploadListResponse(BaseModel):
    """`next` is the cursor of the next page; it is missing on the last."""

    uploads: list[UploadView]
    next: str | None = None


class PresignRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: Annotated[int, Field(ge=1)]
    """The size of the image in bytes, exactly."""


class PresignResponse(BaseModel):
    """Where the image is to be sent: the method and the headers are part of the signature."""

    url: str
    method: str
    headers: dict[str, str]
    expires_at: datetime


_LIST_ADAPTER: TypeAdapter[UploadListResponse] = TypeAdapter(UploadListResponse)
_UPLOAD_ADAPTER: TypeAdapter[UploadView] = TypeAdapter(UploadView)


@router.get("", response_model=UploadListResponse)
async def list_uploads(
    request: Request,
    uploads: UploadsStateDep,
    access: AccessDep,
    label: Annotated[str | None, Query(max_length=200)] = None,
    status: Annotated[list[UploadStatus] | None, Query(max_length=4)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(max_length=_MAX_CURSOR_LENGTH)] = None,
) -> Response:
    """The organization's images, newest first."""
    wanted = UploadFilter(label, tuple(status or ()))
    rows = await uploads.store.list_newest(access.organization_id, wanted, parse_cursor(cursor), limit)
    following = format_cursor(rows) if len(rows) == limit else None
    body = UploadListResponse(uploads=[build_upload_view(row) for row in rows], next=following)
    return respond_with_etag(request, _LIST_ADAPTER.dump_json(body), is_private=True)


def parse_cursor(cursor: str | None) -> UploadListCursor | None:
    if cursor is None:
        return None
    milliseconds, _, encoded = cursor.partition("-")
    try:
        created_at = datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
        name = base64.b64decode(encoded.encode("ascii"), b"-_", validate=True).decode()
    except (ValueError, OverflowError, OSError, binascii.Error) as error:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "cursor: not one that this API returned") from error
    return UploadListCursor(created_at, name)


def format_cursor(rows: Sequence[Document]) -> str:
    """Return the cursor of the page after these rows."""
    milliseconds = round(rows[-1]["createdAt"].timestamp() * 1000)
    return f"{milliseconds}-{base64.urlsafe_b64encode(rows[-1]['name'].encode()).decode()}"


@router.get("/{name}", response_model=UploadView, responses=problem_responses(HTTPStatus.GONE))
async def get_upload(request: Request, uploads: UploadsStateDep, access: AccessDep, name: NameDep) -> Response:
    """One image: its status, its labels, and what happened to its name."""
    row = require_row(await uploads.store.get(access.organization_id, name), name)
    return respond_with_etag(request, _UPLOAD_ADAPTER.dump_json(build_upload_view(row)), is_private=True)


def require_row(row: Document | None, name: str) -> Document:
    if row is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no image {name} here.")
    if row.get("deletedAt") is not None:
        raise ProblemError(HTTPStatus.GONE, f"The image {name} was deleted.")
    return row


@router.put(
    "/{name:path}",
    response_model=UploadView,
    status_code=HTTPStatus.CREATED,
    responses={
        int(HTTPStatus.OK): {"model": UploadView, "description": "The image replaces an earlier one of this name."},
        **problem_responses(*_WRITE_PROBLEMS, *_BODY_PROBLEMS, HTTPStatus.REQUEST_TIMEOUT),
    },
    openapi_extra={
        "requestBody": {"required": True, "content": {"image/*": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def put_upload(
    request: Request, web: WebStateDep, uploads: UploadsStateDep, access: AccessDep, name: NameDep
) -> Response:
    """Store an image, or replace the one of this name. It is classified afterwards: ask for its status."""
    received, view = await receive_upload(request, web, uploads, access.organization, name)
    code = HTTPStatus.CREATED if received.is_new else HTTPStatus.OK
    headers = {"Location": view.url, "Cache-Control": "no-store"}
    return Response(_UPLOAD_ADAPTER.dump_json(view), code, headers, media_type="application/json")


@router.delete("/{name}", status_code=HTTPStatus.NO_CONTENT, responses=problem_responses(*_WRITE_PROBLEMS))
async def delete_upload(uploads: UploadsStateDep, access: AccessDep, name: NameDep) -> Response:
    """Delete an image. Its name can be used again."""
    await delete_image(uploads, access.organization_id, name)
    return Response(status_code=HTTPStatus.NO_CONTENT)


async def delete_image(uploads: UploadsStateDep, organization_id: str, name: str) -> None:
    deleted = await uploads.deps.agents.for_organization(organization_id).delete(name)
    await uploads.deps.reservations.forget_deleted(organization_id, name)
    if not deleted:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no image {name} here.")


@router.post(
    "/{name}/retry",
    response_model=UploadView,
    status_code=HTTPStatus.ACCEPTED,
    responses=problem_responses(*_WRITE_PROBLEMS, HTTPStatus.CONFLICT, HTTPStatus.GONE),
)
async def retry_upload(uploads: UploadsStateDep, access: AccessDep, name: NameDep) -> Response:
    """Classify an image again whose classification failed."""
    await retry_image(uploads, access.organization_id, name)
    row = require_row(await uploads.store.get(access.organization_id, name), name)
    body = _UPLOAD_ADAPTER.dump_json(build_upload_view(row))
    return Response(body, HTTPStatus.ACCEPTED, {"Cache-Control": "no-store"}, media_type="application/json")


async def retry_image(uploads: UploadsStateDep, organization_id: str, name: str) -> None:
    try:
        await uploads.deps.agents.for_organization(organization_id).retry(name)
    except NotFound as error:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no image {name} here.") from error
    except Conflict as error:
        detail = f"The classification of {name} has not failed, so there is nothing to repeat."
        raise ProblemError(HTTPStatus.CONFLICT, detail) from error


@router.post(
    "/{name}/presigned",
    response_model=PresignResponse,
    responses=problem_responses(
        *_WRITE_PROBLEMS, *_BODY_PROBLEMS, HTTPStatus.CONFLICT, HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    ),
)
async def presign_upload(
    request: Request,
    web: WebStateDep,
    uploads: UploadsStateDep,
    access: AccessDep,
    name: NameDep,
    wanted: PresignRequest,
) -> PresignResponse:
    """An address that takes this image straight to the object store. Its size is reserved in the quota until the
    address expires.
    """
    if uploads.deps.is_store_local and not is_local_caller(peer_address(request), request.headers):
        detail = "The object store is not reachable from outside; send the image to this API instead."
        raise ProblemError(HTTPStatus.CONFLICT, detail)
    most = uploads.deps.settings.max_bytes
    if wanted.size > most:
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The image may have at most {most} bytes.")
    lifetime: timedelta = web.deps.settings.presigned
    signed = await uploads.deps.receiver.presign(access.organization, name, wanted.size, lifetime, uploads.deps.signer)
    if isinstance(signed, QuotaRefusal):
        raise build_quota_problem(signed)
    return PresignResponse(
        url=signed.url, method="PUT", headers={"Content-Length": str(signed.size)}, expires_at=signed.expires_at
    )
