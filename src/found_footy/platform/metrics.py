"""Prometheus metrics, served from a thread of their own so that a busy event loop does not block them."""

import errno
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from wsgiref.simple_server import WSGIServer

from prometheus_client import Gauge, start_http_server

from found_footy.platform.errors import ConfigError
from found_footy.platform.logs import ActionLogger
from found_footy.platform.version import build_info

BUILD_INFO = Gauge("found_footy_build_info", "The running build; the value is always 1.", ["version", "commit"])
# So many processes on one machine find a free port without configuration.
MAX_PORTS_TRIED = 20
_MAX_PORT = 65_535

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class MetricsServer:
    host: str
    port: int
    _server: WSGIServer
    _thread: threading.Thread

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve_metrics(host: str, port: int) -> MetricsServer | None:
    """Serve /metrics until closed or the process ends. Port 0 serves nothing.

    If the port is taken, for example by another worker on this machine, the next free one is used. If none is free, the
    process runs without metrics. Raises ConfigError if the host is not an address of this machine.
    """
    if port == 0:
        return None
    BUILD_INFO.labels(version=build_info().version, commit=build_info().commit).set(1)
    for candidate in _candidate_ports(port):
        try:
            server, thread = start_http_server(candidate, host)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise ConfigError(f"cannot serve metrics on {host}:{candidate}: {error.strerror or error}") from error
        else:
            logger.info(
                "metrics on http://%s:%d/metrics", host, candidate, action="metrics_ready", host=host, port=candidate
            )
            return MetricsServer(host, candidate, server, thread)
    logger.warning("no metrics: ports from %d on are taken", port, action="metrics_off", host=host, port=port)
    return None


def find_free_port(host: str, port: int) -> int:
    """Return the port that `serve_metrics` would use now: this one, or the next free one. 0 if none is free or `port`
    is 0.
    """
    return next((candidate for candidate in _candidate_ports(port) if _is_port_free(host, candidate)), 0) if port else 0


def _candidate_ports(port: int) -> Iterator[int]:
    return iter(range(port, min(port + MAX_PORTS_TRIED, _MAX_PORT + 1)))


def _is_port_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
