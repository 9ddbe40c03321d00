"""Routes of calendar days: which have matches, and the matches of one."""

from collections.abc import Callable
from datetime import tzinfo

from fastapi import Request, Response
from pydantic import BaseModel, TypeAdapter

from found_footy.views.day import DaySummary, DayView
from found_footy.views.timetable import time_zone_name
from found_footy.web.api.responses import DEFAULT_ZONE, DayText, ZoneName, make_router, require_zone
from found_footy.web.page_cache import respond_with_page
from found_footy.web.state import WebState, WebStateDep

router = make_router()


class DayListResponse(BaseModel):
    """Days that have matches, earliest first, by the calendar of `zone`."""

    zone: str
    days: list[DaySummary]


_DAY_ADAPTER: TypeAdapter[DayView] = TypeAdapter(DayView)
_DAY_LIST_ADAPTER: TypeAdapter[DayListResponse] = TypeAdapter(DayListResponse)


@router.get("/days", response_model=DayListResponse)
async def list_days(request: Request, web: WebStateDep, zone: ZoneName = DEFAULT_ZONE) -> Response:
    """Days that have matches."""
    place = require_zone(zone)

    async def make() -> Callable[[], bytes]:
        days = await web.browsing.reader.list_days(place)
        response = DayListResponse(zone=time_zone_name(place), days=list(days))
        return lambda: _DAY_LIST_ADAPTER.dump_json(response)

    return respond_with_page(request, await web.page_cache.get(("api-days", zone), make), "application/json")


@router.get("/days/{day}", response_model=DayView)
async def get_day(request: Request, web: WebStateDep, day: DayText, zone: ZoneName = DEFAULT_ZONE) -> Response:
    """The matches that kick off on one calendar day of a time zone: live ones first, then finished and upcoming."""
    place = require_zone(zone)
    kept = await web.page_cache.get(("api-day", day, zone), lambda: _load_day(web, day, place))
    return respond_with_page(request, kept, "application/json")


async def _load_day(web: WebState, day: DayText, zone: tzinfo) -> Callable[[], bytes]:
    view = await web.browsing.reader.read_day(day, zone, web.deps.clock())
    return lambda: _DAY_ADAPTER.dump_json(view)
