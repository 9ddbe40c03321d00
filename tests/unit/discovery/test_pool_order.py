"""The pool knows how its services stand: fit ones with budget are asked first, and the sums are told."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from prometheus_client import REGISTRY
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.health import ServiceHealth
from found_footy.discovery.sources.priority import SearchPriority
from found_footy.discovery.sources.x_service import XSearchPool
from found_footy.discovery.sources.x_wire import parse_service_health
from found_footy.platform.errors import RateLimited, Unavailable
from found_footy.platform.http.client import SafeHttpClient
from tests.support.loopback_services import host_of, served


class Service:
    """A search service that tells how it stands."""

    def __init__(self, health: Any = None) -> None:
        self.health = health
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.app = Starlette(routes=[Route("/search", self._search, methods=["POST"]), Route("/health", self._health)])

    async def _search(self, request: Request) -> Response:
        self.asked.append((await request.json())["query"])
        while not self.gate.is_set():  # noqa: ASYNC110  the event belongs to the test's loop
            await asyncio.sleep(0.005)
        return JSONResponse({"videos": []})

    async def _health(self, _: Request) -> Response:
        return JSONResponse(self.health, 200 if self.health is not None else 404)


def healthy(left: int, limit: int = 40, status: str = "ok", **session: Any) -> dict[str, Any]:
    return {"status": status, "budget": {"left": left, "limit": limit}, "session": session}


@pytest.fixture
def running() -> Iterator[Any]:
    with ExitStack() as stack:
        yield lambda *services: [stack.enter_context(served(service.app)) for service in services]


@asynccontextmanager
async def pooled(
    bases: list[str], patience: timedelta = timedelta(seconds=30), limit: timedelta = timedelta(seconds=20)
) -> AsyncIterator[XSearchPool]:
    hosts = [host_of(base) for base in bases]
    http = SafeHttpClient(system="X search", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=20))
    yield XSearchPool(http, bases, cooldown=timedelta(seconds=30), max_wait=patience, answer_timeout=limit)
    await http.aclose()


async def search(pool: XSearchPool, query: str = "q", turn: SearchPriority | None = None) -> None:
    await pool.find_candidates(SourceRequest(query, (), (), 3, 30, priority=turn or SearchPriority()))


async def test_a_service_that_never_answers_does_not_block_a_search_for_ever(running: Any) -> None:
    silent = Service(healthy(40))
    silent.gate.clear()
    (base,) = running(silent)
    async with pooled([base], limit=timedelta(seconds=0.2)) as pool:
        with pytest.raises(Unavailable, match="no answer within"):
            await search(pool)
        silent.gate.set()
        assert pool.report().instances[0].cooling_down


async def test_the_service_with_the_most_budget_is_used_until_they_are_equal(running: Any) -> None:
    rich, poor = Service(healthy(left=4)), Service(healthy(left=2))
    async with pooled(running(poor, rich)) as pool:
        for _ in range(4):
            await search(pool)
    assert (len(rich.asked), len(poor.asked)) == (3, 1)


@pytest.mark.parametrize("health", [healthy(0), healthy(40, status="degraded", problem="session_expired")])
async def test_a_service_without_budget_or_session_is_used_last(running: Any, health: dict[str, Any]) -> None:
    bad, good = Service(health), Service(healthy(1))
    async with pooled(running(bad, good)) as pool:
        await search(pool)
    assert (bad.asked, good.asked) == ([], ["q"])


async def test_an_unreachable_service_is_used_last(running: Any) -> None:
    good = Service(healthy(5))
    [base] = running(good)
    with served(Service().app) as gone:
        pass
    async with pooled([gone, base]) as pool:
        await search(pool)
        report = pool.report()
    assert good.asked == ["q"]
    assert report.instances[0].health.state == "unreachable"


async def test_the_total_budget_is_in_the_report_and_in_the_figures(running: Any) -> None:
    bases = running(Service(healthy(30)), Service(healthy(10)), Service())
    async with pooled(bases) as pool:
        await search(pool)
        report = pool.report()
        assert (report.budget_left, report.budget_limit, report.healthy_count) == (39, 80, 3)
        assert REGISTRY.get_sample_value("found_footy_search_budget_left") == 39
        assert REGISTRY.get_sample_value("found_footy_search_budget_limit") == 80
        surveyed = await pool.check_health()
    assert surveyed.budget_left == 40
    assert sum(one.searches for one in surveyed.instances) == 1


async def test_competing_goals_are_served_in_a_fair_order(running: Any) -> None:
    service = Service(healthy(40))
    service.gate.clear()
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    async with pooled(running(service)) as pool:
        first = asyncio.create_task(search(pool, "first"))
        while not service.asked:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        goals = {
            "tired": SearchPriority.for_goal(5, noon),
            "old": SearchPriority.for_goal(0, noon),
            "new": SearchPriority.for_goal(0, noon + timedelta(minutes=1)),
        }
        waiting = [asyncio.create_task(search(pool, name, turn)) for name, turn in goals.items()]
        while pool.report().waiting < len(goals):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        service.gate.set()
        await asyncio.gather(first, *waiting)
    assert service.asked == ["first", "new", "old", "tired"]


async def test_a_search_that_waits_for_too_long_is_asked_to_retry(running: Any) -> None:
    service = Service(healthy(40))
    service.gate.clear()
    async with pooled(running(service), patience=timedelta(milliseconds=50)) as pool:
        first = asyncio.create_task(search(pool, "first"))
        while not service.asked:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        with pytest.raises(RateLimited, match="wait for 1 search services"):
            await search(pool, "second")
        service.gate.set()
        await first
    assert service.asked == ["first"]


async def test_links_that_are_too_long_are_not_sent(running: Any) -> None:
    service = Service(healthy(40))
    async with pooled(running(service)) as pool:
        await pool.find_candidates(
            SourceRequest("q", (), (), 3, 30, known_urls=("https://v/" + "x" * 600, "https://x.com/a/status/1"))
        )
    assert service.asked == ["q"]


def test_a_service_without_a_running_browser_says_so() -> None:
    body = healthy(40, status="degraded", state="authenticated")
    silent = parse_service_health(body | {"browser": {"state": "silent", "detail": "it does not react"}})
    assert (silent.healthy, silent.state, silent.detail) == (False, "browser silent", "it does not react")
    assert parse_service_health(body | {"browser": {"state": "running"}}).state == "authenticated"


@pytest.mark.parametrize(
    ("body", "standing"),
    [
        (healthy(3, 40, state="authenticated"), ServiceHealth(True, "authenticated", "", 3, 40)),
        (healthy(3, 40, "degraded", problem="blocked", detail="d"), ServiceHealth(False, "blocked", "d", 3, 40)),
        ({"status": "ok"}, ServiceHealth(True, "ok")),
        ({"budget": {"left": -1, "limit": True}}, ServiceHealth()),
        ({"status": 7, "session": "x", "budget": None}, ServiceHealth(None, "7")),
        (["not", "health"], ServiceHealth()),
        (None, ServiceHealth()),
    ],
)
def test_what_a_service_does_not_say_is_not_known(body: Any, standing: ServiceHealth) -> None:
    assert parse_service_health(body) == standing
