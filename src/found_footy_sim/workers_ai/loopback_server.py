"""Runs the simulated service on a loopback port, for as long as a test or a command needs it."""

import contextlib
from collections.abc import Iterator

from found_footy_sim.app_server import serve_app
from found_footy_sim.workers_ai.server import WorkersAiServer


@contextlib.contextmanager
def serve_workers_ai(service: WorkersAiServer, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Yield the address of its API, as FOOTY_UPLOADS__WORKERS_AI_URL takes it; port 0 takes a free one."""
    with serve_app(service.app, host=host, port=port) as url:
        yield f"{url}/client/v4"
