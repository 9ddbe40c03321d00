"""The outside world of a test: a search service and a video host on one local port, doing what the test says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.patience import PATIENCE_SECONDS

Answer = tuple[int, dict[str, Any]]


@dataclass
class OutsideServices:
    """`searches` are given in turn, the last one for ever. `files` are served by path, after the `statuses` given for
    them and when their `gates` are open; what `cuts_off` ends in the middle of the exchange.
    """

    port: int
    searches: list[Answer] = field(default_factory=lambda: [(200, {"videos": []})])
    files: dict[str, bytes] = field(default_factory=dict)
    statuses: dict[str, list[int]] = field(default_factory=dict)
    gates: dict[str, threading.Event] = field(default_factory=dict)
    cuts_off: set[str] = field(default_factory=set)
    asked: list[dict[str, Any]] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    on_search: Callable[[int], None] = lambda _: None

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def base(self) -> str:
        return f"http://{self.host}"

    def video(self, number: int, *, file: str | None = None, duration: float = 8.0, **changes: Any) -> dict[str, Any]:
        """A search result, with its file at /{number}.mp4 unless another is named."""
        path = file or f"/{number}.mp4"
        return {
            "url": f"https://x.com/fan{number}/status/{2_089_000_000_000_000_000 + number}",
            "tweet_id": str(2_089_000_000_000_000_000 + number),
            "author": f"fan{number}",
            "posted_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "duration_seconds": duration,
            "text": "what a goal",
            "variants": [{"url": f"{self.base}{path}", "bitrate": 800_000, "width": 320, "height": 180}],
            **changes,
        }

    def finds(self, *batches: list[dict[str, Any]]) -> None:
        """Each search finds the next batch; once they are used up, nothing."""
        self.searches = [(200, {"videos": batch}) for batch in batches] + [(200, {"videos": []})]


@contextmanager
def serve_outside() -> Iterator[OutsideServices]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    world = OutsideServices(server.server_address[1])
    server.world = world  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield world
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def world(self) -> OutsideServices:
        world: OutsideServices = self.server.world  # type: ignore[attr-defined]
        return world

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        world = self.world
        world.asked.append(body)
        world.on_search(len(world.asked))
        status, answer = world.searches[min(len(world.asked), len(world.searches)) - 1]
        self._send(status, json.dumps(answer).encode(), "application/json")

    def do_GET(self) -> None:
        world = self.world
        world.fetched.append(self.path)
        if gate := world.gates.get(self.path):
            gate.wait(PATIENCE_SECONDS)
        statuses = world.statuses.get(self.path, [])
        status = statuses.pop(0) if statuses else 200
        if self.path in world.cuts_off:
            self.close_connection = True
        elif self.path not in world.files or status != 200:
            self._send(status if status != 200 else 404, b"", "text/plain")
        else:
            self._send(200, world.files[self.path], "video/mp4")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet."""
