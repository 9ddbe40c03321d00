"""What an organization's programs send: to the API, and straight to the store. A refused request is sent again."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote

from found_footy.platform.errors import ExternalSystemError, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.objects import ObjectStore
from found_footy.platform.settings.addresses import host_and_port

T = TypeVar("T")

_REQUEST_TIMEOUT = timedelta(seconds=60)
_MAX_RESPONSE_BYTES = 2**20
_RETRY_SECONDS = 0.5
# Longer than any server of the demo takes to come back.
_PERSISTENCE_SECONDS = 300.0
_TRY_AGAIN = (
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)
_CONTENT_TYPE = "application/octet-stream"


@dataclass(frozen=True)
class UploadApiAnswer:
    status: int
    body: Any

    @property
    def detail(self) -> str:
        return str(self.body.get("detail", "")) if isinstance(self.body, dict) else ""


@dataclass
class OrganizationClient:
    """`internal_errors` counts answers of 500: with a server away, 503 is the right one."""

    base_url: str
    organization_id: str
    key: str
    notification_secret: str
    store: ObjectStore
    internal_errors: int = 0
    _http: SafeHttpClient = field(init=False)

    def __post_init__(self) -> None:
        hosts = {host_and_port(self.base_url), host_and_port(self.store.endpoint)}
        self._http = SafeHttpClient(
            system="page",
            allowed_hosts=hosts,
            trusted_private=hosts,
            timeout=_REQUEST_TIMEOUT,
            max_bytes=_MAX_RESPONSE_BYTES,
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def upload(self, name: str, data: bytes) -> UploadApiAnswer:
        return await self._request("PUT", self._path(name), data)

    async def delete(self, name: str) -> UploadApiAnswer:
        return await self._request("DELETE", self._path(name))

    async def get(self, name: str) -> UploadApiAnswer:
        return await self._request("GET", self._path(name))

    async def get_list(self) -> UploadApiAnswer:
        """Return the newest images."""
        return await self._request("GET", f"{self.base_url}/api/v1/organizations/{self.organization_id}/uploads")

    async def upload_presigned(self, name: str, data: bytes) -> UploadApiAnswer:
        """Ask the API for an address, and send the bytes there."""
        signed = await self._request("POST", f"{self._path(name)}/presigned", json={"size": len(data)})
        if signed.status != HTTPStatus.OK:
            return signed
        return await self._persist(lambda: self._http.request("PUT", signed.body["url"], content=data))

    async def notify(self, body: bytes) -> UploadApiAnswer:
        headers = {"authorization": f"Bearer {self.notification_secret}", "content-type": "application/json"}
        url = f"{self.base_url}/api/v1/notifications/objects"
        return await self._persist(lambda: self._http.request("POST", url, headers=headers, content=body))

    async def put_to_store(self, name: str, data: bytes) -> None:
        key = f"{self.organization_id}/{name}"
        await persist(lambda: self.store.put_bytes(key, data, content_type=_CONTENT_TYPE))

    async def remove_from_store(self, name: str) -> None:
        await persist(lambda: self.store.delete(f"{self.organization_id}/{name}"))

    def _path(self, name: str) -> str:
        return f"{self.base_url}/api/v1/organizations/{self.organization_id}/uploads/{quote(name, safe='')}"

    async def _request(self, method: str, url: str, content: bytes | None = None, json: Any = None) -> UploadApiAnswer:
        headers = {"authorization": f"Bearer {self.key}"}
        return await self._persist(lambda: self._http.request(method, url, headers=headers, content=content, json=json))

    async def _persist(self, send: Callable[[], Awaitable[HttpResponse]]) -> UploadApiAnswer:
        async def send_once() -> UploadApiAnswer:
            found = await send()
            self.internal_errors += found.status == HTTPStatus.INTERNAL_SERVER_ERROR
            if found.status in _TRY_AGAIN:
                raise Unavailable("page", f"answered {found.status}")
            return UploadApiAnswer(
                found.status, found.json() if "json" in found.headers.get("content-type", "") else None
            )

        return await persist(send_once)


async def persist(call: Callable[[], Awaitable[T]]) -> T:
    """Call until it succeeds, as programs do that must not lose an image."""
    deadline = time.monotonic() + _PERSISTENCE_SECONDS
    while True:
        try:
            return await call()
        except ExternalSystemError:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(_RETRY_SECONDS)
