"""Connection limits of a server: how many connections are open, and how long one may take to send a request or to read
its answer. uvicorn limits neither.

A connection is idle while no request of it is being answered. When there are too many, a new connection displaces the
oldest idle connection of the peer that has most: a caller with a request is served although others hold idle
connections.
"""

import asyncio
import fcntl
import resource
import termios
from array import array
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import h11
from prometheus_client import Counter, Gauge
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from found_footy.platform.http.access_tokens import caller_key
from found_footy.platform.logs import ActionLogger

# Reserved besides two files for each connection (its own and that to the object store): for the database, Temporal and
# our own files.
_RESERVED_FILES = 200
_MIN_CONNECTIONS = 16
# A peer must read this much of an answer within `send_timeout`.
_MIN_BYTES_READ = 16 * 1024
_LOG_INTERVAL_SECONDS = 60.0
_UNAVAILABLE_RESPONSE = (
    f"HTTP/1.1 {HTTPStatus.SERVICE_UNAVAILABLE} {HTTPStatus.SERVICE_UNAVAILABLE.phrase}\r\n"
    "Content-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"
).encode()

# ASGI extension: a function that takes the time which the rest of a request may take.
EXTEND_REQUEST_TIMEOUT = "found_footy.extend_request_timeout"

logger = ActionLogger(__name__)


def max_connections(requested: int, open_files: int) -> int:
    """Compute the connection limit of a process with this open-file limit."""
    if open_files == resource.RLIM_INFINITY:
        return requested
    return max(_MIN_CONNECTIONS, min(requested, (open_files - _RESERVED_FILES) // 2))


@dataclass(frozen=True)
class ConnectionLimits:
    """`request_timeout` limits how long a request may take to arrive whole, `send_timeout` how long the peer may not
    read the answer. A peer of `trusted_proxies` is not limited by `per_peer`.
    """

    connections: int
    per_peer: int
    request_timeout: timedelta
    send_timeout: timedelta
    trusted_proxies: Container[str] = ()


@dataclass(frozen=True)
class ConnectionMetrics:
    """Metrics of a server's connections: open ones, and closed ones by label `cause`."""

    open: Gauge
    closed: Counter


_PeerConnections = dict["BoundedProtocol", None]


class ConnectionRegistry:
    """All open connections, the oldest first. Those of a trusted proxy count only towards the total."""

    def __init__(self, limits: ConnectionLimits, metrics: ConnectionMetrics, hint: str = "") -> None:
        """`hint` is appended to the log message on too many connections: which setting to change."""
        self.limits = limits
        self.metrics = metrics
        self._hint = hint and f"; {hint}"
        self._open: dict[BoundedProtocol, str] = {}
        self._by_peer: dict[str, _PeerConnections] = {}
        self._last_logged = float("-inf")

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, new: "BoundedProtocol", peer: str, host: str) -> bool:
        """Register a connection, displacing another one if needed. False if none can be displaced."""
        own = self._by_peer.get(peer, {})
        if len(own) >= self.limits.per_peer and host not in self.limits.trusted_proxies:
            full, admitted = True, self._displace_idle([own])
        else:
            full = len(self._open) >= self.limits.connections
            admitted = not full or self._displace_for(own)
        if full:
            self._log_full(peer, len(own), new.loop.time())
        if not admitted:
            self.metrics.closed.labels("refused").inc()
            return False
        self._open[new] = peer
        self._by_peer.setdefault(peer, {})[new] = None
        self.metrics.open.set(len(self._open))
        return True

    def _displace_for(self, own: _PeerConnections) -> bool:
        """Displace an idle connection of a peer that has more connections than `own`, the largest first, else one of
        its own: holding many connections must not keep others out. If all of them have unread bytes, one of the larger
        peers' is displaced nevertheless.
        """
        larger = [connections for connections in self._by_peer.values() if len(connections) > len(own)]
        larger.sort(key=len, reverse=True)
        return self._displace_idle([*larger, own]) or self._displace_idle(larger, unread=True)

    def _displace_idle(self, peers: Sequence[_PeerConnections], *, unread: bool = False) -> bool:
        """Abort the oldest idle connection of the first peer that has one; False if there is none. Connections with
        unread bytes are considered only with `unread`.
        """
        candidates = (one for connections in peers for one in connections)
        idle = next((one for one in candidates if one.is_idle and (unread or not one.has_unread_bytes)), None)
        if idle is None:
            return False
        self.release(idle)
        idle.abort_connection("displaced")
        return True

    def release(self, connection: "BoundedProtocol") -> None:
        peer = self._open.pop(connection, None)
        if peer is None:
            return
        own = self._by_peer[peer]
        own.pop(connection, None)
        if not own:
            del self._by_peer[peer]
        self.metrics.open.set(len(self._open))

    def _log_full(self, peer: str, own: int, now: float) -> None:
        if now - self._last_logged < _LOG_INTERVAL_SECONDS:
            return
        self._last_logged = now
        logger.warning(
            "too many connections: %d in all, %d of %s%s",
            len(self),
            own,
            peer,
            self._hint,
            action="connections_full",
            connections=len(self),
            peer=peer,
            of_peer=own,
        )


class BoundedProtocol(H11Protocol):
    """uvicorn's protocol, registered in a `ConnectionRegistry` and with two deadlines."""

    def __init__(self, *args: Any, registry: ConnectionRegistry, **options: Any) -> None:
        super().__init__(*args, **options)
        self._registry = registry
        self._admitted = False
        self._request_timer: asyncio.TimerHandle | None = None
        self._send_timer: asyncio.TimerHandle | None = None
        self._unsent = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request of this connection is being answered."""
        # None before the first request, contrary to its annotation.
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    @property
    def has_unread_bytes(self) -> bool:
        """Whether received bytes have not been read yet: possibly a request that was sent with the connection."""
        place = self.transport.get_extra_info("socket")
        if place is None or place.fileno() < 0:
            return False
        count = array("i", [0])
        fcntl.ioctl(place.fileno(), termios.FIONREAD, count)
        return count[0] > 0

    def abort_connection(self, cause: str) -> None:
        """Close at once, without sending what is buffered."""
        if not self.transport.is_closing():
            self._registry.metrics.closed.labels(cause).inc()
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # With a limit of 0 every byte that the peer does not take pauses writing, which starts the send deadline.
        transport.set_write_buffer_limits(high=0)
        host = self.client[0] if self.client else ""
        self._admitted = self._registry.admit(self, caller_key(host), host)
        if self._admitted:
            self._update_request_timer()
        else:
            transport.write(_UNAVAILABLE_RESPONSE)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._registry.release(self)
        for timer in (self._request_timer, self._send_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._admitted:
            return
        super().data_received(data)
        self._update_request_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update_request_timer()

    def extend_request_timeout(self, timeout: timedelta) -> None:
        """Give the rest of the request that is arriving this much time from now on."""
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._start_request_timer(timeout)

    def _start_request_timer(self, timeout: timedelta) -> None:
        self._request_timer = self.loop.call_later(timeout.total_seconds(), self.abort_connection, "request_slow")

    def _update_request_timer(self) -> None:
        """Run the deadline from the moment a request may begin until it has arrived whole, however slowly its bytes
        come.
        """
        # None before the first request, contrary to its annotation. The application runs later than this.
        scope: dict[str, Any] | None = self.scope  # type: ignore[assignment]
        if scope is not None:
            scope.setdefault("extensions", {})[EXTEND_REQUEST_TIMEOUT] = self.extend_request_timeout
        awaited = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if awaited and self._request_timer is None:
            self._start_request_timer(self._registry.limits.request_timeout)
        elif not awaited and self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_send_timer()

    def resume_writing(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None
        super().resume_writing()

    def _start_send_timer(self) -> None:
        self._unsent = self.transport.get_write_buffer_size()
        self._send_timer = self.loop.call_later(
            self._registry.limits.send_timeout.total_seconds(), self._check_send_progress
        )

    def _check_send_progress(self) -> None:
        if self._unsent - self.transport.get_write_buffer_size() < _MIN_BYTES_READ:
            self.abort_connection("answer_unread")
        else:
            self._start_send_timer()
