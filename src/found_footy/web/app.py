"""Assembly of the FastAPI application; `server.py` serves it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from found_footy.platform.logs import ActionLogger
from found_footy.web import api, health, live, manual_clips, media, pages, problems
from found_footy.web.change_follower import ChangeStreamFollower
from found_footy.web.deps import WebDeps
from found_footy.web.security import SecurityMiddleware
from found_footy.web.state import WebState

logger = ActionLogger(__name__)
_GZIP_MINIMUM_SIZE = 1024


def create_app(deps: WebDeps) -> FastAPI:
    """Create the application; its lifespan runs the change stream follower."""
    app = FastAPI(
        title="Found Footy",
        summary="Matches, goals and the clips found of them.",
        version=deps.version,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.web = WebState.from_deps(deps)
    for route_module in (pages, live, media, api, manual_clips, health):
        app.include_router(route_module.router)
    problems.install_error_handlers(app)
    app.add_middleware(GZipMiddleware, minimum_size=_GZIP_MINIMUM_SIZE, compresslevel=5)
    app.add_middleware(SecurityMiddleware)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    web: WebState = app.state.web
    follower = asyncio.create_task(ChangeStreamFollower(web.store, web.hub).run(), name="follow-changes")
    follower.add_done_callback(lambda task: _on_follower_done(task, web))
    try:
        yield
    finally:
        web.hub.close()
        await web.page_cache.aclose()
        follower.cancel()
        with suppress(asyncio.CancelledError):
            await follower


def _on_follower_done(task: "asyncio.Task[None]", web: WebState) -> None:
    """Only a bug ends the follower before the process does; the page then shows that it is not live."""
    web.hub.is_following = False
    if task.cancelled():
        return
    try:
        task.result()
    except Exception:
        logger.exception("following changes failed", action="live_failed")
