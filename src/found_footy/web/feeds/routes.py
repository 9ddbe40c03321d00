"""Routes of feeds and calendars: of all, of a league, a team, a player or a search."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request, Response

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.browse_store import FixtureCondition
from found_footy.views.catalogue import match_words
from found_footy.views.search import GoalFilter
from found_footy.web.accounts.principals import FEED_KEY
from found_footy.web.feeds.calendar_format import render_calendar
from found_footy.web.feeds.feed_formats import render_atom, render_json_feed, render_rss
from found_footy.web.feeds.feed_items import FeedChannel, build_feed_items, drop_forbidden_characters
from found_footy.web.page_cache import respond_with_page
from found_footy.web.pages.links import read_site_address
from found_footy.web.pages.selection import GoalSelection
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

_MAX_ITEMS = 50
_MAX_CALENDAR_EVENTS = 500
_CALENDAR_TYPE = "text/calendar; charset=utf-8"


class FeedFormat(StrEnum):
    RSS = "rss"
    ATOM = "atom"
    JSON = "json"


class FeedScope(StrEnum):
    LEAGUES = "leagues"
    TEAMS = "teams"
    PLAYERS = "players"


_FORMATS: dict[FeedFormat, tuple[Callable[[FeedChannel], bytes], str]] = {
    FeedFormat.RSS: (render_rss, "application/rss+xml; charset=utf-8"),
    FeedFormat.ATOM: (render_atom, "application/atom+xml; charset=utf-8"),
    FeedFormat.JSON: (render_json_feed, "application/feed+json; charset=utf-8"),
}
FeedSubjectId = Annotated[int, Path(ge=1, le=10**12)]


@dataclass(frozen=True)
class FeedSubject:
    """What a feed is about: its name, its page, its goals, and the matches of its calendar."""

    name: str
    path: str
    goals: GoalFilter
    matches: FixtureCondition


@router.get("/feeds/goals.{feed_format}")
async def show_feed(request: Request, web: WebStateDep, feed_format: FeedFormat) -> Response:
    """Goals of all matches that have a clip."""
    return await _respond_with_feed(request, web, feed_format, await _find_subject(web, None, 0))


@router.get("/feeds/search.{feed_format}")
async def show_search_feed(
    request: Request, web: WebStateDep, feed_format: FeedFormat, wanted: Annotated[GoalSelection, Query()]
) -> Response:
    """Goals that a search finds and that have a clip; its days are those of UTC."""
    words = match_words(await web.browsing.catalogue.get(), wanted.q.strip())
    goals = replace(wanted.to_filter(UTC), words=words, status=GoalStatus.WATCHABLE)
    conditions = wanted.list_conditions()
    name = ", ".join(conditions.values()) or "All matches"
    subject = FeedSubject(name, f"/search?{urlencode(conditions)}", goals, FixtureCondition())
    return await _respond_with_feed(request, web, feed_format, subject)


@router.get("/feeds/matches.ics")
async def show_calendar(request: Request, web: WebStateDep) -> Response:
    return await _respond_with_calendar(request, web, None, 0)


@router.get("/feeds/{scope}/{subject_id}/goals.{feed_format}")
async def show_subject_feed(
    request: Request, web: WebStateDep, scope: FeedScope, subject_id: FeedSubjectId, feed_format: FeedFormat
) -> Response:
    return await _respond_with_feed(request, web, feed_format, await _find_subject(web, scope, subject_id))


@router.get("/feeds/{scope}/{subject_id}/matches.ics")
async def show_subject_calendar(
    request: Request, web: WebStateDep, scope: FeedScope, subject_id: FeedSubjectId
) -> Response:
    return await _respond_with_calendar(request, web, scope, subject_id)


async def _respond_with_feed(
    request: Request, web: WebState, feed_format: FeedFormat, subject: FeedSubject
) -> Response:
    base = read_site_address(web, request)
    render, media_type = _FORMATS[feed_format]
    # The address without a key that it may carry.
    query = urlencode([one for one in request.query_params.multi_items() if one[0] != FEED_KEY])
    url = f"{base}{request.url.path}{'?' if query else ''}{query}"

    async def make() -> Callable[[], bytes]:
        page = await web.browsing.reader.list_goals(subject.goals, None, _MAX_ITEMS)
        title = drop_forbidden_characters(f"Found Footy: {subject.name}")
        description = drop_forbidden_characters(f"Goals with clips: {subject.name}")
        return lambda: render(
            FeedChannel(title, description, f"{base}{subject.path}", url, build_feed_items(page.goals, base))
        )

    key = ("feed", subject, feed_format, url)
    return respond_with_page(request, await web.page_cache.get(key, make), media_type)


async def _respond_with_calendar(request: Request, web: WebState, scope: FeedScope | None, subject_id: int) -> Response:
    base = read_site_address(web, request)
    subject = await _find_subject(web, scope, subject_id)

    async def make() -> Callable[[], bytes]:
        stored = await web.browsing.store.list_fixtures(subject.matches, _MAX_CALENDAR_EVENTS)
        name = f"Found Footy: {subject.name}"
        return lambda: render_calendar(name, [web.build_view(one) for one in stored], base)

    key = ("calendar", subject, base)
    return respond_with_page(request, await web.page_cache.get(key, make), _CALENDAR_TYPE)


async def _find_subject(web: WebState, scope: FeedScope | None, subject_id: int) -> FeedSubject:
    """Raises ProblemError if nothing stored is about it."""
    watchable = GoalStatus.WATCHABLE
    if scope is None:
        return FeedSubject("All matches", "/", GoalFilter(status=watchable), FixtureCondition())
    if scope is FeedScope.LEAGUES:
        condition = FixtureCondition(league_id=subject_id)
        newest = await web.browsing.store.list_fixtures(condition, 1)
        if newest:
            name = web.build_view(newest[0]).league.name
            path = f"/search?league={subject_id}"
            return FeedSubject(name, path, GoalFilter(league_id=subject_id, status=watchable), condition)
    if scope is FeedScope.TEAMS:
        team = (await web.browsing.catalogue.get()).teams.get(subject_id)
        if team:
            condition = FixtureCondition(team_id=subject_id)
            goals = GoalFilter(team_id=subject_id, status=watchable)
            return FeedSubject(team.name, f"/teams/{subject_id}", goals, condition)
    if scope is FeedScope.PLAYERS:
        page = await web.browsing.reader.read_player(subject_id, None, 1)
        if page:
            # A player is known by goals only; the matches to come are those of the team of the newest one.
            condition = FixtureCondition(team_id=page.player.team.id)
            goals = GoalFilter(player_id=subject_id, status=watchable)
            return FeedSubject(page.player.name, f"/players/{subject_id}", goals, condition)
    raise ProblemError(HTTPStatus.NOT_FOUND, f"Nothing here is about {scope} {subject_id}.")
