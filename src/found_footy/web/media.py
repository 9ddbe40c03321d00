"""Routes of clips: permanent clip URLs, and the stored files."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from found_footy.domain.collections import MAX_CLIP_REDIRECTS
from found_footy.domain.removed_clips import ClipRemovalReason
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStream
from found_footy.web import metrics
from found_footy.web.access import (
    CLIP_ID_PATTERN,
    EvidenceKey,
    MediaAccess,
    MediaGone,
    MediaGranted,
    MediaKey,
    MediaMoved,
    MediaUnknown,
    decide_clip_access,
    decide_evidence_access,
    decide_media_access,
)
from found_footy.web.problems import ProblemError
from found_footy.web.ranges import ObjectMetadata, build_media_headers, decide_range_response
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)
logger = ActionLogger(__name__)

_GONE_MESSAGES = {
    ClipRemovalReason.GOAL_REMOVED: "This is no longer a goal, so its clips are not shown.",
    ClipRemovalReason.CLIP_REMOVED: "This clip was removed.",
    ClipRemovalReason.TAKEN_DOWN: "This clip was removed.",
    ClipRemovalReason.CLEARED: "This clip was deleted with its match, when the retention period ended.",
}
UNKNOWN_CLIP_MESSAGE = "This clip does not exist."


@router.head("/clips/{clip_id}.mp4")
@router.get("/clips/{clip_id}.mp4")
async def redirect_to_clip(web: WebStateDep, clip_id: Annotated[str, Path(pattern=CLIP_ID_PATTERN)]) -> Response:
    return _redirect_to_media(await resolve_clip_key(web, clip_id))


async def resolve_clip_key(web: WebState, clip_id: str) -> str:
    """Return the key of the clip's file now. Raises ProblemError: 404 if there is none, 410 if it is gone."""
    return _require_key(await _resolve_clip(web, clip_id))


async def _resolve_clip(web: WebState, clip_id: str) -> MediaAccess:
    """Decide access to a clip or to the one that replaced it, following a bounded number of redirects."""
    seen = {clip_id}
    while len(seen) <= MAX_CLIP_REDIRECTS:
        stored = await web.store.find_fixture_of_clip(clip_id)
        verdict = decide_clip_access(stored.document if stored else None, clip_id)
        if isinstance(verdict, MediaGranted) or (isinstance(verdict, MediaGone) and verdict.is_final):
            return verdict
        successor = await web.store.get_clip_redirect(clip_id)
        if successor is None:
            return await _resolve_deleted_clip(web, clip_id) if isinstance(verdict, MediaUnknown) else verdict
        if successor in seen:
            break
        clip_id = successor
        seen.add(clip_id)
    logger.error("the redirects of a clip do not lead to a clip", action="clip_redirect_loop", clips=sorted(seen))
    raise ProblemError(HTTPStatus.NOT_FOUND, UNKNOWN_CLIP_MESSAGE)


async def _resolve_deleted_clip(web: WebState, clip_id: str) -> MediaAccess:
    """Decide access to a clip of a deleted fixture."""
    why = await web.store.get_gone_reason(clip_id)
    return MediaUnknown() if why is None else MediaGone(why, is_final=True)


@router.head("/media/{key:path}")
@router.get("/media/{key:path}")
async def serve_media(request: Request, web: WebStateDep, key: str) -> Response:
    asked = MediaKey.parse(key) or EvidenceKey.parse(key)
    if asked is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, UNKNOWN_CLIP_MESSAGE)
    stored = await web.store.get_fixture(asked.fixture_id)
    document = stored.document if stored else None
    verdict = (
        decide_media_access(document, asked) if isinstance(asked, MediaKey) else decide_evidence_access(document, asked)
    )
    if stored is None and await web.store.is_fixture_deleted(asked.fixture_id):
        verdict = MediaGone(ClipRemovalReason.CLEARED)
    granted = _require_key(verdict)
    return _redirect_to_media(granted) if isinstance(verdict, MediaMoved) else await serve_object(request, web, asked)


def _require_key(access: MediaAccess) -> str:
    if isinstance(access, MediaGranted | MediaMoved):
        return access.key
    if isinstance(access, MediaGone):
        raise ProblemError(HTTPStatus.GONE, _GONE_MESSAGES[access.reason])
    raise ProblemError(HTTPStatus.NOT_FOUND, UNKNOWN_CLIP_MESSAGE)


def _redirect_to_media(key: str) -> Response:
    """Not cacheable: a better copy may replace the clip at any time."""
    return RedirectResponse(f"/media/{key}", HTTPStatus.FOUND, {"Cache-Control": "no-cache"})


async def serve_object(
    request: Request,
    web: WebState,
    requested: MediaKey | EvidenceKey,
    extra_headers: Mapping[str, str] | None = None,
) -> Response:
    info = await web.deps.objects.head(requested.key)
    if info is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, UNKNOWN_CLIP_MESSAGE)
    facts = ObjectMetadata(info.size, info.etag, info.modified)
    result = decide_range_response(request.headers, facts)
    headers = build_media_headers(result, facts, requested.content_type) | dict(extra_headers or {})
    if request.method == "HEAD" or result.length <= 0:
        return Response(status_code=result.status, headers=headers)
    opened = await web.deps.objects.open(requested.key, start=result.start, end=result.end)
    return StreamingResponse(count_bytes(_iter_chunks(opened)), result.status, headers)


async def _iter_chunks(stream: ObjectStream) -> AsyncGenerator[bytes, None]:
    """A visitor who disconnects must not keep the object store's connection open."""
    try:
        async for chunk in stream.chunks:
            yield chunk
    finally:
        await stream.aclose()


async def count_bytes(chunks: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    async with aclosing(chunks):
        async for chunk in chunks:
            metrics.MEDIA_BYTES.inc(len(chunk))
            yield chunk
