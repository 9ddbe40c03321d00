"""The socket of the page. `up` binds it to check the port, and needs nothing else of the server for that."""

import socket

from found_footy.platform.errors import ConfigError
from found_footy.web.settings import WebSettings

_LISTEN_BACKLOG = 512
_PORT_HINT = "set FOOTY_WEB__PORT to a free port, or 0 for any"


def bind_socket(settings: WebSettings) -> socket.socket:
    """Bind the socket at once, so that a port in use is reported as a plain error."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it a response takes 40 ms longer.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((settings.host, settings.port))
        opened.listen(_LISTEN_BACKLOG)
    except OSError as error:
        opened.close()
        reason = error.strerror or str(error)
        raise ConfigError(
            f"cannot serve the page on {settings.host}:{settings.port}: {reason}; {_PORT_HINT}"
        ) from error
    opened.setblocking(False)
    return opened
