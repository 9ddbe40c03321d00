"""The reel: the best clip of every goal of a match, team, player or day, one after the other."""

from dataclasses import dataclass, replace
from datetime import tzinfo
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Response

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.search import FoundGoal, GoalFilter, select_goals
from found_footy.views.timetable import find_time_zone
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.pages.selection import Identifier, read_day_bounds
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

_MAX_GOALS = 60
_WATCHABLE = GoalFilter(status=GoalStatus.WATCHABLE)


@dataclass(frozen=True)
class ReelView:
    """`query` are the conditions in the page's address."""

    title: str
    goals: tuple[FoundGoal, ...]
    query: dict[str, str]

    def address_of(self, found: FoundGoal) -> str:
        return f"/reel?{urlencode(self.query | {'at': found.goal.event_id})}"


@router.get("/reel")
async def show_reel(
    web: WebStateDep,
    match: Identifier = None,
    team: Identifier = None,
    player: Identifier = None,
    day: Annotated[str, Query(pattern=r"^(\d{4}-\d{2}-\d{2})?$")] = "",
    at: Annotated[str, Query(max_length=100)] = "",
    zone: ZoneCookie = None,
) -> Response:
    place = find_time_zone(zone)
    reel = await _load_match_reel(web, match) if match else await _load_reel(web, team, player, day, place)
    shown = next((number for number, one in enumerate(reel.goals) if one.goal.event_id == at), 0)
    return web.renderer.render_page(
        "reel.html",
        page_name="reel",
        reel=reel,
        shown=shown,
        current=reel.goals[shown] if reel.goals else None,
        before=reel.goals[shown - 1] if shown else None,
        after=reel.goals[shown + 1] if shown + 1 < len(reel.goals) else None,
        zone=place,
    )


async def _load_match_reel(web: WebState, fixture_id: int) -> ReelView:
    stored = await web.store.get_fixture(fixture_id)
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "This match is not, or no longer, stored here.")
    view = web.build_view(stored)
    goals = tuple(reversed(select_goals(view, _WATCHABLE)))
    return ReelView(f"{view.home.name} – {view.away.name}", goals, {"match": str(fixture_id)})


async def _load_reel(web: WebState, team: int | None, player: int | None, day: str, zone: tzinfo) -> ReelView:
    """A day in the order in which it was played; everything else newest first."""
    wanted = replace(_WATCHABLE, team_id=team, player_id=player)
    if day:
        bounds = read_day_bounds(day, zone)
        wanted = replace(wanted, since=bounds.start, until=bounds.end)
    page = await web.browsing.reader.list_goals(wanted, None, _MAX_GOALS)
    query = {name: str(value) for name, value in (("team", team), ("player", player), ("day", day)) if value}
    goals = tuple(reversed(page.goals)) if day else page.goals
    return ReelView(await _name_reel(web, team, player, day, goals), goals, query)


async def _name_reel(
    web: WebState, team: int | None, player: int | None, day: str, goals: tuple[FoundGoal, ...]
) -> str:
    if day:
        return f"Goals of {day}"
    if team:
        known = (await web.browsing.catalogue.get()).teams.get(team)
        return f"Goals with {known.name}" if known else "Goals of a team"
    if player:
        names = [found.goal.player for found in goals if found.goal.player_id == player]
        return f"Goals of {names[0]}" if names else "Goals of a player"
    return "Newest goals"
