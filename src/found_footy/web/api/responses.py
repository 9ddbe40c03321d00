"""What all routes of the JSON API share: entity tags, problems in the description, and parameters."""

import hashlib
from datetime import date, tzinfo
from http import HTTPStatus
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AfterValidator, Field

from found_footy.views.cursors import FIXTURE_CURSOR_PATTERN, parse_fixture_cursor
from found_footy.views.day import MAX_DAY, MIN_DAY
from found_footy.views.search import GOAL_CURSOR_PATTERN, GoalListCursor, parse_goal_cursor
from found_footy.views.store import FixtureListCursor
from found_footy.views.timetable import find_time_zone, time_zone_name
from found_footy.web.page_cache import has_matching_etag
from found_footy.web.problems import PROBLEM_MEDIA_TYPE, ProblemDetails, ProblemError

DayT = TypeVar("DayT", bound=date | None)
API_PREFIX = "/api/v1"
_MAX_ID = 10**12
DEFAULT_ZONE = "UTC"


def describe_problems(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that may answer with these problems."""
    return {
        int(status): {"model": ProblemDetails, "content": {PROBLEM_MEDIA_TYPE: {}}, "description": status.phrase}
        for status in statuses
    }


_UNCHANGED: dict[int | str, dict[str, Any]] = {
    int(HTTPStatus.NOT_MODIFIED): {"description": "The client has this version, by If-None-Match."}
}


def make_router() -> APIRouter:
    """A router of the read API; every route may fail with its database, and answers 304 to a known entity tag."""
    problems = describe_problems(
        HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.REQUEST_URI_TOO_LONG, HTTPStatus.SERVICE_UNAVAILABLE
    )
    return APIRouter(prefix=API_PREFIX, responses={**problems, **_UNCHANGED})


def check_day(day: DayT) -> DayT:
    if day is not None and not MIN_DAY <= day <= MAX_DAY:
        raise ValueError(f"must be from {MIN_DAY} to {MAX_DAY}")
    return day


FixtureId = Annotated[int, Path(ge=1, le=_MAX_ID)]
FeedId = Annotated[int, Path(ge=1, le=_MAX_ID)]
FeedIdFilter = Annotated[int | None, Query(ge=1, le=_MAX_ID)]
DayText = Annotated[date, AfterValidator(check_day)]
PageLimit = Annotated[int, Query(ge=1, le=100)]
FixtureCursorText = Annotated[str | None, Query(pattern=FIXTURE_CURSOR_PATTERN)]
GoalCursorText = Annotated[str | None, Query(pattern=GOAL_CURSOR_PATTERN)]
ZoneName = Annotated[str, Field(max_length=64), Query(description="IANA name of the time zone, such as Europe/Berlin")]


def respond_with_etag(request: Request, content: bytes, *, is_private: bool = False) -> Response:
    """Return JSON with an entity tag, or 304 to a client that already has it. What is private, no proxy may keep."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache" if is_private else "no-cache"}
    if has_matching_etag(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, media_type="application/json", headers=headers)


def require_zone(name: str) -> tzinfo:
    """Unlike a page, a program is told that its time zone is unknown."""
    zone = find_time_zone(name)
    if name != time_zone_name(zone):
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "zone: not a time zone that is known here")
    return zone


def read_fixture_cursor(text: str | None) -> FixtureListCursor | None:
    cursor = parse_fixture_cursor(text) if text is not None else None
    if cursor is None and text is not None:
        raise _foreign_cursor()
    return cursor


def read_goal_cursor(text: str | None) -> GoalListCursor | None:
    cursor = parse_goal_cursor(text) if text is not None else None
    if cursor is None and text is not None:
        raise _foreign_cursor()
    return cursor


def _foreign_cursor() -> ProblemError:
    return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "cursor: not one that this API returned")
