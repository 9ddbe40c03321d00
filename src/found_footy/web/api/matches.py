"""Routes of matches, goals and clips."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Request, Response
from pydantic import BaseModel, TypeAdapter

from found_footy.views.clip_views import ClipView
from found_footy.views.cursors import format_fixture_cursor
from found_footy.views.fixture_views import FixtureView, GoalView, StoredFixture
from found_footy.views.search import FixtureHeadline, build_headline
from found_footy.web.access import CLIP_ID_PATTERN, EVENT_ID_PATTERN, MediaKey
from found_footy.web.api.responses import (
    FixtureCursorText,
    FixtureId,
    PageLimit,
    describe_problems,
    make_router,
    read_fixture_cursor,
    respond_with_etag,
)
from found_footy.web.goal_details import load_goal
from found_footy.web.media import resolve_clip_key
from found_footy.web.page_cache import respond_with_page
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = make_router()


class FixtureListResponse(BaseModel):
    """`next` is the cursor of the next page; it is missing on the last."""

    matches: list[FixtureView]
    next: str | None = None


_FIXTURE_LIST_ADAPTER: TypeAdapter[FixtureListResponse] = TypeAdapter(FixtureListResponse)
_FIXTURE_ADAPTER: TypeAdapter[FixtureView] = TypeAdapter(FixtureView)
_GOAL_ADAPTER: TypeAdapter[GoalView] = TypeAdapter(GoalView)


@router.get("/matches", response_model=FixtureListResponse)
async def list_fixtures(
    request: Request, web: WebStateDep, limit: PageLimit = 50, cursor: FixtureCursorText = None
) -> Response:
    """All matches that have a date, latest kickoff first, with their goals and clips."""
    after = read_fixture_cursor(cursor)

    async def make() -> Callable[[], bytes]:
        stored = await web.store.list_newest(after, limit)
        return lambda: _render_list(web, stored, limit)

    return respond_with_page(request, await web.page_cache.get(("matches", limit, cursor), make), "application/json")


def _render_list(web: WebState, stored: list[StoredFixture], limit: int) -> bytes:
    views = [web.build_view(one) for one in stored]
    following = format_fixture_cursor(views[-1]) if len(views) == limit else None
    return _FIXTURE_LIST_ADAPTER.dump_json(FixtureListResponse(matches=views, next=following))


@router.get("/matches/{fixture_id}", response_model=FixtureView, responses=describe_problems(HTTPStatus.NOT_FOUND))
async def get_fixture(request: Request, web: WebStateDep, fixture_id: FixtureId) -> Response:
    stored = await web.store.get_fixture(fixture_id)
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no match {fixture_id} here.")
    return respond_with_etag(request, _FIXTURE_ADAPTER.dump_json(web.build_view(stored)))


@router.get("/goals/{event_id}", response_model=GoalView, responses=describe_problems(HTTPStatus.NOT_FOUND))
async def get_goal(
    request: Request, web: WebStateDep, event_id: Annotated[str, Path(pattern=EVENT_ID_PATTERN)]
) -> Response:
    """One goal. A re-attributed goal is found under its old id too."""
    _, goal = await load_goal(web, event_id)
    return respond_with_etag(request, _GOAL_ADAPTER.dump_json(goal))


class ClipResponse(BaseModel):
    """A clip with its goal and match. `clip_id` differs from the one requested if another clip has absorbed it."""

    clip: ClipView
    event_id: str
    match: FixtureHeadline


_CLIP_ADAPTER: TypeAdapter[ClipResponse] = TypeAdapter(ClipResponse)


@router.get(
    "/clips/{clip_id}",
    response_model=ClipResponse,
    responses=describe_problems(HTTPStatus.NOT_FOUND, HTTPStatus.GONE),
)
async def get_clip(
    request: Request, web: WebStateDep, clip_id: Annotated[str, Path(pattern=CLIP_ID_PATTERN)]
) -> Response:
    """One clip, or the one that absorbed it; 410 if it is gone."""
    key = await resolve_clip_key(web, clip_id)
    asked = MediaKey.parse(key)
    stored = await web.store.get_fixture(asked.fixture_id) if asked else None
    match = web.build_view(stored) if stored else None
    goals = match.goals if match else ()
    found = next(((one, clip) for one in goals for clip in one.clips if clip.media_url == f"/media/{key}"), None)
    if match is None or found is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no clip {clip_id} here.")
    goal, clip = found
    body = ClipResponse(clip=clip, event_id=goal.event_id, match=build_headline(match))
    return respond_with_etag(request, _CLIP_ADAPTER.dump_json(body))
