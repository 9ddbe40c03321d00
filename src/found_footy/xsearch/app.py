"""The service on HTTP: searching, the session, health, figures, and a page for people."""

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
from found_footy.platform.version import build
from found_footy.xsearch import report, wire
from found_footy.xsearch.errors import SearchFailed
from found_footy.xsearch.guard import Guard
from found_footy.xsearch.service import XSearch

_PAGES = files("found_footy.xsearch") / "pages"
_ASSETS = {"page.css": "text/css", "page.js": "text/javascript"}
_HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def create_app(service: XSearch) -> FastAPI:
    """The application around `service`, which it starts and stops."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    app = FastAPI(
        title="Found Footy X search", version=build().version, lifespan=life,
        docs_url=None, redoc_url=None, openapi_url=None,
    )  # fmt: skip
    app.state.service = service
    app.add_middleware(Guard, token=service.settings.token)
    app.add_exception_handler(SearchFailed, _search_failed)
    app.add_exception_handler(BadInput, _refused(422, "bad_input"))
    app.add_exception_handler(Conflict, _refused(409, "conflict"))
    _add_search(app, service)
    _add_session(app, service)
    _add_pages(app, service)
    return app


def _add_search(app: FastAPI, service: XSearch) -> None:
    @app.post("/search")
    async def search(asked: wire.SearchRequest, request: Request) -> dict[str, Any]:
        async def still_there() -> bool:
            return not await request.is_disconnected()

        return wire.found(await service.search(asked.asked(), still_there))

    @app.get("/healthz")
    async def alive() -> dict[str, str]:
        """For those who start and watch the process; anybody may ask."""
        return {"status": "ok"}

    @app.get("/health")
    async def health() -> dict[str, Any]:
        return report.health(service)

    @app.get("/metrics")
    async def metrics() -> Response:
        report.refresh_gauges(service)
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _add_session(app: FastAPI, service: XSearch) -> None:
    @app.get("/session")
    async def session() -> dict[str, Any]:
        return report.session(service)

    @app.post("/session")
    async def bring(cookies: Annotated[str, Depends(_cookie_text)]) -> dict[str, Any]:
        """A list of cookies, a stored browser state, or {"text": …} with a cookie file or a header."""
        await service.login.bring(cookies)
        return report.session(service)

    @app.post("/session/check")
    async def check() -> dict[str, Any]:
        await service.login.check()
        return report.session(service)

    @app.post("/session/login", status_code=202)
    async def login() -> dict[str, Any]:
        await service.login.show()
        return report.session(service)


def _add_pages(app: FastAPI, service: XSearch) -> None:
    template = Environment(loader=PackageLoader("found_footy.xsearch", "pages"), autoescape=True).get_template

    @app.get("/", response_class=HTMLResponse)
    async def frame() -> HTMLResponse:
        """The empty page: its script fetches the rest, with the token if there is one."""
        return HTMLResponse(template("frame.html").render(), headers=_HEADERS)

    @app.get("/page", response_class=HTMLResponse)
    async def page() -> HTMLResponse:
        shown = {"health": report.health(service), "history": list(service.history), "now": service.account.now()}
        return HTMLResponse(template("page.html").render(shown), headers=_HEADERS)

    @app.get("/assets/{name}")
    async def asset(name: str) -> Response:
        if name not in _ASSETS:
            raise HTTPException(404)
        return Response((_PAGES / name).read_bytes(), media_type=_ASSETS[name], headers=_HEADERS)


async def _search_failed(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, SearchFailed):
        raise error
    now = request.app.state.service.account.now()
    wait = wire.retry_after(error, now)
    headers = {"retry-after": str(int(wait) + 1)} if wait else None
    return JSONResponse(wire.failed(error, now), error.status, headers)


def _refused(status: int, code: str) -> Any:
    async def answer(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": code, "detail": str(error)}, status)

    return answer


async def _cookie_text(request: Request) -> str:
    """The body as text to parse. JSON only, which no foreign page can send without asking first."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise HTTPException(415, "cookies are taken as application/json")
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise BadInput("the body is not JSON") from None
    text = data.get("text") if isinstance(data, dict) else None
    return text if isinstance(text, str) else json.dumps(data)
