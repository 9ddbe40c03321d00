"""Adding a clip by hand, the only route that writes. Guarded, because the product then fetches the given URL."""

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.goals import resolve_event_id
from found_footy.platform.errors import NotFound
from found_footy.platform.http.caller_checks import is_same_origin
from found_footy.views.field_readers import read_documents
from found_footy.views.fixture_views import StoredFixture
from found_footy.web.access import EVENT_ID_PATTERN
from found_footy.web.problems import PROBLEM_MEDIA_TYPE, ProblemDetails, ProblemError, build_token_problem
from found_footy.web.state import WebState, WebStateDep, check_admin_token, peer_address

MAX_BODY_BYTES = 4096
_CLIPS_PATH_REGEX = re.compile(r"/api/v1/goals/[^/]{1,200}/clips")
_MAX_CONTENT_LENGTH_DIGITS = 12
_ROUTE_CLOSED_MESSAGE = (
    "Clips cannot be added over HTTP without a token: set FOOTY_WEB__ADMIN_TOKEN, or run "
    "`found-footy add-clip` on the machine itself."
)


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


def find_request_problem(web: WebState, request: Request) -> ProblemError | None:
    """Return why a request to add a clip is denied, decided before its body is read: it needs the token, must not come
    from a page of another site, and must declare its content type and length.
    """
    refusal = check_admin_token(web, request, "adding a clip")
    if refusal is not None:
        return build_token_problem(refusal, _ROUTE_CLOSED_MESSAGE)
    if not is_same_origin(request.headers):
        return ProblemError(HTTPStatus.FORBIDDEN, "Pages of other sites may not add clips.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The request's content type must be application/json.")
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or "transfer-encoding" in request.headers:
        return ProblemError(HTTPStatus.LENGTH_REQUIRED, "The request must declare the length of its body.")
    if len(length) > _MAX_CONTENT_LENGTH_DIGITS or int(length) > MAX_BODY_BYTES:
        return ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body may have at most {MAX_BODY_BYTES} bytes.")
    return None


def _problem_responses(*statuses: HTTPStatus) -> dict[int | str, dict[str, object]]:
    return {
        int(status): {"model": ProblemDetails, "content": {PROBLEM_MEDIA_TYPE: {}}, "description": status.phrase}
        for status in statuses
    }


router = APIRouter(prefix="/api/v1")


@router.post(
    "/goals/{event_id}/clips",
    response_model=AddClipResponse,
    status_code=HTTPStatus.ACCEPTED,
    responses=_problem_responses(
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
    request: Request, web: WebStateDep, event_id: Annotated[str, Path(pattern=EVENT_ID_PATTERN)], clip: AddClipRequest
) -> AddClipResponse:
    """Add a clip to a goal of a match in play: it is fetched, checked and ranked like any other."""
    if web.deps.add_clip is None:
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Clips cannot be added here.")
    current = _require_goal_in_play(await web.store.get_fixture(int(event_id.partition("_")[0])), event_id)
    try:
        added = await web.deps.add_clip(current, clip.url, web.deps.clock(), f"token, from {peer_address(request)}")
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
    known = {
        event.get("_event_id")
        for name in ("events", "removed_events")
        for event in read_documents(stored.document.get(name))
    }
    if current not in known:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no goal {event_id} here.")
    why = "its match is over and archived" if current in current_ids else "it was removed"
    raise ProblemError(HTTPStatus.CONFLICT, f"No clip can be added to the goal {current}: {why}.")
