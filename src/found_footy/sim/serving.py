"""Running the simulator on a loopback port, for as long as a test or a command needs it."""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Iterator
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

from found_footy.sim.simulator import Simulator

_PATIENCE = 20.0


class NotStarted(RuntimeError):
    """The simulator's server did not come up."""


@contextlib.contextmanager
def serving(simulator: Simulator, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """The base URL of a server in a thread of its own; port 0 takes a free one."""
    with serving_app(simulator.app, host=host, port=port) as url:
        yield url


@contextlib.contextmanager
def serving_app(app: ASGIApp, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """The same for any application."""
    with contextlib.closing(socket.create_server((host, port))) as listener:
        server = uvicorn.Server(_config(app))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="simulator", daemon=True)
        thread.start()
        try:
            _await_start(server, thread)
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(_PATIENCE)


@contextlib.asynccontextmanager
async def serve(simulator: Simulator, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """The same for a coroutine; the server does not share its event loop."""
    context = serving(simulator, host=host, port=port)
    url = await asyncio.to_thread(context.__enter__)
    try:
        yield url
    finally:
        await asyncio.to_thread(context.__exit__, None, None, None)


def _config(app: ASGIApp) -> uvicorn.Config:
    """Answers that a script breaks off look like crashes to the server, so only what is critical is logged."""
    return uvicorn.Config(
        app, lifespan="off", ws="none", access_log=False, log_level="critical", timeout_graceful_shutdown=1
    )


def _await_start(server: uvicorn.Server, thread: Thread) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise NotStarted("the simulator's server did not start")
        time.sleep(0.01)
