"""Proxies whose X-Forwarded-For header is trusted."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator

_IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


def _validate_network(value: str) -> str:
    try:
        return str(ipaddress.ip_network(value, strict=False))
    except ValueError as error:
        raise ValueError(f"{value} is neither an address nor a network such as 10.0.0.0/8") from error


NetworkText = Annotated[str, AfterValidator(_validate_network)]
"""An address, or a network with its prefix length."""


def as_seen(networks: Sequence[str]) -> list[str]:
    """Return the networks, and IPv4 ones also in their IPv6-mapped form, which a dual-stack socket reports."""
    found = [ipaddress.ip_network(one) for one in networks]
    mapped = [f"::ffff:{one.network_address}/{96 + one.prefixlen}" for one in found if one.version == 4]
    return [*map(str, found), *mapped]


class TrustedProxies:
    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks: tuple[_IpNetwork, ...] = tuple(ipaddress.ip_network(one) for one in as_seen(networks))
        self._is_trusted = lru_cache(maxsize=1024)(self._is_in_networks)

    def __contains__(self, host: object) -> bool:
        return isinstance(host, str) and bool(self._networks) and self._is_trusted(host)

    def _is_in_networks(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._networks)
