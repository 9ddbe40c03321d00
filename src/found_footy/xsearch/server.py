"""The service as a process: built from its settings, served, and drained when told to stop."""

import asyncio
import fcntl
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import cast

import uvicorn

from found_footy.platform.clock import utc_now
from found_footy.platform.errors import ConfigError, Conflict
from found_footy.platform.files import ensure_private_dir_if_owned
from found_footy.platform.http.connection_limits import (
    BoundedProtocol,
    ConnectionLimits,
    ConnectionMetrics,
    ConnectionRegistry,
    max_connections,
)
from found_footy.platform.logs import ActionLogger
from found_footy.xsearch import metrics
from found_footy.xsearch.access import BODY_TIMEOUT
from found_footy.xsearch.app import create_app
from found_footy.xsearch.browser.base import SearchBrowser
from found_footy.xsearch.service import XSearchService
from found_footy.xsearch.session.budget_ledger import BudgetLedger
from found_footy.xsearch.session.cookie_file import CookieFile
from found_footy.xsearch.settings import XSearchSettings

logger = ActionLogger(__name__)

_MAX_CONNECTIONS = 128
_MAX_CONNECTIONS_PER_PEER = 64
_KEEP_ALIVE_TIMEOUT = timedelta(seconds=5)
# Added to the keep-alive time and the body timeout, which the access middleware ends with an answer.
_HEADER_TIMEOUT = timedelta(seconds=5)
_SEND_TIMEOUT = timedelta(seconds=30)
# The event loop accepts up to this many connections before the first is counted: far below the open-file limit.
_LISTEN_BACKLOG = 128
_MAX_HEADER_BYTES = 32 * 1024
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def run_server(settings: XSearchSettings) -> None:
    """Serve until SIGTERM or SIGINT, then finish the running search and stop."""
    with lock_data_dir(settings.data_dir):
        service, opened = build_service(settings), open_listening_socket(settings)
        host, port = opened.getsockname()[:2]
        logger.info("listening", action="listen", host=host, port=port, site=settings.site)
        if settings.headless:
            hint = "X locks accounts less often with one: FOOTY_XSEARCH__HEADLESS=false, or deploy/xsearch"
            logger.info("the browser has no screen; %s", hint, action="no_screen")
        _DrainingServer(build_uvicorn_config(service, build_connection_limits()), service).run(sockets=[opened])
        logger.info("stopped", action="stopped")


def build_service(settings: XSearchSettings) -> XSearchService:
    """Build the service with a real Chromium. Raises ConfigError if Playwright is not installed."""
    try:
        from found_footy.xsearch.browser.chromium import ChromiumBrowser, LaunchOptions  # noqa: PLC0415
        from found_footy.xsearch.browser.tab import TabOptions  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(f"the search service needs {error.name}: install found-footy[xsearch]") from error
    s = settings
    ledger = BudgetLedger(s.data_dir / "budget.json", s.requests_per_window, s.window, utc_now)
    rules = TabOptions(ledger.try_spend, ledger.apply_headers, s.page_timeout, s.answer_timeout, s.answer_limit)
    options = LaunchOptions(s.site, s.data_dir / "profile", s.browser, s.headless, s.sandbox, s.hosts)

    async def launch() -> SearchBrowser:
        return await ChromiumBrowser.launch(options, rules)

    return XSearchService(s, launch, ledger, CookieFile(s.data_dir / "cookies.json", s.site))


@contextmanager
def lock_data_dir(folder: Path) -> Iterator[None]:
    """Lock the folder for this process: a profile that two browsers share gets corrupted."""
    ensure_private_dir_if_owned(folder)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Conflict(f"another search service already uses {folder}") from error
        yield


def open_listening_socket(settings: XSearchSettings) -> socket.socket:
    """Bind the socket before the browser starts. Raises ConfigError if the port is in use."""
    opened = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((settings.host, settings.port))
    except OSError as error:
        opened.close()
        reason = error.strerror or str(error)
        raise ConfigError(f"cannot listen on {settings.host}:{settings.port}: {reason}") from error
    return opened


class _DrainingServer(uvicorn.Server):
    """Drains on a stop signal: the running search finishes, waiting ones are rejected at once."""

    def __init__(self, config: uvicorn.Config, service: XSearchService) -> None:
        super().__init__(config)
        self._service = service

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in _STOP_SIGNALS:
            loop.add_signal_handler(number, self._handle_stop_signal)
        try:
            yield
        finally:
            for number in _STOP_SIGNALS:
                loop.remove_signal_handler(number)

    def _handle_stop_signal(self) -> None:
        """A second signal stops at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._service.drain()


def build_connection_limits() -> ConnectionLimits:
    """Clients are few: the workers, the page and monitoring."""
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = max_connections(_MAX_CONNECTIONS, open_files)
    return ConnectionLimits(
        most, _MAX_CONNECTIONS_PER_PEER, _KEEP_ALIVE_TIMEOUT + _HEADER_TIMEOUT + BODY_TIMEOUT, _SEND_TIMEOUT
    )


def build_uvicorn_config(service: XSearchService, limits: ConnectionLimits) -> uvicorn.Config:
    bounds = ConnectionRegistry(limits, ConnectionMetrics(metrics.CONNECTIONS, metrics.CONNECTIONS_CLOSED))
    return uvicorn.Config(
        create_app(service),
        http=cast(type[asyncio.Protocol], partial(BoundedProtocol, registry=bounds)),
        backlog=_LISTEN_BACKLOG,
        timeout_keep_alive=int(_KEEP_ALIVE_TIMEOUT.total_seconds()),
        log_config=None,
        # Forwarding headers do not identify the caller: see `access`.
        proxy_headers=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_graceful_shutdown=max(1, int(service.settings.drain.total_seconds())),
    )
