"""How the process and its dependencies are: for machines, for people, for Prometheus."""

from http import HTTPStatus

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from found_footy.web.checkup import is_ready
from found_footy.web.deps import Dependency
from found_footy.web.state import Site

router = APIRouter(include_in_schema=False)
_FRESH = {"Cache-Control": "no-store"}


@router.head("/healthz")
@router.get("/healthz")
async def healthz(web: Site) -> JSONResponse:
    """The process answers; its dependencies are not asked, so that nobody restarts it for their sake."""
    return JSONResponse({"status": "ok", "version": web.deps.version, "commit": web.deps.commit}, headers=_FRESH)


@router.head("/readyz")
@router.get("/readyz")
async def readyz(web: Site) -> JSONResponse:
    """Whether pages and clips can be served. A monitor that stands still is told, and does not take the page away."""
    results = await web.checkup.results()
    ready = is_ready(results)
    broken = [result.name for result in results if not result.ok and result.required]
    degraded = [result.name for result in results if not result.ok and not result.required]
    rows = [_row(result) for result in results]
    body = {"status": "ready" if ready else "not ready", "broken": broken, "degraded": degraded, "dependencies": rows}
    return JSONResponse(body, HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE, _FRESH)


def _row(result: Dependency) -> dict[str, object]:
    return {"name": result.name, "ok": result.ok, "required": result.required, "detail": result.detail}


@router.get("/health")
async def health(web: Site) -> HTMLResponse:
    results = await web.checkup.results()
    return web.rendering.page(
        "health.html",
        status=HTTPStatus.OK if is_ready(results) else HTTPStatus.SERVICE_UNAVAILABLE,
        headers=_FRESH,
        ready=is_ready(results),
        broken=[result.name for result in results if result.state == "broken"],
        results=results,
    )


@router.get("/metrics")
async def figures() -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST, headers=_FRESH)
