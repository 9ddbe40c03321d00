"""How the process and its dependencies are: in a word for everybody, in detail for the bearer of the token. The details
name inner addresses, the state of accounts and the words of other systems.
"""

from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from found_footy.web.checkup import is_ready
from found_footy.web.deps import Dependency
from found_footy.web.problems import token_problem
from found_footy.web.state import Site, Web, refusal_of

router = APIRouter(include_in_schema=False)
_FRESH = {"Cache-Control": "no-store"}
_HOW_TO = (
    "The figures are told to the bearer of a token only: set FOOTY_WEB__ADMIN_TOKEN, or FOOTY_WEB__METRICS_PORT "
    "to have them on a port of their own."
)


@router.head("/healthz")
@router.get("/healthz")
async def healthz(web: Site) -> JSONResponse:
    """The process answers; its dependencies are not asked, so that nobody restarts it for their sake."""
    return JSONResponse({"status": "ok", "version": web.deps.version, "commit": web.deps.commit}, headers=_FRESH)


@router.head("/readyz")
@router.get("/readyz")
async def readyz(request: Request, web: Site) -> JSONResponse:
    """Whether pages and clips can be served. A monitor that stands still is told, and does not take the page away."""
    results = await web.checkup.results()
    ready = is_ready(results)
    body: dict[str, object] = {"status": "ready" if ready else "not ready"}
    if _may_see_details(web, request):
        body |= _details(results)
    return JSONResponse(body, HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE, _FRESH)


def _may_see_details(web: Web, request: Request) -> bool:
    """Who sends no token is a stranger like any other, and was not refused anything."""
    return "authorization" in request.headers and refusal_of(web, request, "details of health") is None


def _details(results: tuple[Dependency, ...]) -> dict[str, object]:
    return {
        "broken": [result.name for result in results if not result.ok and result.required],
        "degraded": [result.name for result in results if not result.ok and not result.required],
        "dependencies": [_row(result) for result in results],
    }


def _row(result: Dependency) -> dict[str, object]:
    return {"name": result.name, "ok": result.ok, "required": result.required, "detail": result.detail}


@router.get("/health")
async def health(request: Request, web: Site) -> HTMLResponse:
    results = await web.checkup.results()
    return web.rendering.page(
        "health.html",
        status=HTTPStatus.OK if is_ready(results) else HTTPStatus.SERVICE_UNAVAILABLE,
        headers=_FRESH,
        ready=is_ready(results),
        broken=[result.name for result in results if result.state == "broken"],
        results=results if _may_see_details(web, request) else None,
    )


@router.get("/metrics")
async def figures(request: Request, web: Site) -> Response:
    refusal = refusal_of(web, request, "figures")
    if refusal is not None:
        raise token_problem(refusal, _HOW_TO)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST, headers=_FRESH)
