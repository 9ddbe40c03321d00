"""Runs the simulated vision server on a loopback port, for as long as a test or a command needs it."""

import contextlib
from collections.abc import Iterator

from found_footy_sim.app_server import serve_app
from found_footy_sim.vision.server import VisionServer


@contextlib.contextmanager
def serve_vision(vision: VisionServer, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Yield the base URL of a server in its own thread; port 0 takes a free one."""
    with serve_app(vision.app, host=host, port=port) as url:
        yield url
