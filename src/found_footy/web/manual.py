"""Adding a clip by hand, the one thing here that writes. Guarded: it makes us fetch what somebody points to."""

import hmac
import re
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from found_footy.model.fixture import Room
from found_footy.platform.errors import NotFound
from found_footy.web.access import EVENT_ID, current_id
from found_footy.web.documents import rows
from found_footy.web.problems import PROBLEM_TYPE, Problem, ProblemError
from found_footy.web.state import Site, web_of
from found_footy.web.views import Stored

LARGEST_BODY = 4096
_ADDRESS = re.compile(r"/api/v1/goals/[^/]{1,200}/clips")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_LOOPBACK = re.compile(r"::1|(::ffff:)?127(\.[0-9]{1,3}){3}")
_OWN_NAME = re.compile(r"(localhost|\[::1\]|127(\.[0-9]{1,3}){3})(:[0-9]{1,5})?", re.IGNORECASE)


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


async def may_write(request: Request) -> None:
    """Whoever has the token; without one, this machine, and no page of another site that it happens to show."""
    token = web_of(request).deps.settings.admin_token
    if token is not None:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(given.encode(), token.get_secret_value().encode())
        if scheme.lower() != "bearer" or not right:
            headers = {"WWW-Authenticate": "Bearer"}
            raise ProblemError(HTTPStatus.UNAUTHORIZED, "The token is missing or wrong.", headers=headers)
    elif not _is_from_here(request):
        detail = "Without a token clips can be added from this machine only; FOOTY_WEB__ADMIN_TOKEN sets one."
        raise ProblemError(HTTPStatus.FORBIDDEN, detail)
    if not _is_own_page(request):
        raise ProblemError(HTTPStatus.FORBIDDEN, "A page of another site may not add clips.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A clip is told as application/json.")


def _is_from_here(request: Request) -> bool:
    """By address, and by the name that was asked for, as a foreign name may be made to lead here. What a proxy on this
    machine passes on comes from elsewhere.
    """
    local = request.client is not None and _LOOPBACK.fullmatch(request.client.host) is not None
    asked = _OWN_NAME.fullmatch(request.headers.get("host", "")) is not None
    return local and asked and not any(name in request.headers for name in _FORWARDED)


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


router = APIRouter(prefix="/api/v1", dependencies=[Depends(may_write)])


@router.post(
    "/goals/{event_id}/clips",
    response_model=AddedClips,
    status_code=HTTPStatus.ACCEPTED,
    responses=_problems(
        HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, HTTPStatus.SERVICE_UNAVAILABLE,
    ),
)  # fmt: skip
async def add_clip(web: Site, event_id: Annotated[str, Path(pattern=EVENT_ID)], clip: NewClip) -> AddedClips:
    """Add a clip to a goal of a match in play: it is fetched, checked and ranked like any other."""
    if web.deps.add_clip is None:
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Clips cannot be added here.")
    current = _in_play(await web.store.fixture(int(event_id.partition("_")[0])), event_id)
    try:
        added = await web.deps.add_clip(current, clip.url, web.deps.clock())
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
