"""The home page, which is the match day of today, and the page of any other day."""

from collections.abc import Callable
from datetime import date, datetime, tzinfo
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from found_footy.views import phrases
from found_footy.views.day import MAX_DAY, MIN_DAY, DayView, list_newest_goals, local_day
from found_footy.views.fixture_views import FixturePhase
from found_footy.views.timetable import PageSection, find_time_zone, group_by_league, time_zone_name
from found_footy.web.page_cache import respond_with_page
from found_footy.web.pages.match_day import LastEventId, ZoneCookie
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

DayText = Annotated[str, Path(pattern=r"^\d{4}-\d{2}-\d{2}$")]
# Goals that the home page plays, one after the other.
_MAX_NEWEST = 20
_PHASE_TITLES = {
    FixturePhase.LIVE: "Live now",
    FixturePhase.FINISHED: "Finished",
    FixturePhase.UPCOMING: "Upcoming",
    FixturePhase.OFF: "Called off",
}


@router.head("/")
@router.get("/")
async def show_home(request: Request, web: WebStateDep, zone: ZoneCookie = None) -> Response:
    return await _respond_with_day(request, web, "home.html", None, zone, None)


@router.get("/fragments/matches")
async def show_home_list(
    request: Request, web: WebStateDep, zone: ZoneCookie = None, last_event_id: LastEventId = None
) -> Response:
    return await _respond_with_day(request, web, "day_list.html", None, zone, last_event_id)


@router.get("/fragments/newest")
async def show_newest_goals(
    request: Request, web: WebStateDep, zone: ZoneCookie = None, last_event_id: LastEventId = None
) -> Response:
    """The goals that the home page plays, for a page that a clip has arrived on."""
    return await _respond_with_day(request, web, "newest_list.html", None, zone, last_event_id)


@router.head("/days/{day}")
@router.get("/days/{day}")
async def show_day(request: Request, web: WebStateDep, day: DayText, zone: ZoneCookie = None) -> Response:
    return await _respond_with_day(request, web, "day.html", parse_day(day), zone, None)


@router.get("/fragments/days/{day}")
async def show_day_list(
    request: Request, web: WebStateDep, day: DayText, zone: ZoneCookie = None, last_event_id: LastEventId = None
) -> Response:
    return await _respond_with_day(request, web, "day_list.html", parse_day(day), zone, last_event_id)


def parse_day(text: str) -> date:
    """Raises ProblemError for a day that does not exist or is out of reach."""
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such day.") from error
    if not MIN_DAY <= day <= MAX_DAY:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such day here.")
    return day


async def _respond_with_day(
    request: Request, web: WebState, template: str, day: date | None, zone: str | None, seen_cursor: str | None
) -> Response:
    """Rendered once per time zone; includes the change of `seen_cursor`. Without a day: the present one."""
    place = find_time_zone(zone)

    async def make() -> Callable[[], bytes]:
        cursor, now = web.hub.cursor, web.deps.clock()
        view = await web.browsing.reader.read_day(day, place, now) if day else await _read_home_day(web, place, now)
        return lambda: _render_day(web, template, view, place, cursor, now, is_home=day is None)

    kept = await web.page_cache.get((template, day, time_zone_name(place)), make, seen_cursor)
    return respond_with_page(request, kept, "text/html")


async def _read_home_day(web: WebState, zone: tzinfo, now: datetime) -> DayView:
    """Today; without a match today the last day that has one, else the next."""
    reader = web.browsing.reader
    today = await reader.read_day(local_day(now, zone), zone, now)
    nearest = today.previous_day or today.next_day
    if today.matches or today.still_live or nearest is None:
        return today
    return await reader.read_day(nearest, zone, now)


def _render_day(
    web: WebState, template: str, view: DayView, zone: tzinfo, cursor: str, now: datetime, *, is_home: bool
) -> bytes:
    upcoming = web.deps.next_ingest(now)
    text = web.renderer.render_template(
        template,
        page_name="matches",
        cursor=cursor,
        view=view,
        fragment="/fragments/matches" if is_home else f"/fragments/days/{view.day}",
        sections=group_by_phase(view),
        newest=list_newest_goals(view, _MAX_NEWEST) if is_home else (),
        has_clips=any(goal.clips for match in view.matches for goal in match.goals),
        today=now.astimezone(zone).date(),
        zone=zone,
        zone_name=time_zone_name(zone),
        next_ingest=upcoming,
        next_ingest_in=phrases.format_time_until(upcoming, now) if upcoming else "",
    )
    return text.encode()


def group_by_phase(view: DayView) -> tuple[PageSection, ...]:
    """The matches of a day, live ones first, each phase by league; matches of another day that still run are live."""
    matches = (*view.still_live, *view.matches)
    phases = ((phase, [one for one in matches if one.phase is phase]) for phase in _PHASE_TITLES)
    return tuple(
        PageSection(phase.value, _PHASE_TITLES[phase], group_by_league(found)) for phase, found in phases if found
    )
