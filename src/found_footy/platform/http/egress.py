"""Egress rules: hosts that outgoing requests may reach, and network addresses that they must not reach (SSRF). Pure."""

import ipaddress
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from found_footy.platform.settings.addresses import DEFAULT_PORTS, format_host_port

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# "*.com" would allow every .com host.
_MIN_WILDCARD_LABELS = 2
# URL parsers disagree on control characters, blanks and backslashes, which most SSRF tricks use.
_AMBIGUOUS_CHARACTERS = frozenset(map(chr, range(0x21))) | {"\x7f", "\\"}


@dataclass(frozen=True)
class RequestTarget:
    """The target of a URL after parsing: a lower-case ASCII host and the port that will be connected to."""

    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)

    @property
    def host_port(self) -> str:
        return format_host_port(self.host, self.port)


class EgressRules:
    """Allowed are `host` (on its scheme's default port), `host:port`, and `*.suffix` (subdomains, default port).

    Only a `host:port` in `trusted` may have a private address.
    """

    def __init__(self, allowed: Collection[str], trusted: Collection[str] = ()) -> None:
        if isinstance(allowed, str) or isinstance(trusted, str):
            raise TypeError("host rules are collections of hosts, not one text")
        entries = [entry.strip().lower() for entry in allowed]
        self._suffixes = tuple(_parse_wildcard(entry) for entry in entries if entry.startswith("*"))
        exact = [_parse_host_rule(entry) for entry in entries if not entry.startswith("*")]
        self._hosts = frozenset(host for host, port in exact if port is None)
        self._host_ports = frozenset((host, port) for host, port in exact if port is not None)
        self._trusted = frozenset(_parse_trusted_host(entry.strip().lower()) for entry in trusted)

    def find_violation(self, target: RequestTarget) -> str | None:
        """Return why this target may not be contacted; None if it may."""
        if target.scheme not in DEFAULT_PORTS:
            return f"the scheme {target.scheme or '(none)'} is not http or https"
        if (target.host, target.port) in self._host_ports:
            return None
        if target.host not in self._hosts and not target.host.endswith(self._suffixes or ("\0",)):
            return f"{target.host or 'an empty host'} is not an allowed host"
        if target.port != DEFAULT_PORTS[target.scheme]:
            return f"{target.host_port} is not allowed, only the default port of {target.host} is"
        return None

    def is_trusted(self, host: str, port: int) -> bool:
        return (host.lower().rstrip("."), port) in self._trusted

    def forbidden_addresses(self, host: str, port: int, addresses: Iterable[str]) -> list[str]:
        """Return the addresses of `host` that must not be connected to."""
        return (
            [] if self.is_trusted(host, port) else [address for address in addresses if not is_public_address(address)]
        )


def default_port(scheme: str) -> int:
    """Return the default port of a scheme; 0 for one that is not allowed."""
    return DEFAULT_PORTS.get(scheme, 0)


def is_ambiguous_url(url: str) -> bool:
    """Whether two parsers might disagree on the target of `url`."""
    return any(character in _AMBIGUOUS_CHARACTERS for character in url)


def is_public_address(address: str) -> bool:
    """Whether an IP address, and any IPv4 address embedded in it, belongs to the public internet."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = _embedded_ipv4(ip)
        if inner is None:
            return ip in _GLOBAL_UNICAST and ip.is_global and not ip.is_multicast
        ip = inner
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _embedded_ipv4(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address inside a mapped, 6to4, Teredo or NAT64 address."""
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


def _parse_wildcard(entry: str) -> str:
    suffix = entry[1:].rstrip(".")
    if not suffix.startswith(".") or "*" in suffix or suffix.count(".") < _MIN_WILDCARD_LABELS:
        raise ValueError(f"{entry} is not a host rule; a wildcard is written *.example.org")
    return suffix


def _parse_host_rule(entry: str) -> tuple[str, int | None]:
    if entry.startswith("["):
        host, _, rest = entry[1:].partition("]")
        port = rest.removeprefix(":")
    elif entry.count(":") > 1:
        host, port = entry, ""
    else:
        host, _, port = entry.partition(":")
    if not host or not (port == "" or port.isdigit()):
        raise ValueError(f"{entry!r} is not a host rule; accepted is host, host:port or *.suffix")
    return host.rstrip("."), int(port) if port else None


def _parse_trusted_host(entry: str) -> tuple[str, int]:
    host, port = _parse_host_rule(entry)
    if port is None:
        raise ValueError(f"{entry!r} needs a port: trust is given to host:port, not to a whole machine")
    return host, port
