"""Finds a free TCP port on loopback."""

import secrets
import socket

from found_footy.platform.errors import ConfigError

# Above the ports of the embedded servers, below the ephemeral port range.
_FREE_PORT_RANGE = range(23_000, 32_000)
_MAX_PORT_ATTEMPTS = 100


def find_free_port() -> int:
    """Find a free port outside the ephemeral range: the caller binds it only later."""
    for _ in range(_MAX_PORT_ATTEMPTS):
        port = secrets.choice(_FREE_PORT_RANGE)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ConfigError(f"no free port between {_FREE_PORT_RANGE[0]} and {_FREE_PORT_RANGE[-1]}")
