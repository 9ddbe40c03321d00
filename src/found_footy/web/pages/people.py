"""The pages of a team and of a player."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from found_footy.views.cursors import parse_fixture_cursor
from found_footy.views.people_views import count_watchable
from found_footy.views.timetable import find_time_zone, time_zone_name
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.pages.selection import parse_page_cursor
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebStateDep

router = APIRouter(include_in_schema=False)

_MATCHES_PER_PAGE = 10
_GOALS_PER_PAGE = 24
Identifier = Annotated[int, Path(ge=1, le=10**12)]
After = Annotated[str, Query(max_length=120)]


@router.get("/teams/{team_id}")
async def show_team(web: WebStateDep, team_id: Identifier, after: After = "", zone: ZoneCookie = None) -> Response:
    place = find_time_zone(zone)
    cursor = parse_fixture_cursor(after) if after else None
    if after and cursor is None:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "after: not a position that this page gave")
    catalogue = await web.browsing.catalogue.get()
    page = await web.browsing.reader.read_team(catalogue, team_id, cursor, _MATCHES_PER_PAGE)
    if page is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "No stored match has this team.")
    goals = [goal for match in page.matches for goal in match.goals if goal.team.id == team_id]
    return web.renderer.render_page(
        "team.html",
        page_name="team",
        page=page,
        goals=len(goals),
        watchable=count_watchable(goals),
        zone=place,
        zone_name=time_zone_name(place),
    )


@router.get("/players/{player_id}")
async def show_player(web: WebStateDep, player_id: Identifier, after: After = "", zone: ZoneCookie = None) -> Response:
    page = await web.browsing.reader.read_player(player_id, parse_page_cursor(after), _GOALS_PER_PAGE)
    if page is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "No stored goal names this player.")
    return web.renderer.render_page(
        "player.html",
        page_name="player",
        page=page,
        watchable=count_watchable(found.goal for found in page.goals),
        zone=find_time_zone(zone),
    )
