"""Style sheets, scripts and pictures of the pages."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse

from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)


@router.head("/static/{name}")
@router.get("/static/{name}")
async def serve_static_file(web: WebStateDep, name: str, v: Annotated[str, Query(max_length=64)] = "") -> Response:
    return respond_with_static_file(web, name, v)


def respond_with_static_file(web: WebState, name: str, version: str) -> Response:
    file = web.renderer.static_files.get(name)
    if file is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "This file does not exist.")
    # Only a URL that names the content's digest may be cached for good.
    cache = "public, max-age=31536000, immutable" if version == file.digest else "no-cache"
    return Response(file.body, media_type=file.content_type, headers={"Cache-Control": cache})


@router.get("/manifest.webmanifest")
async def serve_manifest(web: WebStateDep) -> Response:
    """What a browser needs to install the page as an app."""
    icon = web.renderer.asset_url("ball.svg")
    manifest = {
        "name": "Found Footy",
        "short_name": "Found Footy",
        "description": "Every goal of the matches being watched, with the best clip found of each.",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#0b100e",
        "theme_color": "#0b100e",
        "icons": [{"src": icon, "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
    }
    return JSONResponse(manifest, headers={"Cache-Control": "no-cache"}, media_type="application/manifest+json")


@router.get("/worker.js")
async def serve_worker(web: WebStateDep) -> Response:
    """The service worker, at the root: its address decides which pages it may serve."""
    file = web.renderer.static_files["worker.js"]
    return Response(file.body, media_type=file.content_type, headers={"Cache-Control": "no-cache"})
