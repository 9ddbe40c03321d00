"""Checks of a request's sender that our own HTTP services share. Header names are lower-case. Pure."""

import re
from collections.abc import Mapping

_FORWARDING_HEADERS = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
_LOOPBACK_ADDRESS = re.compile(r"::1|(::ffff:)?127(\.[0-9]{1,3}){3}")
_LOCAL_HOST_NAME = re.compile(r"(localhost|\[::1\]|127(\.[0-9]{1,3}){3})(:[0-9]{1,5})?", re.IGNORECASE)


def is_local_caller(peer: str, headers: Mapping[str, str]) -> bool:
    """Whether the request was sent on this machine. A proxy on this machine sends those of others, and names itself in
    a header.
    """
    return _LOOPBACK_ADDRESS.fullmatch(peer) is not None and not any(name in headers for name in _FORWARDING_HEADERS)


def has_local_host_name(headers: Mapping[str, str]) -> bool:
    """Whether the Host header names this machine. A page of another site whose name leads here keeps its own name
    (DNS rebinding).
    """
    return names_this_machine(headers.get("host", ""))


def names_this_machine(host: str) -> bool:
    """Whether a host, with or without a port, is a loopback address or localhost."""
    return _LOCAL_HOST_NAME.fullmatch(host) is not None


def is_same_origin(headers: Mapping[str, str]) -> bool:
    """Whether no page of another site sent the request. A browser names the page's origin; other clients need not.
    Behind a proxy the scheme may differ, so it is not compared.
    """
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host")
