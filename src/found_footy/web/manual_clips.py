"""Adding a clip by hand. For curators, because the product then fetches the given URL."""

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.goals import GOAL_LISTS, resolve_event_id
from found_footy.domain.ids import parse_fixture_id
from found_footy.platform.errors import NotFound
from found_footy.views.field_readers import read_documents
from found_footy.views.fixture_views import StoredFixture
from found_footy.web.access import EVENT_ID_PATTERN
from found_footy.web.accounts.principals import PrincipalDep
from found_footy.web.api.responses import describe_problems
from found_footy.web.body_checks import find_body_problem
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

MAX_BODY_BYTES = 4096
_CLIPS_PATH_REGEX = re.compile(r"/api/v1/goals/[^/]{1,200}/clips")


def can_have_body(method: str, path: str) -> bool:
    """Whether a request may carry a body, of at most `MAX_BODY_BYTES` bytes."""
    return method == "POST" and _CLIPS_PATH_REGEX.fullmatch(path) is not None


class AddClipRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(min_length=1, max_length=2000)]
    """A post on X or Bluesky, or an MP4 file at one of the video hosts."""


class AddClipResponse(BaseModel):
    """What is being fetched. The same request again has the same answer, and fetches nothing twice at once."""

    event_id: str
    download_id: str
    urls: list[str]


def find_request_problem(_web: WebState, request: Request) -> ProblemError | None:
    """Return why a request to add a clip is denied before its body is read."""
    return find_body_problem(request, "application/json", MAX_BODY_BYTES)


router = APIRouter(prefix="/api/v1")


@router.post(
    "/goals/{event_id}/clips",
    response_model=AddClipResponse,
    status_code=HTTPStatus.ACCEPTED,
    responses=describe_problems(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
)
async def add_clip(
    web: WebStateDep,
    principal: PrincipalDep,
    event_id: Annotated[str, Path(pattern=EVENT_ID_PATTERN)],
    clip: AddClipRequest,
) -> AddClipResponse:
    """Add a clip to a goal of a match in play: it is fetched, checked and ranked like any other. Needs the scope
    `curate`.
    """
    return await add_clip_to_goal(web, event_id, clip.url, principal.name)


async def add_clip_to_goal(web: WebState, event_id: str, url: str, actor: str) -> AddClipResponse:
    if web.deps.add_clip is None:
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Clips cannot be added here.")
    current = _require_goal_in_play(await web.store.get_fixture(parse_fixture_id(event_id)), event_id)
    try:
        added = await web.deps.add_clip(current, url, web.deps.clock(), actor)
    except NotFound as error:
        raise ProblemError(HTTPStatus.CONFLICT, f"The goal {current} was removed or archived a moment ago.") from error
    return AddClipResponse(event_id=current, download_id=added.download_id, urls=[one.url for one in added.videos])


def _require_goal_in_play(stored: StoredFixture | None, event_id: str) -> str:
    """Return the goal's current id, after any number of re-attributions."""
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no goal {event_id} here.")
    current = resolve_event_id(stored.document, event_id)
    current_ids = {
        event.get("_event_id") for event in read_documents(stored.document.get("events")) if not event.get("_removed")
    }
    if current in current_ids and stored.collection is FixtureCollection.ACTIVE:
        return current
    known = {event.get("_event_id") for name in GOAL_LISTS for event in read_documents(stored.document.get(name))}
    if current not in known:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no goal {event_id} here.")
    why = "its match is over and archived" if current in current_ids else "it was removed"
    raise ProblemError(HTTPStatus.CONFLICT, f"No clip can be added to the goal {current}: {why}.")
