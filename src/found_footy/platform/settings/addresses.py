"""Addresses of other systems as settings: validated when read, shown without credentials."""

import re
from collections.abc import Callable
from typing import Annotated
from urllib.parse import SplitResult, unquote, urlsplit

from pydantic import AfterValidator

from found_footy.platform.settings.environment import DisplayFormat

_URL_PATTERN = re.compile(r"(\b[a-z][a-z0-9+.-]*://)(\S+)", re.IGNORECASE)
# Text before the last @ is a user and a password, not the beginning of a path such as x.com/@somebody.
_USERINFO_PATTERN = re.compile(r"[^/?#@]*:|[^/?#]*$")
_PARAMETER_PATTERN = re.compile(r"([^=;?&#]*)=")
_SECRET_NAME_PATTERN = re.compile(
    r"pass|pwd|secret|token|key|credential|signature|^sig$|session|mechanismproperties|^auth$|bearer", re.IGNORECASE
)
_REDACTED = "***"
_HOST_PATTERN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?\.?")
_IPV6_PATTERN = re.compile(r"\[[0-9A-Fa-f:.]+\]")
_MAX_PORT = 65_535
DEFAULT_PORTS = {"http": 80, "https": 443}


def redact_credentials(text: str) -> str:
    """Redact user, password and secret parameters of every URL in `text`, for logs and errors."""
    return _URL_PATTERN.sub(lambda found: found.group(1) + _redact_authority(found.group(2)), text)


def redact_address(address: str) -> str:
    """Redact everything in one address, however malformed, that could be a credential."""
    scheme, separator, rest = address.partition("://") if "://" in address else ("", "", address)
    return f"{scheme}{separator}{_redact_authority(rest, strict=True)}"


def _redact_authority(rest: str, *, strict: bool = False) -> str:
    """Redact what follows the scheme. If a question mark precedes the last @, either may belong to a secret."""
    before, at, after = rest.rpartition("@")
    if not at or not (strict or _USERINFO_PATTERN.match(before)):
        return _redact_parameters(rest)
    if "?" in before:
        return _REDACTED
    return f"{_REDACTED}@{_redact_parameters(after)}"


def _redact_parameters(text: str) -> str:
    """Redact secret parameters. A secret extends to the next &, whatever it contains."""
    place, mark, query = text.partition("?")
    return place + mark + "&".join(_redact_parameter(one) for one in query.split("&"))


def _redact_parameter(text: str) -> str:
    for found in _PARAMETER_PATTERN.finditer(text):
        if _SECRET_NAME_PATTERN.search(unquote(found.group(1))):
            return text[: found.end()] + _REDACTED
    return text


def split_host_port(text: str) -> tuple[str, int]:
    """Raises ValueError unless `text` is host:port, with an IPv6 host in brackets."""
    host, separator, port = text.strip().rpartition(":")
    if not separator or not (_HOST_PATTERN.fullmatch(host) or _IPV6_PATTERN.fullmatch(host)):
        raise ValueError("accepted is host:port, such as 127.0.0.1:7233")
    if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) <= _MAX_PORT):
        raise ValueError(f"the port must be a number from 1 to {_MAX_PORT}")
    return host, int(port)


def host_and_port(url: str) -> str:
    """Return the host:port of a validated http:// or https:// URL, with an IPv6 host in brackets."""
    parts = urlsplit(url)
    return format_host_port(parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme])


def format_host_port(host: str, port: int) -> str:
    """Return host:port, with an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _validate_host_port(text: str) -> str:
    host, port = split_host_port(text)
    return f"{host}:{port}"


def _validate_mongo_uri(text: str) -> str:
    parts = _split_url(text, ("mongodb", "mongodb+srv"), "mongodb://127.0.0.1:27017")
    hosts = parts.netloc.rpartition("@")[2].split(",")
    for host in hosts:
        # A UNIX socket is written percent-encoded in place of a host.
        if unquote(host).endswith(".sock") or _HOST_PATTERN.fullmatch(host) or _IPV6_PATTERN.fullmatch(host):
            continue
        split_host_port(host)
    return text.strip()


def _url_validator(schemes: tuple[str, ...], example: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        parts = _split_url(text, schemes, example)
        host = parts.netloc.rpartition("@")[2]
        if not (_HOST_PATTERN.fullmatch(host) or _IPV6_PATTERN.fullmatch(host)):
            split_host_port(host)
        return text.strip().rstrip("/")

    return check


def _validate_nats_urls(text: str) -> str:
    check = _url_validator(("nats", "tls", "ws", "wss"), "nats://127.0.0.1:4222")
    return ",".join(check(part) for part in text.split(","))


def _split_url(text: str, schemes: tuple[str, ...], example: str) -> SplitResult:
    accepted = " or ".join(f"{scheme}://…" for scheme in schemes[:2])
    parts = _try_parse_url(text.strip())
    if parts is None or parts.scheme not in schemes:
        raise ValueError(f"accepted is {accepted}, such as {example}")
    if not parts.netloc.rpartition("@")[2]:
        raise ValueError(f"the host is missing; accepted is {accepted}, such as {example}")
    return parts


def _try_parse_url(text: str) -> SplitResult | None:
    if any(character.isspace() for character in text):
        return None
    try:
        return urlsplit(text)
    except ValueError:
        return None


_REDACTED_DISPLAY = DisplayFormat(redact_address, redacts=True)

HostPort = Annotated[str, AfterValidator(_validate_host_port)]
"""host:port, checked."""

MongoUri = Annotated[str, AfterValidator(_validate_mongo_uri), _REDACTED_DISPLAY]
"""A mongodb:// or mongodb+srv:// address; its credentials are never shown."""

HttpUrl = Annotated[str, AfterValidator(_url_validator(("http", "https"), "http://127.0.0.1:8333")), _REDACTED_DISPLAY]
"""An http:// or https:// address without its trailing slash; credentials in it are never shown."""

NatsUrl = Annotated[str, AfterValidator(_validate_nats_urls), _REDACTED_DISPLAY]
"""One or more nats:// addresses, with commas between; their credentials are never shown."""
