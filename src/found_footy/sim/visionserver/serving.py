"""Running the simulated vision server on a loopback port, for as long as a test or a command needs it."""

import contextlib
import socket
import time
from collections.abc import Iterator
from threading import Thread

import uvicorn

from found_footy.sim.visionserver.server import VisionServer

_PATIENCE = 20.0


class NotStarted(RuntimeError):
    """The server did not come up."""


@contextlib.contextmanager
def serving(vision: VisionServer, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """The base URL of a server in a thread of its own; port 0 takes a free one."""
    config = uvicorn.Config(
        vision.app, lifespan="off", ws="none", access_log=False, log_level="critical", timeout_graceful_shutdown=1
    )
    with contextlib.closing(socket.create_server((host, port))) as listener:
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="vision-server", daemon=True)
        thread.start()
        try:
            _await_start(server, thread)
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(_PATIENCE)


def _await_start(server: uvicorn.Server, thread: Thread) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise NotStarted("the simulated vision server did not start")
        time.sleep(0.01)
