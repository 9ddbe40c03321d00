"""Assembly of the FastAPI application; `server.py` serves it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait
from found_footy.web import (
    downloads,
    health,
    live,
    manual_clips,
    media,
    operator,
    pages,
    problems,
)
from found_footy.web.accounts import (
    account_pages,
    admin_pages,
    curation,
    link_pages,
    oidc_pages,
    shared_goals,
    sign_in_pages,
)
from found_footy.web.accounts.gate import AccessMiddleware
from found_footy.web.api import browse, days, figures, goals, matches
from found_footy.web.change_follower import ChangeHub, ChangeStreamFollower
from found_footy.web.deps import WebDeps
from found_footy.web.feeds import routes as feeds
from found_footy.web.security import SecurityMiddleware
from found_footy.web.state import WebState
from found_footy.web.uploads import api as uploads_api
from found_footy.web.uploads import files as uploads_files
from found_footy.web.uploads import live as uploads_live
from found_footy.web.uploads import object_notifications, operator_pages, organization_pages

logger = ActionLogger(__name__)
T = TypeVar("T")
_GZIP_MINIMUM_SIZE = 1024
ROUTE_MODULES = (
    pages,
    live,
    media,
    downloads,
    matches,
    goals,
    days,
    browse,
    figures,
    feeds,
    manual_clips,
    uploads_files,
    uploads_api,
    uploads_live,
    organization_pages,
    operator_pages,
    object_notifications,
    operator,
    health,
    sign_in_pages,
    oidc_pages,
    link_pages,
    account_pages,
    admin_pages,
    curation,
    shared_goals,
)


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
    for route_module in ROUTE_MODULES:
        app.include_router(route_module.router)
    problems.install_error_handlers(app)
    app.add_middleware(GZipMiddleware, minimum_size=_GZIP_MINIMUM_SIZE, compresslevel=5)
    app.add_middleware(AccessMiddleware)
    app.add_middleware(SecurityMiddleware)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    web: WebState = app.state.web
    tasks = [_start_follower(ChangeStreamFollower(web.store, web.hub), web.hub, "follow-changes")]
    if web.uploads is not None:
        follower = ChangeStreamFollower(web.uploads.store, web.uploads.feed)
        tasks.append(_start_follower(follower, web.uploads.feed, "follow-uploads"))
    try:
        yield
    finally:
        web.close_streams()
        await web.page_cache.aclose()
        await cancel_and_wait(tasks)


def _start_follower(follower: ChangeStreamFollower[T], hub: ChangeHub[T], name: str) -> "asyncio.Task[None]":
    task = asyncio.create_task(follower.run(), name=name)
    task.add_done_callback(lambda done: _on_follower_done(done, hub))
    return task


def _on_follower_done(task: "asyncio.Task[None]", hub: ChangeHub[T]) -> None:
    """Only a bug ends the follower before the process does; the page then shows that it is not live."""
    hub.is_following = False
    if task.cancelled():
        return
    try:
        task.result()
    except Exception:
        logger.exception("following changes failed", action="live_failed")
