"""Runs the simulator on a loopback port, for as long as a test or a command needs it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from found_footy_sim.app_server import serve_app
from found_footy_sim.simulator import Simulator


@contextlib.contextmanager
def serve_simulator(simulator: Simulator, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Yield the base URL of a server in its own thread; port 0 takes a free one."""
    with serve_app(simulator.app, host=host, port=port) as url:
        yield url


@contextlib.asynccontextmanager
async def serve_simulator_async(simulator: Simulator, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """The same for a coroutine; the server does not share its event loop."""
    context = serve_simulator(simulator, host=host, port=port)
    url = await asyncio.to_thread(context.__enter__)
    try:
        yield url
    finally:
        await asyncio.to_thread(context.__exit__, None, None, None)
