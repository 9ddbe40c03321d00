"""The JSON API. Additive changes only inside v1."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, TypeAdapter

from found_footy.domain.goals import resolve_event_id
from found_footy.domain.outcomes import GoalStatus
from found_footy.views.counts import count_stored
from found_footy.views.fixture_views import FixtureView, GoalView, StoredFixture
from found_footy.views.store import FixtureListCursor
from found_footy.web.access import EVENT_ID_PATTERN
from found_footy.web.page_cache import has_matching_etag, respond_with_page
from found_footy.web.problems import PROBLEM_MEDIA_TYPE, ProblemDetails, ProblemError
from found_footy.web.state import WebState, WebStateDep

_CURSOR_PATTERN = r"^\d{1,15}-\d{1,12}$"
FixtureId = Annotated[int, Path(ge=1, le=10**12)]


def _problem_responses(status: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    return {int(status): {"model": ProblemDetails, "content": {PROBLEM_MEDIA_TYPE: {}}, "description": status.phrase}}


router = APIRouter(prefix="/api/v1", responses=_problem_responses(HTTPStatus.SERVICE_UNAVAILABLE))


class FixtureListResponse(BaseModel):
    """`next` is the cursor of the next page; it is missing on the last."""

    matches: list[FixtureView]
    next: str | None = None


class StatusResponse(BaseModel):
    """Counts of stored data, and the build that serves them."""

    version: str
    commit: str
    simulated: bool
    live_updates: bool
    collections: dict[str, int]
    goals: dict[GoalStatus, int]
    clips: int


_FIXTURE_LIST_ADAPTER: TypeAdapter[FixtureListResponse] = TypeAdapter(FixtureListResponse)
_FIXTURE_ADAPTER: TypeAdapter[FixtureView] = TypeAdapter(FixtureView)
_GOAL_ADAPTER: TypeAdapter[GoalView] = TypeAdapter(GoalView)
_STATUS_ADAPTER: TypeAdapter[StatusResponse] = TypeAdapter(StatusResponse)


def respond_with_etag(request: Request, content: bytes, *, is_private: bool = False) -> Response:
    """Return JSON with an entity tag, or 304 to a client that already has it. What is private, no proxy may keep."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache" if is_private else "no-cache"}
    if has_matching_etag(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, media_type="application/json", headers=headers)


@router.get(
    "/matches", response_model=FixtureListResponse, responses=_problem_responses(HTTPStatus.UNPROCESSABLE_ENTITY)
)
async def list_fixtures(
    request: Request,
    web: WebStateDep,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(pattern=_CURSOR_PATTERN)] = None,
) -> Response:
    """All matches that have a date, latest kickoff first, with their goals and clips."""
    stored = await web.store.list_newest(_parse_cursor(cursor), limit)

    def written() -> bytes:
        views = [web.build_view(one) for one in stored]
        following = _format_cursor(views[-1]) if len(views) == limit else None
        return _FIXTURE_LIST_ADAPTER.dump_json(FixtureListResponse(matches=views, next=following))

    return respond_with_etag(request, await web.page_cache.run_exclusively(written))


def _parse_cursor(cursor: str | None) -> FixtureListCursor | None:
    if cursor is None:
        return None
    milliseconds, fixture_id = cursor.split("-")
    try:
        kickoff = datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "cursor: not one that this API returned") from error
    return FixtureListCursor(kickoff, int(fixture_id))


def _format_cursor(fixture: FixtureView) -> str:
    return f"{int(fixture.kickoff.timestamp() * 1000)}-{fixture.fixture_id}"


@router.get("/matches/{fixture_id}", response_model=FixtureView, responses=_problem_responses(HTTPStatus.NOT_FOUND))
async def get_fixture(request: Request, web: WebStateDep, fixture_id: FixtureId) -> Response:
    stored = await web.store.get_fixture(fixture_id)
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no match {fixture_id} here.")
    return respond_with_etag(request, _FIXTURE_ADAPTER.dump_json(web.build_view(stored)))


@router.get("/goals/{event_id}", response_model=GoalView, responses=_problem_responses(HTTPStatus.NOT_FOUND))
async def get_goal(
    request: Request, web: WebStateDep, event_id: Annotated[str, Path(pattern=EVENT_ID_PATTERN)]
) -> Response:
    """One goal. A re-attributed goal is found under its old id too."""
    stored = await web.store.get_fixture(int(event_id.partition("_")[0]))
    goals = web.build_view(stored).goals if stored else ()
    current = resolve_event_id(stored.document, event_id) if stored else event_id
    found = next((one for one in goals if current in (one.event_id, one.moved_from)), None)
    if found is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no goal {event_id} here.")
    return respond_with_etag(request, _GOAL_ADAPTER.dump_json(found))


@router.get("/status", response_model=StatusResponse)
async def get_status(request: Request, web: WebStateDep) -> Response:
    async def make() -> Callable[[], bytes]:
        stored = await web.store.list_all_for_counts()
        return lambda: _STATUS_ADAPTER.dump_json(_build_status(web, stored))

    kept = await web.page_cache.get(("status", web.hub.is_following), make)
    return respond_with_page(request, kept, "application/json")


def _build_status(web: WebState, stored: list[StoredFixture]) -> StatusResponse:
    counted = count_stored(stored)
    return StatusResponse(
        version=web.deps.version,
        commit=web.deps.commit,
        simulated=web.deps.simulated,
        live_updates=web.hub.is_following,
        collections=counted.collections,
        goals=counted.goals,
        clips=counted.clips,
    )
