"""Routes of the search, of teams and of players."""

from collections.abc import Callable
from datetime import date
from http import HTTPStatus
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import AfterValidator, TypeAdapter

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.browse_reader import SearchResult
from found_footy.views.catalogue import MAX_QUERY_LENGTH
from found_footy.views.day import day_span
from found_footy.views.people_views import PlayerPage, TeamPage
from found_footy.views.search import GoalFilter, GoalKind
from found_footy.web.api.responses import (
    DEFAULT_ZONE,
    FeedId,
    FeedIdFilter,
    FixtureCursorText,
    GoalCursorText,
    PageLimit,
    ZoneName,
    check_day,
    describe_problems,
    make_router,
    read_fixture_cursor,
    read_goal_cursor,
    require_zone,
    respond_with_etag,
)
from found_footy.web.page_cache import respond_with_page
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebStateDep

router = make_router()
SearchText = Annotated[str, Query(max_length=MAX_QUERY_LENGTH, description="names of teams and scorers; aliases too")]
DayFilter = Annotated[date | None, AfterValidator(check_day), Query()]

_SEARCH_ADAPTER: TypeAdapter[SearchResult] = TypeAdapter(SearchResult)
_TEAM_ADAPTER: TypeAdapter[TeamPage] = TypeAdapter(TeamPage)
_PLAYER_ADAPTER: TypeAdapter[PlayerPage] = TypeAdapter(PlayerPage)


def build_goal_filter(
    *,
    team: int | None,
    player: int | None,
    league: int | None,
    since: date | None,
    until: date | None,
    status: GoalStatus | None,
    kind: GoalKind | None,
    verified: bool,
    min_resolution: int | None,
    zone: str,
) -> GoalFilter:
    """`since` and `until` are calendar days of the zone, both included."""
    place = require_zone(zone)
    return GoalFilter(
        team_id=team,
        player_id=player,
        league_id=league,
        since=day_span(since, place).start if since else None,
        until=day_span(until, place).end if until else None,
        status=status,
        kind=kind,
        is_verified=verified,
        min_resolution=min_resolution,
    )


@router.get("/search", response_model=SearchResult)
async def search(
    request: Request,
    web: WebStateDep,
    q: SearchText = "",
    team: FeedIdFilter = None,
    player: FeedIdFilter = None,
    league: FeedIdFilter = None,
    since: DayFilter = None,
    until: DayFilter = None,
    status: GoalStatus | None = None,
    kind: GoalKind | None = None,
    verified: Annotated[bool, Query(description="only goals with a clip whose minute is verified")] = False,
    min_resolution: Annotated[
        int | None, Query(ge=1, le=10_000, description="only goals with a clip of so many lines, as in 720p")
    ] = None,
    zone: ZoneName = DEFAULT_ZONE,
    limit: PageLimit = 20,
    cursor: GoalCursorText = None,
) -> Response:
    """Teams and players by name, and goals, newest first. Case and accents do not matter; every word of `q` must be
    the beginning of a word of a team's name or alias, or of the scorer's name. `since` and `until` are days of `zone`.
    """
    wanted = build_goal_filter(
        team=team,
        player=player,
        league=league,
        since=since,
        until=until,
        status=status,
        kind=kind,
        verified=verified,
        min_resolution=min_resolution,
        zone=zone,
    )
    after = read_goal_cursor(cursor)

    async def make() -> Callable[[], bytes]:
        catalogue = await web.browsing.catalogue.get()
        found = await web.browsing.reader.search(catalogue, q, wanted, after, limit)
        return lambda: _SEARCH_ADAPTER.dump_json(found)

    kept = await web.page_cache.get(("api-search", q, wanted, cursor, limit), make)
    return respond_with_page(request, kept, "application/json")


@router.get("/teams/{team_id}", response_model=TeamPage, responses=describe_problems(HTTPStatus.NOT_FOUND))
async def get_team(
    request: Request, web: WebStateDep, team_id: FeedId, limit: PageLimit = 20, cursor: FixtureCursorText = None
) -> Response:
    """A team: names, upcoming matches, and those that have begun, latest first."""
    after = read_fixture_cursor(cursor)
    page = await web.browsing.reader.read_team(await web.browsing.catalogue.get(), team_id, after, limit)
    if page is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"No match here has the team {team_id}.")
    return respond_with_etag(request, _TEAM_ADAPTER.dump_json(page))


@router.get("/players/{player_id}", response_model=PlayerPage, responses=describe_problems(HTTPStatus.NOT_FOUND))
async def get_player(
    request: Request, web: WebStateDep, player_id: FeedId, limit: PageLimit = 20, cursor: GoalCursorText = None
) -> Response:
    """A player: name, team, and the goals scored or assisted, latest first."""
    page = await web.browsing.reader.read_player(player_id, read_goal_cursor(cursor), limit)
    if page is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"No goal here has the player {player_id}.")
    return respond_with_etag(request, _PLAYER_ADAPTER.dump_json(page))
