"""The connection pool of the safe HTTP client: resolves hosts itself and connects to checked addresses only."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain, zip_longest
from typing import Any

import httpcore

from found_footy.platform.errors import Refused
from found_footy.platform.http.egress import EgressRules

HostResolver = Callable[[str, int], Awaitable[list[str]]]
"""Resolves a host to its addresses as text, best first."""

_MAX_CONNECTIONS = 100
_MAX_KEEPALIVE_CONNECTIONS = 20
_KEEPALIVE_SECONDS = 15.0
# Connect timeout per address while the host has others. A lost first packet is sent again after one second; the last
# address may use the rest of the call's deadline.
_CONNECT_SECONDS_PER_ADDRESS = 2.0


async def resolve_host(host: str, port: int) -> list[str]:
    """Resolve `host` with this machine's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def build_pinned_pool(
    system: str, rules: EgressRules, resolve: HostResolver, tls: ssl.SSLContext
) -> httpcore.AsyncConnectionPool:
    """Build a pool that rejects, when connecting, every address that `rules` do not allow."""
    return httpcore.AsyncConnectionPool(
        ssl_context=tls,
        max_connections=_MAX_CONNECTIONS,
        max_keepalive_connections=_MAX_KEEPALIVE_CONNECTIONS,
        keepalive_expiry=_KEEPALIVE_SECONDS,
        network_backend=_PinnedBackend(system, rules, resolve),
    )


def interleave_address_families(addresses: Sequence[str]) -> list[str]:
    """Alternate IPv6 and IPv4, each in its order (RFC 8305, section 4): if one family is unreachable, only one of its
    addresses is tried before the other family.
    """
    first = [each for each in addresses if (":" in each) is (":" in addresses[0])]
    others = [each for each in addresses if each not in first]
    return [each for each in chain.from_iterable(zip_longest(first, others)) if each is not None]


class _PinnedBackend(httpcore.AsyncNetworkBackend):
    def __init__(self, system: str, rules: EgressRules, resolve: HostResolver) -> None:
        self._system = system
        self._rules = rules
        self._resolve = resolve
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the interface is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        failure: httpcore.NetworkError | httpcore.TimeoutException | None = None
        addresses = interleave_address_families(await self._resolve_allowed(host, port))
        for place, address in enumerate(addresses, 1):
            limit = (
                timeout
                if place == len(addresses)
                else min(timeout or _CONNECT_SECONDS_PER_ADDRESS, _CONNECT_SECONDS_PER_ADDRESS)
            )
            try:
                return await self._network.connect_tcp(address, port, limit, local_address, socket_options)
            except (httpcore.NetworkError, httpcore.TimeoutException) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host} has no address")

    async def _resolve_allowed(self, host: str, port: int) -> list[str]:
        """Resolve a host. One forbidden address rejects the whole host: it is either an attack or a mistake."""
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} cannot be resolved ({error})") from error
        if forbidden := self._rules.forbidden_addresses(host, port, addresses):
            raise Refused(self._system, f"{host} has the address {forbidden[0]}, which is not public")
        return addresses

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
