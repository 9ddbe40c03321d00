"""The connections of a server: how many there may be, and how long one may take to send a request or to read its
answer. uvicorn bounds none of that.

A connection is idle while no request of it is being answered. Where there are too many, the idle one that has been
open longest of the address that has most makes place for the new one: a caller who has something to ask is served
though others hold connections for nothing.
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

from found_footy.platform.logs import ActionLogger
from found_footy.platform.tokens import caller_of

# Besides two files for each connection, its own and that to the object store: the database's, Temporal's and our own.
_OTHER_FILES = 200
_FEWEST = 16
# So much of an answer has to be read within the time for sending.
_LEAST_READ = 16 * 1024
_LOG_PAUSE = 60.0
_FULL = (
    f"HTTP/1.1 {HTTPStatus.SERVICE_UNAVAILABLE} {HTTPStatus.SERVICE_UNAVAILABLE.phrase}\r\n"
    "Content-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"
).encode()

log = ActionLogger(__name__)


def most_connections(wanted: int, open_files: int) -> int:
    """How many there may be in a process that may open so many files."""
    if open_files == resource.RLIM_INFINITY:
        return wanted
    return max(_FEWEST, min(wanted, (open_files - _OTHER_FILES) // 2))


@dataclass(frozen=True)
class Limits:
    """`request` is how long a request may take to arrive whole, `send` how long its sender may not read the answer. A
    peer of `proxies` is not bounded by `per_peer`.
    """

    connections: int
    per_peer: int
    request: timedelta
    send: timedelta
    proxies: Container[str] = ()


@dataclass(frozen=True)
class Figures:
    """Where a server counts its connections: those that are open, and by label `cause` those that it ended."""

    open: Gauge
    closed: Counter


_Crowd = dict["BoundedProtocol", None]


class Connections:
    """All connections that are open, the oldest first. Those of a trusted proxy are bounded together only."""

    def __init__(self, limits: Limits, figures: Figures, hint: str = "") -> None:
        """`hint` is added to the log's line on too many connections: what to set."""
        self.limits = limits
        self.figures = figures
        self._hint = hint and f"; {hint}"
        self._open: dict[BoundedProtocol, str] = {}
        self._of: dict[str, _Crowd] = {}
        self._logged = float("-inf")

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, new: "BoundedProtocol", peer: str, host: str) -> bool:
        """Take in a connection, where needed instead of another. False if there is none to give way to it."""
        own = self._of.get(peer, {})
        if len(own) >= self.limits.per_peer and host not in self.limits.proxies:
            full, admitted = True, self._displaced([own])
        else:
            full = len(self._open) >= self.limits.connections
            admitted = not full or self._displaced_for(own)
        if full:
            self._tell(peer, len(own), new.loop.time())
        if not admitted:
            self.figures.closed.labels("refused").inc()
            return False
        self._open[new] = peer
        self._of.setdefault(peer, {})[new] = None
        self.figures.open.set(len(self._open))
        return True

    def _displaced_for(self, own: _Crowd) -> bool:
        """Whoever has more gives one up, who has most first: many connections are no means against those of others.
        Where all of those have sent something that was not looked at yet, they have to nevertheless.
        """
        larger = [crowd for crowd in self._of.values() if len(crowd) > len(own)]
        larger.sort(key=len, reverse=True)
        return self._displaced([*larger, own]) or self._displaced(larger, unread=True)

    def _displaced(self, crowds: Sequence[_Crowd], *, unread: bool = False) -> bool:
        """Whether an idle connection was found and closed: the oldest one of the first crowd that has any. One whose
        bytes were not looked at yet only if told so.
        """
        everybody = (one for crowd in crowds for one in crowd)
        idle = next((one for one in everybody if one.is_idle and (unread or not one.has_unread)), None)
        if idle is None:
            return False
        self.release(idle)
        idle.end("displaced")
        return True

    def release(self, connection: "BoundedProtocol") -> None:
        peer = self._open.pop(connection, None)
        if peer is None:
            return
        own = self._of[peer]
        own.pop(connection, None)
        if not own:
            del self._of[peer]
        self.figures.open.set(len(self._open))

    def _tell(self, peer: str, own: int, now: float) -> None:
        if now - self._logged < _LOG_PAUSE:
            return
        self._logged = now
        log.warning(
            "too many connections: %d in all, %d of %s%s", len(self), own, peer, self._hint,
            action="connections_full", connections=len(self), peer=peer, of_peer=own,
        )  # fmt: skip


class BoundedProtocol(H11Protocol):
    """uvicorn's protocol, with a place among the connections and two deadlines."""

    def __init__(self, *args: Any, bounds: Connections, **options: Any) -> None:
        super().__init__(*args, **options)
        self._bounds = bounds
        self._admitted = False
        self._receipt: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._unsent = 0

    @property
    def is_idle(self) -> bool:
        """No request of it is being answered."""
        # None before the first request, whatever its annotation says.
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    @property
    def has_unread(self) -> bool:
        """Bytes have arrived that were not read yet: a request that came with its connection, perhaps."""
        place = self.transport.get_extra_info("socket")
        if place is None or place.fileno() < 0:
            return False
        count = array("i", [0])
        fcntl.ioctl(place.fileno(), termios.FIONREAD, count)
        return count[0] > 0

    def end(self, cause: str) -> None:
        """Close at once, whatever is still to be sent."""
        if not self.transport.is_closing():
            self._bounds.figures.closed.labels(cause).inc()
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Every byte that a peer does not take is then known of, and its deadline runs.
        transport.set_write_buffer_limits(high=0)
        host = self.client[0] if self.client else ""
        self._admitted = self._bounds.admit(self, caller_of(host), host)
        if self._admitted:
            self._watch_receipt()
        else:
            transport.write(_FULL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._bounds.release(self)
        for timer in (self._receipt, self._reading):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._admitted:
            return
        super().data_received(data)
        self._watch_receipt()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_receipt()

    def _watch_receipt(self) -> None:
        """The deadline runs from when a request may begin until it is there whole, however its bytes trickle in."""
        awaited = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if awaited and self._receipt is None:
            self._receipt = self.loop.call_later(self._bounds.limits.request.total_seconds(), self.end, "request_slow")
        elif not awaited and self._receipt is not None:
            self._receipt.cancel()
            self._receipt = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reading()

    def resume_writing(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        super().resume_writing()

    def _watch_reading(self) -> None:
        self._unsent = self.transport.get_write_buffer_size()
        self._reading = self.loop.call_later(self._bounds.limits.send.total_seconds(), self._look_at_reading)

    def _look_at_reading(self) -> None:
        if self._unsent - self.transport.get_write_buffer_size() < _LEAST_READ:
            self.end("answer_unread")
        else:
            self._watch_reading()
