"""The JSON API. Additive changes only inside v1."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, TypeAdapter

from found_footy.model.outcome import GoalStatus
from found_footy.web.access import EVENT_ID, current_id
from found_footy.web.problems import PROBLEM_TYPE, Problem, ProblemError
from found_footy.web.rendered import has, respond
from found_footy.web.state import Site, Web
from found_footy.web.store import Place
from found_footy.web.tally import tally
from found_footy.web.views import Goal, Match, Stored

_CURSOR = r"^\d{1,15}-\d{1,12}$"
FixtureId = Annotated[int, Path(ge=1, le=10**12)]


def _problem(status: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    return {int(status): {"model": Problem, "content": {PROBLEM_TYPE: {}}, "description": status.phrase}}


router = APIRouter(prefix="/api/v1", responses=_problem(HTTPStatus.SERVICE_UNAVAILABLE))


class MatchList(BaseModel):
    """`next` is the cursor of the page that follows; it is missing on the last."""

    matches: list[Match]
    next: str | None = None


class Status(BaseModel):
    """What is kept, and which build says so."""

    version: str
    commit: str
    simulated: bool
    live_updates: bool
    collections: dict[str, int]
    goals: dict[GoalStatus, int]
    clips: int


_MATCHES: TypeAdapter[MatchList] = TypeAdapter(MatchList)
_MATCH: TypeAdapter[Match] = TypeAdapter(Match)
_GOAL: TypeAdapter[Goal] = TypeAdapter(Goal)
_STATUS: TypeAdapter[Status] = TypeAdapter(Status)


def tagged(request: Request, content: bytes) -> Response:
    """JSON with an entity tag, or 304 for a client that has it already."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if has(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, media_type="application/json", headers=headers)


@router.get("/matches", response_model=MatchList, responses=_problem(HTTPStatus.UNPROCESSABLE_ENTITY))
async def matches(
    request: Request,
    web: Site,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(pattern=_CURSOR)] = None,
) -> Response:
    """All matches that have a date, latest kickoff first, with their goals and clips."""
    stored = await web.store.page(_place(cursor), limit)

    def written() -> bytes:
        views = [web.view(one) for one in stored]
        following = _cursor(views[-1]) if len(views) == limit else None
        return _MATCHES.dump_json(MatchList(matches=views, next=following))

    return tagged(request, await web.rendered.one_at_a_time(written))


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    milliseconds, fixture_id = cursor.split("-")
    try:
        kickoff = datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "cursor: not one that this API gave out") from error
    return Place(kickoff, int(fixture_id))


def _cursor(match: Match) -> str:
    return f"{int(match.kickoff.timestamp() * 1000)}-{match.fixture_id}"


@router.get("/matches/{fixture_id}", response_model=Match, responses=_problem(HTTPStatus.NOT_FOUND))
async def match(request: Request, web: Site, fixture_id: FixtureId) -> Response:
    stored = await web.store.fixture(fixture_id)
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no match {fixture_id} here.")
    return tagged(request, _MATCH.dump_json(web.view(stored)))


@router.get("/goals/{event_id}", response_model=Goal, responses=_problem(HTTPStatus.NOT_FOUND))
async def goal(request: Request, web: Site, event_id: Annotated[str, Path(pattern=EVENT_ID)]) -> Response:
    """One goal. A goal that was given to another player is found under its old id too."""
    stored = await web.store.fixture(int(event_id.partition("_")[0]))
    goals = web.view(stored).goals if stored else ()
    current = current_id(stored.document, event_id) if stored else event_id
    found = next((one for one in goals if current in (one.event_id, one.moved_from)), None)
    if found is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no goal {event_id} here.")
    return tagged(request, _GOAL.dump_json(found))


@router.get("/status", response_model=Status)
async def status(request: Request, web: Site) -> Response:
    async def make() -> Callable[[], bytes]:
        stored = await web.store.everything()
        return lambda: _STATUS.dump_json(_status(web, stored))

    kept = await web.rendered.get(("status", web.hub.following), make)
    return respond(request, kept, "application/json")


def _status(web: Web, stored: list[Stored]) -> Status:
    counted = tally(stored)
    return Status(
        version=web.deps.version,
        commit=web.deps.commit,
        simulated=web.deps.simulated,
        live_updates=web.hub.following,
        collections=counted.collections,
        goals=counted.goals,
        clips=counted.clips,
    )
