"""Simulated services on loopback ports, for the time of a test."""

import contextlib
import socket
import time
from collections.abc import Iterator
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

from tests.support.patience import PATIENCE_SECONDS


@contextlib.contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """The base URL of `app`."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
        config = uvicorn.Config(app, lifespan="off", ws="none", log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not server.started:
            assert thread.is_alive(), "the server ended"
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)


def host_of(base: str) -> str:
    return base.removeprefix("http://")
