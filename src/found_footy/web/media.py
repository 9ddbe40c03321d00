"""Clips by their lasting address, and the bytes themselves."""

import logging
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from found_footy.model.gone import Why
from found_footy.platform.objects import ObjectStream
from found_footy.web import metrics
from found_footy.web.access import CLIP_ID, Gone, MediaKey, Moved, Serve, Unknown, Verdict, clip_verdict, media_verdict
from found_footy.web.problems import ProblemError
from found_footy.web.ranges import Facts, answer, media_headers
from found_footy.web.state import Site, Web

router = APIRouter(include_in_schema=False)
_log = logging.getLogger(__name__)

_MOST_REDIRECTS = 8
_REASONS = {
    Why.STRUCK_OUT: "This goal was struck out, so its clips are no longer shown.",
    Why.REMOVED: "This clip was removed.",
    Why.TAKEN_DOWN: "This clip was removed.",
    Why.CLEARED: "This clip was deleted with its match, after the time that matches are kept.",
}
_UNKNOWN_CLIP = "There is no such clip."


@router.head("/clips/{clip_id}.mp4")
@router.get("/clips/{clip_id}.mp4")
async def clip(web: Site, clip_id: Annotated[str, Path(pattern=CLIP_ID)]) -> Response:
    verdict = await _clip(web, clip_id)
    return _redirect(_key_of(verdict))


async def _clip(web: Web, clip_id: str) -> Verdict:
    """The verdict on a clip or on the one that took its place, after a bounded number of steps."""
    seen = {clip_id}
    while len(seen) <= _MOST_REDIRECTS:
        stored = await web.store.holding(clip_id)
        verdict = clip_verdict(stored.document if stored else None, clip_id)
        if isinstance(verdict, Serve) or (isinstance(verdict, Gone) and verdict.final):
            return verdict
        successor = await web.store.redirect(clip_id)
        if successor is None:
            return await _remembered(web, clip_id) if isinstance(verdict, Unknown) else verdict
        if successor in seen:
            break
        clip_id = successor
        seen.add(clip_id)
    _log.error("clip redirects lead nowhere", extra={"action": "clip_redirect_loop", "clips": sorted(seen)})
    raise ProblemError(HTTPStatus.NOT_FOUND, _UNKNOWN_CLIP)


async def _remembered(web: Web, clip_id: str) -> Verdict:
    """The verdict on a clip of a fixture that was deleted."""
    why = await web.store.why_gone(clip_id)
    return Unknown() if why is None else Gone(why, final=True)


@router.head("/media/{key:path}")
@router.get("/media/{key:path}")
async def media(request: Request, web: Site, key: str) -> Response:
    asked = MediaKey.parse(key)
    if asked is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, _UNKNOWN_CLIP)
    stored = await web.store.fixture(asked.fixture_id)
    verdict = media_verdict(stored.document if stored else None, asked)
    if stored is None and await web.store.is_cleared(asked.fixture_id):
        verdict = Gone(Why.CLEARED)
    granted = _key_of(verdict)
    return _redirect(granted) if isinstance(verdict, Moved) else await _bytes(request, web, asked)


def _key_of(verdict: Verdict) -> str:
    if isinstance(verdict, Serve | Moved):
        return verdict.key
    if isinstance(verdict, Gone):
        raise ProblemError(HTTPStatus.GONE, _REASONS[verdict.why])
    raise ProblemError(HTTPStatus.NOT_FOUND, _UNKNOWN_CLIP)


def _redirect(key: str) -> Response:
    """Not to be kept: the clip may be replaced by a better copy at any time."""
    return RedirectResponse(f"/media/{key}", HTTPStatus.FOUND, {"Cache-Control": "no-cache"})


async def _bytes(request: Request, web: Web, asked: MediaKey) -> Response:
    info = await web.deps.objects.head(asked.key)
    if info is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, _UNKNOWN_CLIP)
    facts = Facts(info.size, info.etag, info.modified)
    result = answer(request.headers, facts)
    headers = media_headers(result, facts, asked.content_type)
    if request.method == "HEAD" or result.length <= 0:
        return Response(status_code=result.status, headers=headers)
    opened = await web.deps.objects.open(asked.key, start=result.start, end=result.end)
    return StreamingResponse(_counted(opened), result.status, headers)


async def _counted(opened: ObjectStream) -> AsyncIterator[bytes]:
    """The bytes as they come. A visitor who leaves half-way must not keep the store's connection."""
    try:
        async for chunk in opened.chunks:
            metrics.MEDIA_BYTES.inc(len(chunk))
            yield chunk
    finally:
        await opened.aclose()
