"""Share links of goals: making one, and the page that it opens, of which every file lies under `/s`."""

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response

from found_footy.domain.outcomes import GoalStatus
from found_footy.platform.http.session_tokens import MAX_TOKEN_LENGTH
from found_footy.views.clip_views import ClipView
from found_footy.views.fixture_views import FixtureView, GoalView
from found_footy.views.timetable import find_time_zone
from found_footy.web.access import CLIP_ID_PATTERN, EVENT_ID_PATTERN, MediaKey
from found_footy.web.accounts.page_parts import render_account_page
from found_footy.web.accounts.principals import SessionDep
from found_footy.web.goal_details import load_goal
from found_footy.web.media import UNKNOWN_CLIP_MESSAGE, serve_object
from found_footy.web.pages.links import read_site_address
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.pages.static_files import respond_with_static_file
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

EventId = Annotated[str, Path(pattern=EVENT_ID_PATTERN)]
ShareToken = Annotated[str, Path(max_length=MAX_TOKEN_LENGTH)]
ClipId = Annotated[str, Path(pattern=CLIP_ID_PATTERN)]
_LINK_OVER = "This link has expired or was revoked. Ask whoever sent it for another."
_GOAL_REMOVED = "This is no longer a goal, so its clips are not shown."
# A link can be revoked: no cache answers for it, and no search engine lists it.
_SHARE_HEADERS = {"Cache-Control": "private, no-cache", "X-Robots-Tag": "noindex"}


@router.post("/goals/{event_id}/share")
async def add_share_link(request: Request, web: WebStateDep, session: SessionDep, event_id: EventId) -> Response:
    """The answer is the only page that shows the link."""
    match, goal = await load_goal(web, event_id)
    token, link = await web.access.accounts.add_share_link(
        session.user.name, session.user, goal.event_id, web.access.deps.settings.share
    )
    address = f"{read_site_address(web, request)}/s/{token}"
    return render_account_page(web, "share_link.html", session, match=match, goal=goal, link=link, address=address)


@router.get("/s/static/{name}")
async def serve_shared_static_file(web: WebStateDep, name: str, v: str = "") -> Response:
    return respond_with_static_file(web, name, v)


@router.get("/s/{token}")
async def show_shared_goal(
    request: Request, web: WebStateDep, token: ShareToken, clip: str = "", zone: ZoneCookie = None
) -> Response:
    match, goal = await _load_shared_goal(web, token)
    best = goal.clips[0] if goal.clips else None
    return web.renderer.render_page(
        "shared_goal.html",
        headers=_SHARE_HEADERS,
        match=match,
        goal=goal,
        shown=next((one for one in goal.clips if one.clip_id == clip), best),
        base=f"/s/{token}",
        site=read_site_address(web, request),
        zone=find_time_zone(zone),
    )


@router.head("/s/{token}/{clip_id}.mp4")
@router.get("/s/{token}/{clip_id}.mp4")
async def serve_shared_clip(request: Request, web: WebStateDep, token: ShareToken, clip_id: ClipId) -> Response:
    return await _serve_shared_file(request, web, token, clip_id, "media_url")


@router.head("/s/{token}/{clip_id}.jpg")
@router.get("/s/{token}/{clip_id}.jpg")
async def serve_shared_poster(request: Request, web: WebStateDep, token: ShareToken, clip_id: ClipId) -> Response:
    return await _serve_shared_file(request, web, token, clip_id, "poster_url")


async def _load_shared_goal(web: WebState, token: str) -> tuple[FixtureView, GoalView]:
    """The goal that a link opens. Raises ProblemError: 410 if the link is over, or the goal is none any more."""
    link = await web.access.accounts.find_share_link(token)
    if link is None:
        raise ProblemError(HTTPStatus.GONE, _LINK_OVER)
    match, goal = await load_goal(web, link.event_id)
    if goal.status is GoalStatus.REMOVED:
        raise ProblemError(HTTPStatus.GONE, _GOAL_REMOVED)
    return match, goal


async def _serve_shared_file(
    request: Request, web: WebState, token: str, clip_id: str, field: Literal["media_url", "poster_url"]
) -> Response:
    _, goal = await _load_shared_goal(web, token)
    clip: ClipView | None = next((one for one in goal.clips if one.clip_id == clip_id), None)
    address = getattr(clip, field) if clip else None
    key = MediaKey.parse(address.removeprefix("/media/")) if address else None
    if key is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, UNKNOWN_CLIP_MESSAGE)
    return await serve_object(request, web, key, _SHARE_HEADERS)
