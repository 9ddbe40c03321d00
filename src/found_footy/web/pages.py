"""The page, and the pieces of it that a browser takes again when something changed."""

from datetime import tzinfo
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Cookie, Path, Query, Response
from fastapi.responses import HTMLResponse

from found_footy.web import phrases
from found_footy.web.problems import ProblemError
from found_footy.web.state import Site, Web
from found_footy.web.timetable import sections, zone_name, zone_named

router = APIRouter(include_in_schema=False)

FixtureId = Annotated[int, Path(ge=1, le=10**12)]
Zone = Annotated[str | None, Cookie(alias="zone", max_length=64)]


@router.head("/")
@router.get("/")
async def home(web: Site, zone: Zone = None) -> HTMLResponse:
    return await _matches(web, "home.html", zone_named(zone))


@router.get("/fragments/matches")
async def matches(web: Site, zone: Zone = None) -> HTMLResponse:
    return await _matches(web, "matches.html", zone_named(zone))


async def _matches(web: Web, template: str, zone: tzinfo) -> HTMLResponse:
    # The cursor is taken before the data: what changes in between is told again rather than missed.
    cursor = web.hub.cursor
    now, settings = web.deps.clock(), web.deps.settings
    stored = await web.store.between(now - settings.past, now + settings.ahead, settings.matches)
    upcoming = web.deps.next_ingest(now)
    return web.rendering.page(
        template,
        cursor=cursor,
        zone=zone,
        zone_name=zone_name(zone),
        sections=sections((web.view(one) for one in stored), now, zone),
        next_ingest=upcoming,
        next_ingest_in=phrases.until(upcoming, now) if upcoming else "",
    )


@router.get("/fragments/match/{fixture_id}")
async def match(web: Site, fixture_id: FixtureId, zone: Zone = None) -> HTMLResponse:
    stored = await web.store.fixture(fixture_id)
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "This match is not, or no longer, kept here.")
    return web.rendering.page("match.html", match=web.view(stored), zone=zone_named(zone))


@router.head("/static/{name}")
@router.get("/static/{name}")
async def static(web: Site, name: str, v: Annotated[str, Query(max_length=64)] = "") -> Response:
    file = web.rendering.static.get(name)
    if file is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such file.")
    # Only an address that names the content may be kept for good.
    cache = "public, max-age=31536000, immutable" if v == file.digest else "no-cache"
    return Response(file.body, media_type=file.content_type, headers={"Cache-Control": cache})
