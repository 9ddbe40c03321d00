"""Serving the application with uvicorn, inside whatever event loop and signal handling the process has."""

import asyncio
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import cast

import uvicorn
from fastapi import FastAPI

from found_footy.platform.connections import BoundedProtocol, Connections, Figures, Limits, most_connections
from found_footy.platform.errors import ConfigError
from found_footy.web import metrics
from found_footy.web.hub import Hub
from found_footy.web.proxies import Proxies, as_seen
from found_footy.web.settings import WebSettings

_BACKLOG = 512
_LARGEST_HEADERS = 32 * 1024
_KEEP_ALIVE_SECONDS = 5
_MOST_FILES = 65_536
_NAME_THE_PROXY = "if that is a proxy, name it in FOOTY_WEB__TRUSTED_PROXIES"
_OTHER_PORT = "set FOOTY_WEB__PORT to a free port, or 0 for any"


def listening(settings: WebSettings) -> socket.socket:
    """The socket to serve on, taken at once so that a port in use is told in plain words."""
    opened = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((settings.host, settings.port))
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        reason = error.strerror or str(error)
        raise ConfigError(
            f"cannot serve the page on {settings.host}:{settings.port}: {reason}; {_OTHER_PORT}"
        ) from error
    opened.setblocking(False)
    return opened


def raise_open_files() -> int:
    """Let this process open as many files as it may, within reason; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft < wanted:
        # macOS names a limit that it does not grant.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def limits_of(settings: WebSettings) -> Limits:
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = most_connections(settings.connections, open_files)
    proxies = Proxies(settings.trusted_proxies)
    return Limits(most, settings.connections_per_peer, settings.request_timeout, settings.send_timeout, proxies)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    async def run_until_told(self, opened: socket.socket) -> None:
        """Without uvicorn's signal handlers: the process has its own."""
        await self._serve([opened])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # A live stream has no end of its own, and the server waits for every answer to end.
        self._hub.close()
        await super().shutdown(sockets)


@asynccontextmanager
async def serving(app: FastAPI, settings: WebSettings) -> AsyncIterator[str]:
    """Serve inside the block and yield the address. ConfigError if the port is taken; leaving it stops gracefully."""
    opened = listening(settings)
    server = _Server(_config(app, settings), app.state.web.hub)
    task = asyncio.create_task(server.run_until_told(opened), name="web-server")
    try:
        await _started(server, task)
        yield _address(opened)
    finally:
        server.should_exit = True
        await task


async def _started(server: uvicorn.Server, task: "asyncio.Task[None]") -> None:
    while not server.started:
        if task.done():
            await task
            raise ConfigError("the web server ended while it was starting")
        await asyncio.sleep(0.01)


def _config(app: FastAPI, settings: WebSettings) -> uvicorn.Config:
    figures = Figures(metrics.CONNECTIONS, metrics.CONNECTIONS_CLOSED)
    bounds = Connections(limits_of(settings), figures, _NAME_THE_PROXY)
    return uvicorn.Config(
        app,
        http=cast(type[asyncio.Protocol], partial(BoundedProtocol, bounds=bounds)),
        # Read for those proxies only that are named; uvicorn's default is everybody on this machine.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=as_seen(settings.trusted_proxies),
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        h11_max_incomplete_event_size=_LARGEST_HEADERS,
        timeout_graceful_shutdown=max(1, int(settings.graceful_stop.total_seconds())),
    )


def _address(opened: socket.socket) -> str:
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
