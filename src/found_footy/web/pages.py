"""The page, and the pieces of it that a browser takes again when something changed."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Cookie, Header, Path, Query, Request, Response

from found_footy.web import phrases
from found_footy.web.problems import ProblemError
from found_footy.web.rendered import respond
from found_footy.web.state import Site, Web
from found_footy.web.store import Shown
from found_footy.web.timetable import sections, zone_name, zone_named

router = APIRouter(include_in_schema=False)

FixtureId = Annotated[int, Path(ge=1, le=10**12)]
_LAST_PAGE = 50
Page = Annotated[int, Query(ge=1, le=_LAST_PAGE)]
LastEvent = Annotated[str | None, Header(max_length=64)]
Zone = Annotated[str | None, Cookie(alias="zone", max_length=64)]


@router.head("/")
@router.get("/")
async def home(request: Request, web: Site, page: Page = 1, zone: Zone = None) -> Response:
    return await _matches(request, web, "home.html", page, zone)


@router.get("/fragments/matches")
async def matches(
    request: Request, web: Site, page: Page = 1, zone: Zone = None, last_event_id: LastEvent = None
) -> Response:
    return await _matches(request, web, "matches.html", page, zone, last_event_id)


async def _matches(
    request: Request, web: Web, template: str, page: int, zone: str | None, seen: str | None = None
) -> Response:
    """Rendered once for all visitors of a time zone; a browser that was told of a change has it in its page."""
    place = zone_named(zone)

    async def make() -> Callable[[], bytes]:
        cursor = web.hub.cursor
        now, settings = web.deps.clock(), web.deps.settings
        skip = (page - 1) * settings.matches
        shown = await web.store.between(now - settings.past, now + settings.ahead, settings.matches, skip)
        return lambda: _written(web, template, shown, page, place, cursor, now)

    kept = await web.rendered.get((template, page, zone_name(place)), make, seen)
    return respond(request, kept, "text/html")


def _written(
    web: Web, template: str, shown: Shown, page: int, zone: tzinfo, cursor: str, now: datetime
) -> bytes:  # fmt: skip
    upcoming = web.deps.next_ingest(now)
    text = web.rendering.text(
        template,
        cursor=cursor,
        zone=zone,
        zone_name=zone_name(zone),
        sections=sections((web.view(one) for one in shown.stored), now, zone),
        page=page,
        more=shown.more and page < _LAST_PAGE,
        next_ingest=upcoming,
        next_ingest_in=phrases.until(upcoming, now) if upcoming else "",
    )
    return text.encode()


@router.get("/fragments/match/{fixture_id}")
async def match(
    request: Request, web: Site, fixture_id: FixtureId, zone: Zone = None, last_event_id: LastEvent = None
) -> Response:
    place = zone_named(zone)

    async def make() -> Callable[[], bytes]:
        stored = await web.store.fixture(fixture_id)
        if stored is None:
            raise ProblemError(HTTPStatus.NOT_FOUND, "This match is not, or no longer, kept here.")
        return lambda: web.rendering.text("match.html", match=web.view(stored), zone=place).encode()

    kept = await web.rendered.get(("match.html", fixture_id, zone_name(place)), make, last_event_id)
    return respond(request, kept, "text/html")


@router.head("/static/{name}")
@router.get("/static/{name}")
async def static(web: Site, name: str, v: Annotated[str, Query(max_length=64)] = "") -> Response:
    file = web.rendering.static.get(name)
    if file is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such file.")
    # Only an address that names the content may be kept for good.
    cache = "public, max-age=31536000, immutable" if v == file.digest else "no-cache"
    return Response(file.body, media_type=file.content_type, headers={"Cache-Control": cache})
