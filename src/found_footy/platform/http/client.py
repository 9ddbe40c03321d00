"""HTTP client for all outgoing requests: allowed hosts, checked addresses, size limits, one deadline per call.

A host name is resolved once, every address is checked, and the connection goes to a checked address while TLS and the
Host header keep the name; so DNS rebinding between check and use has no effect. This machine's proxies, cookies and
credential files are not used.
"""

import asyncio
import hashlib
import json as jsonlib
import ssl
import typing
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpcore
import httpx

from found_footy.platform.errors import DiskFailed, Malformed, Refused, TooLarge, Unavailable, Unreachable
from found_footy.platform.files import write_atomically
from found_footy.platform.http.content_decoder import ContentDecoder, ContentDecodingError
from found_footy.platform.http.egress import EgressRules, RequestTarget, default_port, is_ambiguous_url
from found_footy.platform.http.pinned_transport import HostResolver, build_pinned_pool, resolve_host
from found_footy.platform.version import build_info

_DEFAULT_TIMEOUT = timedelta(seconds=20)
_DEFAULT_MAX_BYTES = 16 * 1024 * 1024
_MAX_REDIRECTS = 3
_WRITE_BLOCK_BYTES = 1024 * 1024
_REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
_METHOD_PRESERVING_STATUSES = frozenset({307, 308})
_HTTP_OK = 200
# Headers that are kept when a redirect leads to another origin.
_CROSS_ORIGIN_HEADERS = frozenset({"accept", "accept-language", "user-agent"})


@dataclass(frozen=True)
class HttpResponse:
    """An answer of any status; the caller interprets the status. Header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    system: str = "HTTP"

    def json(self) -> Any:
        try:
            return jsonlib.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise Malformed(self.system, f"the answer (status {self.status}) is not JSON: {error}") from error


@dataclass(frozen=True)
class DownloadedFile:
    """`size` and `md5` are those of the written file; with a status other than 200 none is written."""

    size: int
    md5: str
    content_type: str
    status: int


@dataclass(frozen=True)
class _OutgoingRequest:
    method: str
    url: httpx.URL
    headers: Mapping[str, str]
    json: Any
    content: bytes | None = None
    form: Mapping[str, str] | None = None

    @property
    def has_body(self) -> bool:
        return any(body is not None for body in (self.json, self.content, self.form))


class _PinnedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a pool that applies the egress rules; environment variables do not affect it."""

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool


class SafeHttpClient:
    """A client for one outside system, on one event loop. Raises Unavailable for transport failures and deadlines
    (Unreachable if there was no connection), Refused for addresses, redirects and sizes that are not allowed, Malformed
    for a body that cannot be decoded, and DiskFailed for a file that cannot be written.

    `trusted_private` lists the host:port pairs that may have private or loopback addresses; they must be allowed as
    well.
    """

    def __init__(
        self,
        *,
        system: str,
        allowed_hosts: Collection[str],
        trusted_private: Collection[str] = (),
        timeout: timedelta = _DEFAULT_TIMEOUT,
        max_bytes: int = _DEFAULT_MAX_BYTES,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        resolve: HostResolver = resolve_host,
    ) -> None:
        self.system = system
        self._rules = EgressRules(allowed_hosts, trusted_private)
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._headers = {"user-agent": f"found-footy/{build_info().version}", **_lowercase_headers(headers)}
        self._transport = _PinnedTransport(build_pinned_pool(system, self._rules, resolve, tls or _public_ca_context()))

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        content: bytes | None = None,
        form: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Make one request, redirects included, within the client's timeout and size limit. Its body is `json`, the
        bytes of `content` or the fields of a `form`.
        """
        call = self._build_request(
            method, url, {"accept-encoding": "gzip, deflate", **_lowercase_headers(headers)}, params, json
        )
        call = replace(call, content=content, form=form)
        async with self._enforce_deadline(self._timeout, call), self._follow_redirects(call) as response:
            body = b"".join([part async for part in self._read_body(response, self._max_bytes)])
            return HttpResponse(response.status_code, _join_headers(response.headers), body, self.system)

    async def download(self, url: str, target: Path, *, max_bytes: int, deadline: timedelta) -> DownloadedFile:
        """Stream the body to `target`, which is created only when complete, and only with status 200."""
        call = self._build_request("GET", url, {"accept-encoding": "identity"}, None, None)
        async with self._enforce_deadline(deadline, call), self._follow_redirects(call) as response:
            kind = response.headers.get("content-type", "")
            if response.status_code != _HTTP_OK:
                return DownloadedFile(0, "", kind, response.status_code)
            try:
                size, md5 = await _write_file(self._read_body(response, max_bytes), target)
            except OSError as error:
                raise DiskFailed("disk", str(error)) from error
            return DownloadedFile(size, md5, kind, response.status_code)

    def _build_request(
        self, method: str, url: str, headers: Mapping[str, str], params: Mapping[str, Any] | None, json: Any
    ) -> _OutgoingRequest:
        parsed = self._parse_url(url)
        merged = parsed.copy_merge_params(dict(params)) if params else parsed
        return _OutgoingRequest(method.upper(), merged, {**self._headers, **headers}, json)

    def _parse_url(self, url: str) -> httpx.URL:
        if is_ambiguous_url(url):
            raise Refused(self.system, "the address contains blanks, control characters or backslashes")
        try:
            return httpx.URL(url)
        except httpx.InvalidURL as error:
            raise Refused(self.system, f"not a valid address: {error}") from error

    @asynccontextmanager
    async def _enforce_deadline(self, limit: timedelta, call: _OutgoingRequest) -> AsyncIterator[None]:
        """Apply one deadline to the whole call: a server that sends single bytes does not extend it."""
        try:
            async with asyncio.timeout(limit.total_seconds()):
                yield
        except (TimeoutError, httpx.TimeoutException) as error:
            text = f"{_display_url(call.url)} took longer than {limit.total_seconds():g} s"
            raise Unavailable(self.system, text) from error
        except httpx.TransportError as error:
            raise Unavailable(self.system, f"{_display_url(call.url)}: {str(error) or type(error).__name__}") from error

    @asynccontextmanager
    async def _follow_redirects(self, call: _OutgoingRequest) -> AsyncIterator[httpx.Response]:
        """Yield the first answer that is not a redirect."""
        self._check_target(call.url)
        for hop in range(_MAX_REDIRECTS + 1):
            try:
                response = await self._transport.handle_async_request(_to_httpx_request(call))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                # Behind a redirect something was sent already: to the address that redirects.
                kind = Unavailable if hop else Unreachable
                raise kind(self.system, f"{_display_url(call.url)}: {str(error) or type(error).__name__}") from error
            try:
                following = self._redirect_request(call, response)
                if following is None:
                    yield response
                    return
                call = following
            finally:
                await response.aclose()
        raise Refused(self.system, f"more than {_MAX_REDIRECTS} redirects, the last to {_display_url(call.url)}")

    def _check_target(self, url: httpx.URL) -> RequestTarget:
        if url.userinfo:
            raise Refused(self.system, f"{_display_url(url)}: an address with a user name in it is not allowed")
        target = _parse_target(url)
        if (violation := self._rules.find_violation(target)) is not None:
            raise Refused(self.system, f"{_display_url(url)}: {violation}")
        return target

    def _redirect_request(self, call: _OutgoingRequest, response: httpx.Response) -> _OutgoingRequest | None:
        location = response.headers.get("location")
        if response.status_code not in _REDIRECT_STATUSES or not location:
            return None
        url = call.url.join(self._parse_url(location))
        old, new = _parse_target(call.url), self._check_target(url)
        if old.scheme == "https" and new.scheme == "http":
            raise Refused(self.system, f"{_display_url(call.url)} redirects to {_display_url(url)}, which is not https")
        if self._rules.is_trusted(new.host, new.port) and not self._rules.is_trusted(old.host, old.port):
            raise Refused(
                self.system, f"{_display_url(call.url)} redirects into the private network, to {_display_url(url)}"
            )
        return self._build_redirect(call, response.status_code, url, new.origin == old.origin)

    def _build_redirect(
        self, call: _OutgoingRequest, status: int, url: httpx.URL, same_origin: bool
    ) -> _OutgoingRequest:
        headers = call.headers if same_origin else _keep_cross_origin_headers(call.headers)
        if status in _METHOD_PRESERVING_STATUSES or call.method in ("GET", "HEAD"):
            if call.has_body and not same_origin:
                raise Refused(
                    self.system, f"{_display_url(call.url)} redirects the request's body to {_display_url(url)}"
                )
            return replace(call, url=url, headers=headers)
        return _OutgoingRequest("GET", url, headers, None)

    async def _read_body(self, response: httpx.Response, max_bytes: int) -> AsyncIterator[bytes]:
        """Yield the decoded body. Raises as soon as it is, or declares to be, larger than `max_bytes`."""
        declared = response.headers.get("content-length", "")
        if declared.isdigit() and int(declared[:20]) > max_bytes:
            raise TooLarge(self.system, f"the answer has {declared} bytes, more than {max_bytes}")
        try:
            inflater = ContentDecoder(response.headers.get("content-encoding", ""))
            size = 0
            async for raw in _raw_stream(response):
                for part in inflater.feed(raw):
                    size += len(part)
                    if size > max_bytes:
                        raise TooLarge(self.system, f"the answer has more than {max_bytes} bytes")
                    yield part
            inflater.finish()
        except ContentDecodingError as error:
            raise Malformed(self.system, f"the answer's body cannot be decoded: {error}") from error


def _raw_stream(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the body as received; httpx's own decoding would inflate without a limit."""
    return typing.cast(httpx.AsyncByteStream, response.stream).__aiter__()


@cache
def _public_ca_context() -> ssl.SSLContext:
    """Cached: loading the certificate authorities takes tens of milliseconds."""
    return httpx.create_ssl_context(trust_env=False)


def _to_httpx_request(call: _OutgoingRequest) -> httpx.Request:
    return httpx.Request(
        call.method, call.url, headers=dict(call.headers), json=call.json, content=call.content, data=call.form
    )


def _parse_target(url: httpx.URL) -> RequestTarget:
    host = url.raw_host.decode("ascii").lower().rstrip(".")
    return RequestTarget(url.scheme, host, url.port or default_port(url.scheme))


def _display_url(url: httpx.URL) -> str:
    """The URL for messages: without the query, which may hold a key, and the user part, which may hold a password."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))[:300]


def _lowercase_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {name.lower(): value for name, value in (headers or {}).items()}


def _join_headers(headers: httpx.Headers) -> dict[str, str]:
    return {name.lower(): headers[name] for name in headers}


def _keep_cross_origin_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name in _CROSS_ORIGIN_HEADERS}


async def _write_file(parts: AsyncIterator[bytes], target: Path) -> tuple[int, str]:
    digest = hashlib.md5(usedforsecurity=False)
    size = 0
    with write_atomically(target) as file:

        def write(block: bytes) -> None:
            digest.update(block)
            file.write(block)

        async for block in _group_into_blocks(parts):
            size += len(block)
            await asyncio.to_thread(write, block)
    return size, digest.hexdigest()


async def _group_into_blocks(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Join parts into larger blocks, so that the file is written off the event loop but not for every packet."""
    buffer = bytearray()
    async for part in parts:
        buffer += part
        if len(buffer) >= _WRITE_BLOCK_BYTES:
            yield bytes(buffer)
            buffer.clear()
    if buffer:
        yield bytes(buffer)
