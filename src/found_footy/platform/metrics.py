"""Prometheus figures, served by a thread of their own so that a busy event loop does not hide them."""

import threading
from dataclasses import dataclass
from wsgiref.simple_server import WSGIServer

from prometheus_client import Gauge, start_http_server

from found_footy.platform.errors import ConfigError
from found_footy.platform.version import build

BUILD_INFO = Gauge("found_footy_build_info", "The running build; the value is always 1.", ["version", "commit"])


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


def serve(host: str, port: int) -> MetricsServer | None:
    """Serve /metrics until closed or the process ends. Port 0 serves nothing. ConfigError if the port is taken."""
    if port == 0:
        return None
    BUILD_INFO.labels(version=build().version, commit=build().commit).set(1)
    try:
        server, thread = start_http_server(port, host)
    except OSError as error:
        raise ConfigError(f"cannot serve metrics on {host}:{port}: {error.strerror or error}") from error
    return MetricsServer(host, port, server, thread)
