"""Adding a clip by hand, the one thing here that writes. Guarded: it makes us fetch what somebody points to."""

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from found_footy.model.fixture import Room
from found_footy.platform.errors import NotFound
from found_footy.web.access import EVENT_ID, current_id
from found_footy.web.documents import rows
from found_footy.web.problems import PROBLEM_TYPE, Problem, ProblemError, token_problem
from found_footy.web.state import Site, Web, peer_of, refusal_of
from found_footy.web.views import Stored

LARGEST_BODY = 4096
_ADDRESS = re.compile(r"/api/v1/goals/[^/]{1,200}/clips")
_LONGEST_LENGTH = 12
_HOW_TO = (
    "No clip can be added over HTTP while no token is set: set FOOTY_WEB__ADMIN_TOKEN, or run "
    "`found-footy add-clip` on the machine itself."
)


def takes_body(method: str, path: str) -> bool:
    """Whether a request may carry a body, of at most LARGEST_BODY bytes."""
    return method == "POST" and _ADDRESS.fullmatch(path) is not None


class NewClip(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(min_length=1, max_length=2000)]
    """A post on X or Bluesky, or an MP4 file at one of the video hosts."""


class AddedClips(BaseModel):
    """What is being fetched. The same request again has the same answer, and fetches nothing twice at once."""

    event_id: str
    download_id: str
    urls: list[str]


def refused(web: Web, request: Request) -> ProblemError | None:
    """Why a request to add a clip is refused, decided before a byte of its body is read: it needs the token, must not
    come from a page of another site, and says what it sends and how much.
    """
    refusal = refusal_of(web, request, "adding a clip")
    if refusal is not None:
        return token_problem(refusal, _HOW_TO)
    if not _is_own_page(request):
        return ProblemError(HTTPStatus.FORBIDDEN, "A page of another site may not add clips.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A clip is told as application/json.")
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or "transfer-encoding" in request.headers:
        return ProblemError(HTTPStatus.LENGTH_REQUIRED, "The request must tell the length of its body.")
    if len(length) > _LONGEST_LENGTH or int(length) > LARGEST_BODY:
        return ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A body may have {LARGEST_BODY} bytes at most.")
    return None


def _is_own_page(request: Request) -> bool:
    """A browser names the page that a request comes from; a program need not. Behind a proxy the scheme may differ."""
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _problems(*statuses: HTTPStatus) -> dict[int | str, dict[str, object]]:
    return {
        int(status): {"model": Problem, "content": {PROBLEM_TYPE: {}}, "description": status.phrase}
        for status in statuses
    }


router = APIRouter(prefix="/api/v1")


@router.post(
    "/goals/{event_id}/clips",
    response_model=AddedClips,
    status_code=HTTPStatus.ACCEPTED,
    responses=_problems(
        HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
)  # fmt: skip
async def add_clip(
    request: Request, web: Site, event_id: Annotated[str, Path(pattern=EVENT_ID)], clip: NewClip
) -> AddedClips:
    """Add a clip to a goal of a match in play: it is fetched, checked and ranked like any other."""
    if web.deps.add_clip is None:
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Clips cannot be added here.")
    current = _in_play(await web.store.fixture(int(event_id.partition("_")[0])), event_id)
    try:
        added = await web.deps.add_clip(current, clip.url, web.deps.clock(), f"token, from {peer_of(request)}")
    except NotFound as error:
        raise ProblemError(HTTPStatus.CONFLICT, f"The goal {current} has just gone out of play.") from error
    return AddedClips(event_id=current, download_id=added.download_id, urls=[one.url for one in added.videos])


def _in_play(stored: Stored | None, event_id: str) -> str:
    """The goal's id as it is now, however often its scorer was corrected."""
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no goal {event_id} here.")
    current = current_id(stored.document, event_id)
    standing = {event.get("_event_id") for event in rows(stored.document.get("events")) if not event.get("_removed")}
    if current in standing and stored.room is Room.ACTIVE:
        return current
    known = {
        event.get("_event_id") for name in ("events", "removed_events") for event in rows(stored.document.get(name))
    }
    if current not in known:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no goal {event_id} here.")
    why = "its match is over and archived" if current in standing else "it was struck out"
    raise ProblemError(HTTPStatus.CONFLICT, f"The goal {current} takes no clips: {why}.")
