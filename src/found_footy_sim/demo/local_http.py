"""Requests to the demo's own processes."""

from datetime import timedelta
from typing import Any

from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.settings.addresses import host_and_port

_STATUS_OK = 200
_STATUS_NOT_FOUND = 404
_REQUEST_TIMEOUT = timedelta(seconds=30)
_MAX_RESPONSE_BYTES = 64 * 2**20


async def request_json(method: str, url: str, json: Any = None) -> Any:
    """Return the JSON response of a process of the demo. Raises NotFound if it does not know the URL."""
    host = host_and_port(url)
    http = SafeHttpClient(
        system=host,
        allowed_hosts={host},
        trusted_private={host},
        timeout=_REQUEST_TIMEOUT,
        max_bytes=_MAX_RESPONSE_BYTES,
    )
    try:
        answer = await http.request(method, url, json=json)
    finally:
        await http.aclose()
    if answer.status == _STATUS_NOT_FOUND:
        raise NotFound(f"{url} is not known")
    if answer.status != _STATUS_OK:
        raise Unavailable(host, f"{url} answered {answer.status}")
    return answer.json()
