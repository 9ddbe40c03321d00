"""The page, and the fragments that a browser fetches again after a change."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Cookie, Header, Path, Query, Request, Response

from found_footy.views import phrases
from found_footy.views.store import FixturePage
from found_footy.views.timetable import find_time_zone, group_into_sections, time_zone_name
from found_footy.web.page_cache import respond_with_page
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

FixtureId = Annotated[int, Path(ge=1, le=10**12)]
_MAX_PAGE_NUMBER = 50
PageNumber = Annotated[int, Query(ge=1, le=_MAX_PAGE_NUMBER)]
LastEventId = Annotated[str | None, Header(max_length=64)]
ZoneCookie = Annotated[str | None, Cookie(alias="zone", max_length=64)]


@router.head("/")
@router.get("/")
async def show_home(request: Request, web: WebStateDep, page: PageNumber = 1, zone: ZoneCookie = None) -> Response:
    return await _respond_with_fixture_list(request, web, "home.html", page, zone)


@router.get("/fragments/matches")
async def show_fixture_list(
    request: Request, web: WebStateDep, page: PageNumber = 1, zone: ZoneCookie = None, last_event_id: LastEventId = None
) -> Response:
    return await _respond_with_fixture_list(request, web, "matches.html", page, zone, last_event_id)


async def _respond_with_fixture_list(
    request: Request, web: WebState, template: str, page: int, zone: str | None, seen_cursor: str | None = None
) -> Response:
    """Rendered once per time zone; includes the change of `seen_cursor`."""
    place = find_time_zone(zone)

    async def make() -> Callable[[], bytes]:
        cursor = web.hub.cursor
        now, settings = web.deps.clock(), web.deps.settings
        skip = (page - 1) * settings.matches
        shown = await web.store.list_by_kickoff(now - settings.past, now + settings.ahead, settings.matches, skip)
        return lambda: _render_fixture_list(web, template, shown, page, place, cursor, now)

    kept = await web.page_cache.get((template, page, time_zone_name(place)), make, seen_cursor)
    return respond_with_page(request, kept, "text/html")


def _render_fixture_list(
    web: WebState, template: str, fixture_page: FixturePage, page: int, zone: tzinfo, cursor: str, now: datetime
) -> bytes:
    upcoming = web.deps.next_ingest(now)
    text = web.renderer.render_template(
        template,
        cursor=cursor,
        zone=zone,
        zone_name=time_zone_name(zone),
        sections=group_into_sections((web.build_view(one) for one in fixture_page.fixtures), now, zone),
        page_name="matches",
        today=now.astimezone(zone).date(),
        page=page,
        fragment="/fragments/matches" if page == 1 else f"/fragments/matches?page={page}",
        more=fixture_page.has_more and page < _MAX_PAGE_NUMBER,
        next_ingest=upcoming,
        next_ingest_in=phrases.format_time_until(upcoming, now) if upcoming else "",
    )
    return text.encode()


@router.head("/matches/{fixture_id}")
@router.get("/matches/{fixture_id}")
async def show_fixture_page(
    request: Request, web: WebStateDep, fixture_id: FixtureId, zone: ZoneCookie = None
) -> Response:
    return await _respond_with_fixture(request, web, "match_page.html", fixture_id, zone, None)


@router.get("/fragments/match-page/{fixture_id}")
async def show_fixture_list_of_one(
    request: Request,
    web: WebStateDep,
    fixture_id: FixtureId,
    zone: ZoneCookie = None,
    last_event_id: LastEventId = None,
) -> Response:
    return await _respond_with_fixture(request, web, "match_list.html", fixture_id, zone, last_event_id)


@router.get("/fragments/match/{fixture_id}")
async def show_fixture(
    request: Request,
    web: WebStateDep,
    fixture_id: FixtureId,
    zone: ZoneCookie = None,
    last_event_id: LastEventId = None,
) -> Response:
    return await _respond_with_fixture(request, web, "match.html", fixture_id, zone, last_event_id)


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
