"""An S3 gateway in front of the real store that answers as another kind of store, or another configuration, would."""

import hashlib
import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.support.patience import PATIENCE_SECONDS

_TAG = re.compile(rb"(<ETag>(?:&quot;|&#34;|\")?)([0-9a-f]{32})")
_NOT_FORWARDED = {"expect", "connection", "transfer-encoding", "content-length", "etag"}
_GONE = b"<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"


@dataclass
class Gateway:
    """With `sealed`, an encryption of AWS: tags have 32 hexadecimal digits and are no MD5s, which every answer tells
    except listings. While `empty`, every question about an object is answered with 404.
    """

    port: int
    target: str
    sealed: str = ""
    empty: bool = False
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def gateway_to(endpoint: str, *, sealed: str = "") -> Iterator[Gateway]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    gateway = Gateway(server.server_address[1], urlsplit(endpoint).netloc, sealed)
    server.gateway = gateway  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield gateway
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def other_tag(tag: str) -> str:
    """What the tag of these bytes is under encryption: another one for the same object each time would do as well."""
    return hashlib.md5(f"sealed {tag}".encode(), usedforsecurity=False).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _forward(self) -> None:
        gateway: Gateway = self.server.gateway  # type: ignore[attr-defined]
        gateway.asked.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if gateway.empty and self.command in ("GET", "HEAD"):
            self._send(404, {"content-type": "application/xml"}, _GONE)
            return
        # The host as the client named it: its signature covers that.
        headers = {name: value for name, value in self.headers.items() if name.lower() != "expect"}
        far = http.client.HTTPConnection(gateway.target, timeout=PATIENCE_SECONDS)
        try:
            far.request(self.command, self.path, body, headers)
            answer = far.getresponse()
            self._send(answer.status, *self._reported(gateway, answer))
        finally:
            far.close()

    def _reported(self, gateway: Gateway, answer: http.client.HTTPResponse) -> tuple[dict[str, str], bytes]:
        headers = {name.lower(): value for name, value in answer.getheaders() if name.lower() not in _NOT_FORWARDED}
        tag, body = (answer.getheader("etag") or "").strip('"'), answer.read()
        if self.command == "HEAD":
            headers["content-length"] = answer.getheader("content-length") or "0"
        if gateway.sealed:
            headers |= {"x-amz-server-side-encryption": gateway.sealed}
            tag = other_tag(tag) if tag else ""
            body = _TAG.sub(lambda found: found[1] + other_tag(found[2].decode()).encode(), body)
        return headers | ({"etag": f'"{tag}"'} if tag else {}), body

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in ({"content-length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def __getattr__(self, name: str) -> Any:
        """Every method of HTTP is handled in the same way."""
        if name.startswith("do_"):
            return self._forward
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Quiet."""
