"""The pictures of organizations' uploads: the original with its sniffed type, and the preview that the decoder made."""

from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from found_footy.domain.uploads import object_key
from found_footy.platform.errors import BadInput, NotFound
from found_footy.platform.mongo import Document
from found_footy.platform.objects import ObjectInfo, ObjectStore, ObjectStream
from found_footy.views.uploads import select_served_type
from found_footy.web import metrics
from found_footy.web.problems import ProblemError
from found_footy.web.ranges import ObjectMetadata, RangeResponse, build_media_headers, decide_range_response
from found_footy.web.uploads.access import AccessDep, NameDep, UploadsStateDep
from found_footy.web.uploads.api import UPLOADS_PATH, problem_responses, require_row

_PROBLEMS = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.GONE,
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
# A picture opened as a page of its own runs nothing and loads nothing.
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
_DOWNLOAD_TYPE = "application/octet-stream"
_PREVIEW_TYPE = "image/jpeg"
_MAX_READS = 3
DescribeObject = Callable[[ObjectInfo], dict[str, str]]
"""Returns the headers that tell what an object is."""


def _picture_responses(description: str) -> dict[int | str, dict[str, Any]]:
    content = {"image/*": {"schema": {"type": "string", "format": "binary"}}}
    return {
        200: {"description": description, "content": content},
        206: {"description": "The requested range of it.", "content": content},
        304: {"description": "The caller has this version."},
        **problem_responses(*_PROBLEMS),
    }


router = APIRouter(prefix=UPLOADS_PATH, tags=["uploads"])


@router.head("/{name}/original", include_in_schema=False)
@router.get("/{name}/original", response_class=Response, responses=_picture_responses("The image as it was uploaded."))
async def serve_original(request: Request, uploads: UploadsStateDep, access: AccessDep, name: NameDep) -> Response:
    """The image as it was uploaded. One whose bytes were not recognized as an image is a download."""
    row = require_row(await uploads.store.get(access.organization_id, name), name)
    key = object_key(access.organization_id, name)
    return await _serve_object(request, uploads.deps.objects, key, lambda info: _build_type_headers(row, info, name))


@router.head("/{name}/preview", include_in_schema=False)
@router.get("/{name}/preview", response_class=Response, responses=_picture_responses("A small JPEG of the image."))
async def serve_preview(request: Request, uploads: UploadsStateDep, access: AccessDep, name: NameDep) -> Response:
    """A small picture, at most 320 pixels wide and high, for images that could be decoded."""
    row = require_row(await uploads.store.get(access.organization_id, name), name)
    key = row.get("previewKey")
    if not isinstance(key, str) or not key:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no preview of {name}.")
    return await _serve_object(request, uploads.deps.objects, key, lambda _: {"Content-Type": _PREVIEW_TYPE})


def _build_type_headers(row: Document, info: ObjectInfo, name: str) -> dict[str, str]:
    served = select_served_type(row, info.etag)
    shown = "inline" if served else "attachment"
    disposition = f"{shown}; filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Type": served or _DOWNLOAD_TYPE, "Content-Disposition": disposition}


async def _serve_object(request: Request, objects: ObjectStore, key: str, describe: DescribeObject) -> Response:
    """Answer with one version of the object: an object that is replaced between the two reads is read again."""
    for _ in range(_MAX_READS):
        info = await objects.head(key)
        if info is None:
            break
        metadata = ObjectMetadata(info.size, info.etag, info.modified)
        result = decide_range_response(request.headers, metadata)
        headers = build_media_headers(result, metadata, _DOWNLOAD_TYPE) | _PICTURE_HEADERS
        if result.status != HTTPStatus.NOT_MODIFIED:
            headers |= describe(info)
        if request.method == "HEAD" or result.length <= 0:
            return Response(status_code=result.status, headers=headers)
        stream = await _open_version(objects, info, result)
        if stream is not None:
            return StreamingResponse(_stream_and_count(stream), result.status, headers)
    raise ProblemError(HTTPStatus.NOT_FOUND, "The picture is not stored, or no longer.")


_PICTURE_HEADERS = {"Content-Security-Policy": _PICTURE_POLICY, "Cache-Control": "private, no-cache"}


async def _open_version(objects: ObjectStore, info: ObjectInfo, result: RangeResponse) -> ObjectStream | None:
    """Open the range of the version that `info` describes; None if another one is stored by now."""
    try:
        stream = await objects.open(info.key, start=result.start, end=result.end)
    except (NotFound, BadInput):
        return None
    if stream.info.etag == info.etag:
        return stream
    await stream.aclose()
    return None


async def _stream_and_count(stream: ObjectStream) -> AsyncIterator[bytes]:
    try:
        async for chunk in stream.chunks:
            metrics.MEDIA_BYTES.inc(len(chunk))
            yield chunk
    finally:
        await stream.aclose()
