"""Routes of figures, sources, health and counts."""

from collections.abc import Callable
from typing import Literal

from fastapi import Request, Response
from pydantic import BaseModel, TypeAdapter

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.counts import count_stored
from found_footy.views.fixture_views import StoredFixture
from found_footy.views.source_views import SourceView
from found_footy.views.stats import StatsView
from found_footy.web.api.responses import make_router, respond_with_etag
from found_footy.web.page_cache import respond_with_page
from found_footy.web.state import WebState, WebStateDep

router = make_router()
_NO_STORE_HEADERS = {"Cache-Control": "no-store"}


class StatusResponse(BaseModel):
    """Counts of stored data, and the build that serves them."""

    version: str
    commit: str
    simulated: bool
    live_updates: bool
    collections: dict[str, int]
    goals: dict[GoalStatus, int]
    clips: int


class SourceListResponse(BaseModel):
    sources: list[SourceView]


class HealthResponse(BaseModel):
    """`broken`: without these no matches are shown, or no new goals and clips come; `degraded`: something is missing.
    Causes are shown to the operator only, at /readyz.
    """

    status: Literal["ok", "degraded", "broken"]
    broken: list[str]
    degraded: list[str]
    version: str


_STATUS_ADAPTER: TypeAdapter[StatusResponse] = TypeAdapter(StatusResponse)
_STATS_ADAPTER: TypeAdapter[StatsView] = TypeAdapter(StatsView)
_SOURCES_ADAPTER: TypeAdapter[SourceListResponse] = TypeAdapter(SourceListResponse)
_HEALTH_ADAPTER: TypeAdapter[HealthResponse] = TypeAdapter(HealthResponse)


@router.get("/stats", response_model=StatsView)
async def get_stats(request: Request, web: WebStateDep) -> Response:
    """Figures over all stored matches: goals that have a clip, by league; time to the first clip; bytes; sources."""
    return respond_with_etag(request, _STATS_ADAPTER.dump_json(await web.browsing.stats.get()))


@router.get("/sources", response_model=SourceListResponse)
async def list_sources(request: Request, web: WebStateDep) -> Response:
    """How each source of candidates does, over the matches of the last seven days."""
    response = SourceListResponse(sources=list(await web.browsing.sources.get()))
    return respond_with_etag(request, _SOURCES_ADAPTER.dump_json(response))


@router.get("/health", response_model=HealthResponse)
async def get_health(web: WebStateDep) -> Response:
    """Whether matches can be shown and new clips come. Never cached."""
    results = await web.dependency_checker.get_results()
    broken = [result.name for result in results if result.state == "broken"]
    degraded = [result.name for result in results if result.state == "degraded"]
    status: Literal["ok", "degraded", "broken"] = "broken" if broken else "degraded" if degraded else "ok"
    body = HealthResponse(status=status, broken=broken, degraded=degraded, version=web.deps.version)
    return Response(_HEALTH_ADAPTER.dump_json(body), media_type="application/json", headers=_NO_STORE_HEADERS)


@router.get("/status", response_model=StatusResponse)
async def get_status(request: Request, web: WebStateDep) -> Response:
    async def make() -> Callable[[], bytes]:
        stored = await web.store.list_all_for_counts()
        return lambda: _STATUS_ADAPTER.dump_json(_build_status(web, stored))

    kept = await web.page_cache.get(("status", web.hub.is_following), make)
    return respond_with_page(request, kept, "application/json")


def _build_status(web: WebState, stored: list[StoredFixture]) -> StatusResponse:
    counted = count_stored(stored)
    return StatusResponse(
        version=web.deps.version,
        commit=web.deps.commit,
        simulated=web.deps.simulated,
        live_updates=web.hub.is_following,
        collections=counted.collections,
        goals=counted.goals,
        clips=counted.clips,
    )
