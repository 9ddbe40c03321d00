"""Health of the process and its dependencies: one word for everybody, details only for admins, because they
name internal addresses, the state of accounts and messages of other systems.
"""

from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from found_footy.access.levels import AccessLevel
from found_footy.web.accounts.principals import find_principal
from found_footy.web.dependency_checks import is_ready
from found_footy.web.deps import DependencyStatus
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)
_NO_STORE_HEADERS = {"Cache-Control": "no-store"}


@router.head("/healthz")
@router.get("/healthz")
async def healthz(web: WebStateDep) -> JSONResponse:
    """Liveness: does not probe dependencies, so that their failure does not restart this process."""
    return JSONResponse(
        {"status": "ok", "version": web.deps.version, "commit": web.deps.commit}, headers=_NO_STORE_HEADERS
    )


@router.head("/readyz")
@router.get("/readyz")
async def readyz(request: Request, web: WebStateDep) -> JSONResponse:
    """Readiness: whether pages and clips can be served. A stalled monitor is reported but does not make it unready."""
    results = await web.dependency_checker.get_results()
    ready = is_ready(results)
    body: dict[str, object] = {"status": "ready" if ready else "not ready"}
    if await _can_see_details(web, request):
        body |= _build_details(results)
    return JSONResponse(body, HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE, _NO_STORE_HEADERS)


async def _can_see_details(web: WebState, request: Request) -> bool:
    """A request without a token is anonymous, which is not a denied attempt."""
    return (await find_principal(web, request)).level >= AccessLevel.ADMIN


def _build_details(results: tuple[DependencyStatus, ...]) -> dict[str, object]:
    return {
        "broken": [result.name for result in results if not result.ok and result.required],
        "degraded": [result.name for result in results if not result.ok and not result.required],
        "dependencies": [_build_dependency_row(result) for result in results],
    }


def _build_dependency_row(result: DependencyStatus) -> dict[str, object]:
    return {"name": result.name, "ok": result.ok, "required": result.required, "detail": result.detail}


@router.get("/health")
async def show_health_page(request: Request, web: WebStateDep) -> HTMLResponse:
    results = await web.dependency_checker.get_results()
    return web.renderer.render_page(
        "health.html",
        status=HTTPStatus.OK if is_ready(results) else HTTPStatus.SERVICE_UNAVAILABLE,
        headers=_NO_STORE_HEADERS,
        ready=is_ready(results),
        broken=[result.name for result in results if result.state == "broken"],
        results=results if await _can_see_details(web, request) else None,
    )


@router.get("/metrics")
async def export_metrics() -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST, headers=_NO_STORE_HEADERS)
