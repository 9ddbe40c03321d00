"""A simulator with a client, for tests of its HTTP services."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from found_footy_sim import SIMULATED_API_KEY, Simulator, load_scenario, parse_scenario

START = datetime(2026, 11, 15, 15, 0, tzinfo=UTC)


class SimulatorClient:
    """A simulator, a client on it, and a wall clock that a test moves."""

    def __init__(self, scenario: str, media: Path, **more: Any) -> None:
        self.time = START
        reported = parse_scenario("test", scenario) if "\n" in scenario else load_scenario(scenario)
        self.sim = Simulator(reported, media_dir=media, now=lambda: self.time, **({"clock": "manual"} | more))
        transport = httpx.ASGITransport(self.sim.app)
        self.client = httpx.AsyncClient(
            transport=transport, base_url="http://sim", headers={"x-apisports-key": SIMULATED_API_KEY}
        )

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.client.get(path, **more)

    async def json(self, path: str, **more: Any) -> dict[str, Any]:
        body = (await self.get(path, **more)).json()
        assert isinstance(body, dict)
        return body

    async def search(self, query: str = "Szoboszlai", **more: Any) -> httpx.Response:
        return await self.client.post("/x/search", json={"query": query, "max_age_minutes": 60} | more)

    def wait(self, **duration: float) -> None:
        self.time += timedelta(**duration)


MakeSimulator = Callable[..., SimulatorClient]


@pytest.fixture
async def simulator(tmp_path: Path) -> AsyncIterator[MakeSimulator]:
    async with AsyncExitStack() as stack:

        def make(scenario: str, **more: Any) -> SimulatorClient:
            made = SimulatorClient(scenario, tmp_path, **more)
            stack.push_async_callback(made.client.aclose)
            return made

        yield make
