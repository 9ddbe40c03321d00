"""The only way out to the web: allowed hosts, checked addresses, capped sizes, one deadline per call.

A name is resolved once, every address it has is checked, and the connection goes to a checked address while TLS and
the Host header keep the name. So a name that changes its mind between check and use gains nothing. Proxies, cookies
and credential files of this machine play no part.
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

from found_footy.platform.dialling import Resolver, guarded_pool, system_resolver
from found_footy.platform.egress import HostRules, Target, default_port, is_ambiguous
from found_footy.platform.errors import DiskFailed, Malformed, Refused, TooLarge, Unavailable
from found_footy.platform.files import appearing
from found_footy.platform.inflate import BadEncoding, Inflater
from found_footy.platform.version import build

_TIMEOUT = timedelta(seconds=20)
_MAX_BYTES = 16 * 1024 * 1024
_MAX_REDIRECTS = 3
_WRITE_AT_ONCE = 1024 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
_OK = 200
# What another host may learn of a request that was meant for the first one.
_HARMLESS_HEADERS = frozenset({"accept", "accept-language", "user-agent"})


@dataclass(frozen=True)
class HttpAnswer:
    """An answer of any status; what the status means is for the caller to say. Header names are in lower case."""

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
class Downloaded:
    """`size` and `md5` are of the file that was written; with a status other than 200 none was."""

    size: int
    md5: str
    content_type: str
    status: int


@dataclass(frozen=True)
class _Call:
    method: str
    url: httpx.URL
    headers: Mapping[str, str]
    json: Any


class _Transport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a pool that dials by our rules; environment variables do not reach it."""

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool


class SafeHttp:
    """A client for one outside system, on one event loop. Raises Unavailable for transport failures and deadlines,
    Refused for addresses, redirects and sizes that are not allowed, Malformed for a body that cannot be decoded, and
    DiskFailed for a file that cannot be written.

    `trusted_private` lists the host:port pairs that may be on this machine or network; they must be allowed as well.
    """

    def __init__(
        self,
        *,
        system: str,
        allowed_hosts: Collection[str],
        trusted_private: Collection[str] = (),
        timeout: timedelta = _TIMEOUT,
        max_bytes: int = _MAX_BYTES,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        resolve: Resolver = system_resolver,
    ) -> None:
        self.system = system
        self._rules = HostRules(allowed_hosts, trusted_private)
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._headers = {"user-agent": f"found-footy/{build().version}", **_lowered(headers)}
        self._transport = _Transport(guarded_pool(system, self._rules, resolve, tls or _public_authorities()))

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
    ) -> HttpAnswer:
        """One exchange, redirects included, within the client's timeout and size limit."""
        call = self._call(method, url, {"accept-encoding": "gzip, deflate", **_lowered(headers)}, params, json)
        async with self._within(self._timeout, call), self._answered(call) as response:
            body = b"".join([part async for part in self._body(response, self._max_bytes)])
            return HttpAnswer(response.status_code, _joined(response.headers), body, self.system)

    async def download(self, url: str, target: Path, *, max_bytes: int, deadline: timedelta) -> Downloaded:
        """Stream the body to `target`, which appears only when it is whole, and only with status 200."""
        call = self._call("GET", url, {"accept-encoding": "identity"}, None, None)
        async with self._within(deadline, call), self._answered(call) as response:
            kind = response.headers.get("content-type", "")
            if response.status_code != _OK:
                return Downloaded(0, "", kind, response.status_code)
            try:
                size, md5 = await _written(self._body(response, max_bytes), target)
            except OSError as error:
                raise DiskFailed("disk", str(error)) from error
            return Downloaded(size, md5, kind, response.status_code)

    def _call(
        self, method: str, url: str, headers: Mapping[str, str], params: Mapping[str, Any] | None, json: Any
    ) -> _Call:
        parsed = self._parsed(url)
        merged = parsed.copy_merge_params(dict(params)) if params else parsed
        return _Call(method.upper(), merged, {**self._headers, **headers}, json)

    def _parsed(self, url: str) -> httpx.URL:
        if is_ambiguous(url):
            raise Refused(self.system, "the address has blanks, control characters or backslashes in it")
        try:
            return httpx.URL(url)
        except httpx.InvalidURL as error:
            raise Refused(self.system, f"not an address: {error}") from error

    @asynccontextmanager
    async def _within(self, limit: timedelta, call: _Call) -> AsyncIterator[None]:
        """One deadline over everything: a server that sends a byte now and then does not extend it."""
        try:
            async with asyncio.timeout(limit.total_seconds()):
                yield
        except (TimeoutError, httpx.TimeoutException) as error:
            text = f"{_shown(call.url)} took longer than {limit.total_seconds():g} s"
            raise Unavailable(self.system, text) from error
        except httpx.TransportError as error:
            raise Unavailable(self.system, f"{_shown(call.url)}: {str(error) or type(error).__name__}") from error

    @asynccontextmanager
    async def _answered(self, call: _Call) -> AsyncIterator[httpx.Response]:
        """The first answer that is not a redirect."""
        self._check(call.url)
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._transport.handle_async_request(_as_request(call))
            try:
                following = self._redirected(call, response)
                if following is None:
                    yield response
                    return
                call = following
            finally:
                await response.aclose()
        raise Refused(self.system, f"more than {_MAX_REDIRECTS} redirects, the last to {_shown(call.url)}")

    def _check(self, url: httpx.URL) -> Target:
        if url.userinfo:
            raise Refused(self.system, f"{_shown(url)}: an address with a user name in it is not allowed")
        target = _target(url)
        if (objection := self._rules.objection(target)) is not None:
            raise Refused(self.system, f"{_shown(url)}: {objection}")
        return target

    def _redirected(self, call: _Call, response: httpx.Response) -> _Call | None:
        location = response.headers.get("location")
        if response.status_code not in _REDIRECTS or not location:
            return None
        url = call.url.join(self._parsed(location))
        old, new = _target(call.url), self._check(url)
        if old.scheme == "https" and new.scheme == "http":
            raise Refused(self.system, f"{_shown(call.url)} redirects to {_shown(url)}, which is not encrypted")
        if self._rules.trusts(new.host, new.port) and not self._rules.trusts(old.host, old.port):
            raise Refused(self.system, f"{_shown(call.url)} redirects into the private network, to {_shown(url)}")
        return self._following(call, response.status_code, url, new.origin == old.origin)

    def _following(self, call: _Call, status: int, url: httpx.URL, same_origin: bool) -> _Call:
        headers = call.headers if same_origin else _harmless(call.headers)
        if status in _KEEPS_METHOD or call.method in ("GET", "HEAD"):
            if call.json is not None and not same_origin:
                raise Refused(self.system, f"{_shown(call.url)} wants the request's body sent to {_shown(url)}")
            return replace(call, url=url, headers=headers)
        return _Call("GET", url, headers, None)

    async def _body(self, response: httpx.Response, most: int) -> AsyncIterator[bytes]:
        """The decoded body. Refused as soon as it is, or says it will be, larger than `most`."""
        declared = response.headers.get("content-length", "")
        if declared.isdigit() and int(declared[:20]) > most:
            raise TooLarge(self.system, f"the answer has {declared} bytes, more than {most}")
        try:
            inflater = Inflater(response.headers.get("content-encoding", ""))
            size = 0
            async for raw in _stream(response):
                for part in inflater.feed(raw):
                    size += len(part)
                    if size > most:
                        raise TooLarge(self.system, f"the answer has more than {most} bytes")
                    yield part
            inflater.finish()
        except BadEncoding as error:
            raise Malformed(self.system, f"the answer's body is garbled: {error}") from error


def _stream(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it travels; httpx's own decoding would inflate without a limit."""
    return typing.cast(httpx.AsyncByteStream, response.stream).__aiter__()


@cache
def _public_authorities() -> ssl.SSLContext:
    """Loading the authorities takes tens of milliseconds; once per process is enough."""
    return httpx.create_ssl_context(trust_env=False)


def _as_request(call: _Call) -> httpx.Request:
    return httpx.Request(call.method, call.url, headers=dict(call.headers), json=call.json)


def _target(url: httpx.URL) -> Target:
    host = url.raw_host.decode("ascii").lower().rstrip(".")
    return Target(url.scheme, host, url.port or default_port(url.scheme))


def _shown(url: httpx.URL) -> str:
    """An address for people: the query may hold a key, the user part a password."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))[:300]


def _lowered(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {name.lower(): value for name, value in (headers or {}).items()}


def _joined(headers: httpx.Headers) -> dict[str, str]:
    return {name.lower(): headers[name] for name in headers}


def _harmless(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name in _HARMLESS_HEADERS}


async def _written(parts: AsyncIterator[bytes], target: Path) -> tuple[int, str]:
    digest = hashlib.md5(usedforsecurity=False)
    size = 0
    with appearing(target) as file:

        def write(block: bytes) -> None:
            digest.update(block)
            file.write(block)

        async for block in _blocks(parts):
            size += len(block)
            await asyncio.to_thread(write, block)
    return size, digest.hexdigest()


async def _blocks(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The parts in larger pieces, so that the disk is visited off the event loop but not for every packet."""
    held = bytearray()
    async for part in parts:
        held += part
        if len(held) >= _WRITE_AT_ONCE:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
