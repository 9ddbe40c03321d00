"""Serves the application with uvicorn inside the process's own event loop and signal handling."""

import asyncio
import resource
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import cast

import uvicorn
from fastapi import FastAPI

from found_footy.platform.errors import ConfigError
from found_footy.platform.http.connection_limits import (
    BoundedProtocol,
    ConnectionLimits,
    ConnectionMetrics,
    ConnectionRegistry,
    max_connections,
)
from found_footy.platform.settings.addresses import format_host_port
from found_footy.web import metrics
from found_footy.web.listening_socket import bind_socket
from found_footy.web.settings import WebSettings
from found_footy.web.trusted_proxies import TrustedProxies, as_seen

_MAX_HEADER_BYTES = 32 * 1024
_KEEP_ALIVE_SECONDS = 5
_MAX_OPEN_FILES = 65_536
_PROXY_HINT = "if that is a proxy, name it in FOOTY_WEB__TRUSTED_PROXIES"


def raise_open_file_limit() -> int:
    """Raise the process's limit of open files within bounds; return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_OPEN_FILES)
    if soft < wanted:
        # macOS reports a hard limit that it does not grant.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def connection_limits(settings: WebSettings) -> ConnectionLimits:
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = max_connections(settings.connections, open_files)
    proxies = TrustedProxies(settings.trusted_proxies)
    return ConnectionLimits(
        most, settings.connections_per_peer, settings.request_timeout, settings.send_timeout, proxies
    )


class _WebServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, close_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._close_streams = close_streams

    async def serve_until_stopped(self, listener: socket.socket) -> None:
        """Serve without uvicorn's signal handlers: the process has its own."""
        await self._serve([listener])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # A live stream never ends by itself, and the server waits for every response to end.
        self._close_streams()
        await super().shutdown(sockets)


@asynccontextmanager
async def serve_app(app: FastAPI, settings: WebSettings) -> AsyncIterator[str]:
    """Serve inside the block and yield the base URL; leaving it stops gracefully. Raises ConfigError if the port is
    taken.
    """
    opened = bind_socket(settings)
    server = _WebServer(_build_config(app, settings), app.state.web.close_streams)
    task = asyncio.create_task(server.serve_until_stopped(opened), name="web-server")
    try:
        await _wait_until_started(server, task)
        yield _listener_url(opened)
    finally:
        server.should_exit = True
        await task


async def _wait_until_started(server: uvicorn.Server, task: "asyncio.Task[None]") -> None:
    while not server.started:
        if task.done():
            await task
            raise ConfigError("the web server ended while it was starting")
        await asyncio.sleep(0.01)


def _build_config(app: FastAPI, settings: WebSettings) -> uvicorn.Config:
    figures = ConnectionMetrics(metrics.CONNECTIONS, metrics.CONNECTIONS_CLOSED)
    bounds = ConnectionRegistry(connection_limits(settings), figures, _PROXY_HINT)
    return uvicorn.Config(
        app,
        http=cast(type[asyncio.Protocol], partial(BoundedProtocol, registry=bounds)),
        # Only from the configured proxies; uvicorn's default trusts every process on this machine.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=as_seen(settings.trusted_proxies),
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_graceful_shutdown=max(1, int(settings.graceful_stop.total_seconds())),
    )


def _listener_url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{format_host_port(host, port)}"
