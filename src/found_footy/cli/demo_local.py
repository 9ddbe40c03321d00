"""Asking the demo's own processes."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.http import SafeHttp

_OK = 200
_NOT_FOUND = 404
_TIMEOUT = timedelta(seconds=30)
_MOST_BYTES = 64 * 2**20


async def ask(method: str, url: str, json: Any = None) -> Any:
    """The JSON that a process of the demo answers; NotFound if it does not know the address."""
    host = urlsplit(url).netloc
    http = SafeHttp(system=host, allowed_hosts={host}, trusted_private={host}, timeout=_TIMEOUT, max_bytes=_MOST_BYTES)
    try:
        answer = await http.request(method, url, json=json)
    finally:
        await http.aclose()
    if answer.status == _NOT_FOUND:
        raise NotFound(f"{url} is not known")
    if answer.status != _OK:
        raise Unavailable(host, f"{url} answered {answer.status}")
    return answer.json()
