"""The search page: every condition stands in its address, so that a search can be kept and sent."""

from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Response

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.phrases import goal_status_label
from found_footy.views.search import GoalKind
from found_footy.views.timetable import find_time_zone
from found_footy.web.content_policy import build_content_security_policy
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.pages.selection import GoalSelection
from found_footy.web.state import WebStateDep

router = APIRouter(include_in_schema=False)

_GOALS_PER_PAGE = 24
_STATUSES = tuple((status.value, goal_status_label(status)) for status in GoalStatus)
_KINDS = (
    (GoalKind.OPEN_PLAY.value, "Open play"),
    (GoalKind.PENALTY.value, "Penalties"),
    (GoalKind.OWN_GOAL.value, "Own goals"),
)
_RESOLUTIONS = ("480", "720", "1080")
FORM_HEADERS = {"Content-Security-Policy": build_content_security_policy(allows_forms=True)}


@router.get("/search")
async def show_search(web: WebStateDep, wanted: Annotated[GoalSelection, Query()], zone: ZoneCookie = None) -> Response:
    place = find_time_zone(zone)
    catalogue = await web.browsing.catalogue.get()
    text = wanted.q.strip()
    result = await web.browsing.reader.search(
        catalogue, text, wanted.to_filter(place), wanted.to_cursor(), _GOALS_PER_PAGE
    )
    figures = await web.browsing.stats.get()
    kept = wanted.list_conditions()
    return web.renderer.render_page(
        "search.html",
        status=HTTPStatus.OK,
        headers=FORM_HEADERS,
        page_name="search",
        wanted=wanted,
        result=result,
        leagues=sorted(figures.leagues, key=lambda one: (one.country, one.name)),
        statuses=_STATUSES,
        kinds=_KINDS,
        resolutions=_RESOLUTIONS,
        conditions=urlencode(kept),
        next_address=f"/search?{urlencode(kept | {'after': result.next})}" if result.next else "",
        zone=place,
    )
