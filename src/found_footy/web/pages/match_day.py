"""The page of one match, and the fragments that a browser fetches again after a change."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Cookie, Header, Path, Request, Response

from found_footy.views.timetable import find_time_zone, time_zone_name
from found_footy.web.page_cache import respond_with_page
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

FixtureId = Annotated[int, Path(ge=1, le=10**12)]
FragmentPart = Literal["match", "match-page"]
_FRAGMENTS: dict[FragmentPart, str] = {"match": "match.html", "match-page": "match_list.html"}
LastEventId = Annotated[str | None, Header(max_length=64)]
ZoneCookie = Annotated[str | None, Cookie(alias="zone", max_length=64)]


@router.head("/matches/{fixture_id}")
@router.get("/matches/{fixture_id}")
async def show_fixture_page(
    request: Request, web: WebStateDep, fixture_id: FixtureId, zone: ZoneCookie = None
) -> Response:
    return await _respond_with_fixture(request, web, "match_page.html", fixture_id, zone, None)


@router.get("/fragments/{part}/{fixture_id}")
async def show_fixture(
    request: Request,
    web: WebStateDep,
    part: FragmentPart,
    fixture_id: FixtureId,
    zone: ZoneCookie = None,
    last_event_id: LastEventId = None,
) -> Response:
    """A match as lists have it, or as its own page has it."""
    return await _respond_with_fixture(request, web, _FRAGMENTS[part], fixture_id, zone, last_event_id)


async def _respond_with_fixture(
    request: Request, web: WebState, template: str, fixture_id: int, zone: str | None, seen_cursor: str | None
) -> Response:
    place = find_time_zone(zone)

    async def make() -> Callable[[], bytes]:
        cursor = web.hub.cursor
        stored = await web.store.get_fixture(fixture_id)
        if stored is None:
            raise ProblemError(HTTPStatus.NOT_FOUND, "This match is not, or no longer, stored here.")
        match = web.build_view(stored)
        context = {"match": match, "zone": place, "zone_name": time_zone_name(place), "cursor": cursor}
        return lambda: web.renderer.render_template(template, page_name="match", **context).encode()

    kept = await web.page_cache.get((template, fixture_id, time_zone_name(place)), make, seen_cursor)
    return respond_with_page(request, kept, "text/html")
