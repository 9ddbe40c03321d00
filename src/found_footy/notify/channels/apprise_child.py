"""Sends one message with Apprise: `python -m found_footy.notify.channels.apprise_child`, JSON in and out.

It runs as a separate process, so that it can be killed at any time and loads its plug-ins nowhere else. An audit hook
refuses every connection to an address that is not public, whoever opens it and whatever a name was resolved to, unless
the owner allows that host and port. It writes no files: Apprise keeps its state in memory.
"""

import importlib
import ipaddress
import json
import socket
import sys
from typing import Any

from found_footy.platform.http.egress import is_public_address
from found_footy.platform.settings.addresses import split_host_port

_MAX_TEXT_LENGTH = 500


class ConnectionGuard:
    """Refuses connections to addresses that are neither public nor allowed."""

    def __init__(self, trusted: list[str]) -> None:
        self._trusted = {place for host_port in trusted for place in _resolve_place(host_port)}
        self.refused: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            return
        address = arguments[1] if len(arguments) > 1 else None
        if event != "socket.connect" and address is None:
            return  # the socket is connected: that was checked
        place = (str(address[0]), int(address[1])) if isinstance(address, tuple) else (str(address), 0)
        if (_normalize(place[0]), place[1]) not in self._trusted and not is_public_address(place[0]):
            self.refused.append(place[0])
            raise PermissionError(f"{place[0]} is not a public address")


def _resolve_place(host_port: str) -> list[tuple[str, int]]:
    host, port = split_host_port(host_port)
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [(_normalize(str(address[0])), port) for *_, address in found]


def _normalize(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host.partition("%")[0]))
    except ValueError:
        return host.lower()


def send_message(order: dict[str, Any], guard: ConnectionGuard) -> dict[str, Any]:
    apprise = importlib.import_module("apprise")
    asset = apprise.AppriseAsset(storage_mode="memory", http_redirects=False, async_mode=False)
    with apprise.LogCapture(level=apprise.logging.INFO, fmt="%(message)s") as log:
        sender = apprise.Apprise(asset=asset)
        if not sender.add(order["url"]):
            return {"outcome": "unusable", "text": _last_lines(log.getvalue())}
        sent = sender.notify(title=order["title"], body=order["body"], body_format=apprise.NotifyFormat.TEXT)
        text = _last_lines(log.getvalue())
    if guard.refused:
        return {"outcome": "refused", "text": f"{guard.refused[0]} is not a public address"}
    return {"outcome": "sent" if sent else "failed", "text": text}


def _last_lines(log: str) -> str:
    return " ".join(log.split())[-_MAX_TEXT_LENGTH:]


def main() -> None:
    order = json.load(sys.stdin)
    guard = ConnectionGuard(list(order["trusted"]))
    sys.addaudithook(guard)
    sys.stdout.write(json.dumps(send_message(order, guard)))


if __name__ == "__main__":
    main()
