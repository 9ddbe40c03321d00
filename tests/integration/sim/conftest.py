from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.sim.simulator_client import MakeWorld, World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[MakeWorld]:
    async with AsyncExitStack() as stack:

        def make(scenario: str, **more: Any) -> World:
            made = World(scenario, tmp_path, **more)
            stack.push_async_callback(made.client.aclose)
            return made

        yield make
