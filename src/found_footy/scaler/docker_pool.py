"""Instances as containers of a compose service, through a proxy of Docker's API.

Compose has created the containers beforehand; the scaler lists, starts and stops them and can create none. A proxy that
allows these three requests gives nobody control over the machine, which Docker's socket would. docs/scaling.md names
the requests.
"""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from found_footy.platform.errors import Malformed, NotFound, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.settings.addresses import host_and_port

SYSTEM = "Docker"
_PROJECT_LABEL = "com.docker.compose.project"
_SERVICE_LABEL = "com.docker.compose.service"
_NUMBER_LABEL = "com.docker.compose.container-number"
_ONE_OFF_LABEL = "com.docker.compose.oneoff"
_CALL_TIMEOUT = timedelta(seconds=20)
_HTTP_OK, _HTTP_NO_CONTENT, _HTTP_NOT_MODIFIED = 200, 204, 304
_MAX_ERROR_LENGTH = 200
# "restarting" comes back by itself.
_RUNNING_STATES = frozenset({"running", "restarting"})


class ContainerListing(BaseModel):
    """One entry of Docker's answer to GET /containers/json."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(alias="Id", pattern=r"^[0-9a-f]{12,64}$")
    state: str = Field(alias="State")
    labels: dict[str, str] = Field(alias="Labels", default_factory=dict)

    @property
    def number(self) -> int:
        text = self.labels.get(_NUMBER_LABEL, "")
        return int(text) if text.isdigit() else 0

    @property
    def is_running(self) -> bool:
        return self.state in _RUNNING_STATES


_LISTINGS = TypeAdapter(list[ContainerListing])


@dataclass(frozen=True)
class ComposeService:
    project: str
    name: str
    stop_grace: timedelta


class DockerPool:
    """The containers of one compose service. `url` is that of the proxy."""

    def __init__(self, url: str, service: ComposeService) -> None:
        self._url = url
        self._service = service
        host = host_and_port(url)
        self._http = SafeHttpClient(
            system=SYSTEM,
            allowed_hosts=[host],
            trusted_private=[host],
            # Docker answers a stop when the container has ended.
            timeout=_CALL_TIMEOUT + service.stop_grace,
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def count_running(self) -> int:
        return sum(one.is_running for one in await self._list_containers())

    async def count_places(self) -> int:
        return len(await self._list_containers())

    async def resize(self, count: int) -> None:
        """Containers with a low number run before those with a higher one."""
        containers = await self._list_containers()
        running = [one for one in containers if one.is_running]
        if count > len(running):
            stopped = [one for one in containers if not one.is_running]
            await self._run_all(f"/containers/{one.id}/start" for one in stopped[: count - len(running)])
        else:
            grace = int(self._service.stop_grace.total_seconds())
            await self._run_all(f"/containers/{one.id}/stop?t={grace}" for one in running[count:])

    async def _list_containers(self) -> list[ContainerListing]:
        labels = [f"{_PROJECT_LABEL}={self._service.project}", f"{_SERVICE_LABEL}={self._service.name}"]
        labels.append(f"{_ONE_OFF_LABEL}=False")
        answer = await self._http.request(
            "GET",
            f"{self._url}/containers/json",
            params={"all": "true", "filters": json.dumps({"label": labels}, separators=(",", ":"))},
        )
        _require_status(answer, "the list of containers", {_HTTP_OK})
        try:
            found = _LISTINGS.validate_json(answer.body)
        except ValidationError as error:
            raise Malformed(SYSTEM, f"the list of containers: {str(error)[:_MAX_ERROR_LENGTH]}") from error
        if not found:
            raise NotFound(
                f"compose has created no container of {self._service.name} in the project {self._service.project}: "
                "run `docker compose --profile managed create`"
            )
        return sorted(found, key=lambda one: (one.number, one.id))

    async def _run_all(self, paths: Iterable[str]) -> None:
        """All at once: several that drain take no longer than one."""
        answers = await asyncio.gather(
            *(self._http.request("POST", f"{self._url}{path}") for path in paths), return_exceptions=True
        )
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
            _require_status(answer, "a change of a container", {_HTTP_NO_CONTENT, _HTTP_NOT_MODIFIED})


def _require_status(answer: HttpResponse, what: str, accepted: set[int]) -> None:
    if answer.status not in accepted:
        text = answer.body[:_MAX_ERROR_LENGTH].decode("utf-8", "replace").strip()
        raise Unavailable(SYSTEM, f"{what}: status {answer.status} ({text})")
