"""Downloads with a readable file name: one clip, or all angles of a goal as a zip archive."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from found_footy.views.clip_views import ClipView
from found_footy.views.file_names import build_clip_file_name, build_content_disposition, build_goal_file_stem
from found_footy.views.fixture_views import FixtureView, GoalView
from found_footy.web.access import CLIP_ID_PATTERN, MediaKey
from found_footy.web.goal_details import load_goal
from found_footy.web.media import UNKNOWN_CLIP_MESSAGE, count_bytes, resolve_clip_key, serve_object
from found_footy.web.pages.goal import EventId
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep
from found_footy.web.zip_stream import ZipMember, compute_zip_size, stream_zip

router = APIRouter(include_in_schema=False)

_MAX_MEMBERS = 30
_MAX_ARCHIVE_BYTES = 1024**3


@router.head("/clips/{clip_id}/download")
@router.get("/clips/{clip_id}/download")
async def download_clip(
    request: Request, web: WebStateDep, clip_id: Annotated[str, Path(pattern=CLIP_ID_PATTERN)]
) -> Response:
    key = MediaKey.parse(await resolve_clip_key(web, clip_id))
    if key is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, UNKNOWN_CLIP_MESSAGE)
    match, goal, clip = await _find_clip(web, key)
    name = build_clip_file_name(match, goal, clip.rank)
    return await serve_object(request, web, key, {"Content-Disposition": build_content_disposition(name)})


async def _find_clip(web: WebState, key: MediaKey) -> tuple[FixtureView, GoalView, ClipView]:
    """The clip whose file has this key. It lies under the id that the goal had when it was stored."""
    stored = await web.store.get_fixture(key.fixture_id)
    match = web.build_view(stored) if stored else None
    for goal in match.goals if match else ():
        for clip in goal.clips:
            if match and clip.media_url == f"/media/{key.key}":
                return match, goal, clip
    raise ProblemError(HTTPStatus.NOT_FOUND, UNKNOWN_CLIP_MESSAGE)


@router.head("/goals/{event_id}/angles.zip")
@router.get("/goals/{event_id}/angles.zip")
async def download_angles(request: Request, web: WebStateDep, event_id: EventId) -> Response:
    match, goal = await load_goal(web, event_id)
    if goal.event_id != event_id:
        return RedirectResponse(f"/goals/{goal.event_id}/angles.zip", HTTPStatus.FOUND, {"Cache-Control": "no-cache"})
    members = await _list_members(web, match, goal)
    headers = {
        "Content-Disposition": build_content_disposition(f"{build_goal_file_stem(match, goal)}.zip"),
        "Content-Length": str(compute_zip_size(members)),
        "Cache-Control": "no-store",
    }
    if request.method == "HEAD":
        return Response(headers=headers, media_type="application/zip")
    archive = stream_zip(members, web.deps.objects.open)
    return StreamingResponse(count_bytes(archive), headers=headers, media_type="application/zip")


async def _list_members(web: WebState, match: FixtureView, goal: GoalView) -> list[ZipMember]:
    """Raises 404 for a goal without clips, 413 for more than one archive may hold."""
    members = []
    for clip in goal.clips[:_MAX_MEMBERS]:
        key = clip.media_url.removeprefix("/media/")
        info = await web.deps.objects.head(key)
        if info is not None:
            members.append(ZipMember(build_clip_file_name(match, goal, clip.rank), key, info.size, info.modified))
    if not members:
        raise ProblemError(HTTPStatus.NOT_FOUND, "This goal has no clip to download.")
    if sum(one.size for one in members) > _MAX_ARCHIVE_BYTES:
        detail = "The clips of this goal are too large for one archive. Download them one by one."
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
    return members
