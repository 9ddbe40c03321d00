"""Runs an application on a loopback port, for as long as a test or a command needs it."""

import contextlib
import socket
import time
from collections.abc import Iterator
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

_START_TIMEOUT_SECONDS = 20.0


class ServerNotStarted(RuntimeError):
    """The application's server did not start."""


@contextlib.contextmanager
def serve_app(app: ASGIApp, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Yield the base URL of a server in its own thread; port 0 takes a free one."""
    with contextlib.closing(socket.create_server((host, port))) as listener:
        server = uvicorn.Server(_build_config(app))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="app-server", daemon=True)
        thread.start()
        try:
            _wait_until_started(server, thread)
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(_START_TIMEOUT_SECONDS)


def _build_config(app: ASGIApp) -> uvicorn.Config:
    """Scripted aborts of responses look like crashes to the server, so only critical messages are logged."""
    return uvicorn.Config(
        app, lifespan="off", ws="none", access_log=False, log_level="critical", timeout_graceful_shutdown=1
    )


def _wait_until_started(server: uvicorn.Server, thread: Thread) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise ServerNotStarted("the server did not start")
        time.sleep(0.01)
