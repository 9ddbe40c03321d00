"""The HTTP API of the service: search, session, health, metrics, and a page for people."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from jinja2 import Environment, PackageLoader
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from found_footy.platform.errors import BadInput, Conflict
from found_footy.platform.version import build_info
from found_footy.xsearch import status_report, wire
from found_footy.xsearch.access import SearchAccessMiddleware
from found_footy.xsearch.errors import SearchFailed
from found_footy.xsearch.service import XSearchService

_PAGES_DIR = files("found_footy.xsearch") / "pages"
_ASSET_TYPES = {"page.css": "text/css", "page.js": "text/javascript"}
_PAGE_HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def create_app(service: XSearchService) -> FastAPI:
    """Build the application, which starts and stops `service`."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    app = FastAPI(
        title="Found Footy X search",
        version=build_info().version,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.service = service
    app.add_middleware(SearchAccessMiddleware, token=service.settings.token)
    app.add_exception_handler(SearchFailed, _handle_search_failure)
    app.add_exception_handler(BadInput, _build_error_handler(422, "bad_input"))
    app.add_exception_handler(Conflict, _build_error_handler(409, "conflict"))
    _add_search_routes(app, service)
    _add_session_routes(app, service)
    _add_page_routes(app, service)
    return app


def _add_search_routes(app: FastAPI, service: XSearchService) -> None:
    @app.post("/search")
    async def search(asked: wire.SearchRequest, request: Request) -> dict[str, Any]:
        async def still_there() -> bool:
            return not await request.is_disconnected()

        return wire.search_response(await service.search(asked.to_parameters(), still_there))

    @app.get("/healthz")
    async def alive() -> dict[str, str]:
        """Liveness check; needs no token."""
        return {"status": "ok"}

    @app.get("/health")
    async def health() -> dict[str, Any]:
        return status_report.health_report(service)

    @app.get("/metrics")
    async def metrics() -> Response:
        status_report.refresh_gauges(service)
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _add_session_routes(app: FastAPI, service: XSearchService) -> None:
    @app.get("/session")
    async def session() -> dict[str, Any]:
        return status_report.session_report(service)

    @app.post("/session")
    async def bring(cookies: Annotated[str, Depends(_read_cookie_text)]) -> dict[str, Any]:
        """The body is a list of cookies, a stored browser state, or {"text": …} with a cookie file or a header."""
        await service.login.import_cookies(cookies)
        return status_report.session_report(service)

    @app.post("/session/check")
    async def check() -> dict[str, Any]:
        await service.login.check_session()
        return status_report.session_report(service)

    @app.post("/session/login", status_code=202)
    async def login() -> dict[str, Any]:
        await service.login.show_login_page()
        return status_report.session_report(service)


def _add_page_routes(app: FastAPI, service: XSearchService) -> None:
    template = Environment(loader=PackageLoader("found_footy.xsearch", "pages"), autoescape=True).get_template

    @app.get("/", response_class=HTMLResponse)
    async def frame() -> HTMLResponse:
        """The empty page: its script loads the rest, with the token if there is one."""
        return HTMLResponse(template("frame.html").render(), headers=_PAGE_HEADERS)

    @app.get("/page", response_class=HTMLResponse)
    async def page() -> HTMLResponse:
        shown = {
            "health": status_report.health_report(service),
            "history": list(service.history),
            "now": service.account.now(),
        }
        return HTMLResponse(template("page.html").render(shown), headers=_PAGE_HEADERS)

    @app.get("/assets/{name}")
    async def asset(name: str) -> Response:
        if name not in _ASSET_TYPES:
            raise HTTPException(404)
        return Response((_PAGES_DIR / name).read_bytes(), media_type=_ASSET_TYPES[name], headers=_PAGE_HEADERS)


async def _handle_search_failure(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, SearchFailed):
        raise error
    now = request.app.state.service.account.now()
    wait = wire.retry_after_seconds(error, now)
    headers = {"retry-after": str(int(wait) + 1)} if wait else None
    return JSONResponse(wire.failure_response(error, now), error.status, headers)


def _build_error_handler(status: int, code: str) -> Any:
    async def answer(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": code, "detail": str(error)}, status)

    return answer


async def _read_cookie_text(request: Request) -> str:
    """Return the body as text. Only JSON is accepted: a page of another site cannot send it without a CORS
    preflight.
    """
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise HTTPException(415, "the content type of cookies must be application/json")
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise BadInput("the body is not JSON") from None
    text = data.get("text") if isinstance(data, dict) else None
    return text if isinstance(text, str) else json.dumps(data)
