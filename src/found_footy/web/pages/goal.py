"""The page of one goal, and what other sites need to show a link to it."""

import re
from collections.abc import Callable
from datetime import tzinfo
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from found_footy.views.goal_views import GoalDetailsView
from found_footy.views.timetable import find_time_zone, time_zone_name
from found_footy.web.access import EVENT_ID_PATTERN
from found_footy.web.accounts.curation import CuratorTools, find_curator, load_curator_tools
from found_footy.web.accounts.principals import Principal
from found_footy.web.forms import PAGE_HEADERS
from found_footy.web.goal_details import GoalMoved, load_goal_details
from found_footy.web.page_cache import respond_with_page
from found_footy.web.pages.links import read_site_address
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

EventId = Annotated[str, Path(pattern=EVENT_ID_PATTERN)]
LastEventId = Annotated[str | None, Header(max_length=64)]
_EVENT_ID = re.compile(EVENT_ID_PATTERN, re.ASCII)
_THUMBNAIL_WIDTH, _THUMBNAIL_HEIGHT = 640, 360


@router.head("/goals/{event_id}")
@router.get("/goals/{event_id}")
async def show_goal(
    request: Request,
    web: WebStateDep,
    event_id: EventId,
    clip: Annotated[str, Query(max_length=128)] = "",
    zone: ZoneCookie = None,
    last_event_id: LastEventId = None,
) -> Response:
    place, site = find_time_zone(zone), read_site_address(web, request)
    curator = await find_curator(web, request)
    if curator is not None:
        is_renewal = last_event_id is not None
        return await _show_to_curator(web, curator, event_id, clip, place, site, is_renewal=is_renewal)

    async def make() -> Callable[[], bytes]:
        cursor = web.hub.cursor
        details = await load_goal_details(web, event_id)
        return lambda: _render_goal(web, details, clip, place, site, cursor)

    try:
        kept = await web.page_cache.get(("goal.html", event_id, clip, time_zone_name(place), site), make, last_event_id)
    except GoalMoved as moved:
        return RedirectResponse(f"/goals/{moved.event_id}", HTTPStatus.FOUND, {"Cache-Control": "no-cache"})
    return respond_with_page(request, kept, "text/html")


async def _show_to_curator(
    web: WebState, curator: Principal, event_id: str, clip: str, zone: tzinfo, site: str, *, is_renewal: bool
) -> Response:
    """The same page with forms, for this one person."""
    cursor = web.hub.cursor
    try:
        details = await load_goal_details(web, event_id)
    except GoalMoved as moved:
        return RedirectResponse(f"/goals/{moved.event_id}", HTTPStatus.FOUND, {"Cache-Control": "no-store"})
    known_ids = tuple(filter(None, (event_id, details.goal.moved_from)))
    tools = await load_curator_tools(web, curator, known_ids, takes_notice=not is_renewal)
    body = await web.page_cache.run_exclusively(lambda: _render_goal(web, details, clip, zone, site, cursor, tools))
    return Response(body, media_type="text/html", headers=PAGE_HEADERS)


def _render_goal(
    web: WebState,
    details: GoalDetailsView,
    clip_id: str,
    zone: tzinfo,
    site: str,
    cursor: str,
    curator: CuratorTools | None = None,
) -> bytes:
    ui = str(web.deps.settings.temporal_url or "")
    before, after = details.neighbours
    best = details.angles[0] if details.angles else None
    text = web.renderer.render_template(
        "goal.html",
        page_name="goal",
        cursor=cursor,
        details=details,
        match=details.match,
        goal=details.goal,
        angles=details.angles,
        shown=next((one for one in details.angles if one.clip.clip_id == clip_id), best),
        before=before,
        after=after,
        site=site,
        zone=zone,
        zone_name=time_zone_name(zone),
        curator=curator,
        workflows=[(one, _workflow_address(ui, one)) for one in details.workflow_ids],
    )
    return text.encode()


def _workflow_address(namespace_url: str, workflow_id: str) -> str:
    return f"{namespace_url.rstrip('/')}/workflows/{quote(workflow_id, safe='')}" if namespace_url else ""


@router.get("/oembed")
async def describe_for_embedding(
    request: Request,
    web: WebStateDep,
    url: Annotated[str, Query(max_length=500)],
    format: Annotated[str, Query(max_length=8)] = "json",  # noqa: A002  named by the protocol
) -> Response:
    """oEmbed: title and picture of a goal's page. Pages here refuse to be framed, so the type is `link`."""
    if format != "json":
        raise ProblemError(HTTPStatus.NOT_IMPLEMENTED, "Only the format json is served.")
    details = await _load_linked_goal(web, _read_linked_goal(url))
    site = read_site_address(web, request)
    content: dict[str, str | int] = {
        "version": "1.0",
        "type": "link",
        "title": details.title,
        "provider_name": "Found Footy",
        "provider_url": f"{site}/",
    }
    poster = details.angles[0].clip.poster_url if details.angles else None
    if poster:
        content |= {
            "thumbnail_url": f"{site}{poster}",
            "thumbnail_width": _THUMBNAIL_WIDTH,
            "thumbnail_height": _THUMBNAIL_HEIGHT,
        }
    return JSONResponse(content, headers={"Cache-Control": "no-cache"})


def _read_linked_goal(url: str) -> str:
    """The id of the goal whose page an address names; another text for any other address."""
    try:
        return urlsplit(url).path.removeprefix("/goals/")
    except ValueError:
        return ""


async def _load_linked_goal(web: WebState, event_id: str) -> GoalDetailsView:
    if not _EVENT_ID.fullmatch(event_id):
        raise ProblemError(HTTPStatus.NOT_FOUND, "This is not the address of a goal here.")
    try:
        return await load_goal_details(web, event_id)
    except GoalMoved as moved:
        return await load_goal_details(web, moved.event_id)
