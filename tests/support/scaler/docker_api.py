"""Docker's API as a narrow proxy shows it: containers are listed, started and stopped; anything else is forbidden."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


@dataclass
class SimulatedContainer:
    """As `docker compose create` leaves it."""

    service: str
    number: int
    state: str = "created"
    project: str = "found-footy"
    one_off: bool = False

    @property
    def id(self) -> str:
        return f"{hash((self.project, self.service, self.number, self.one_off)) & (2**63 - 1):064x}"

    @property
    def labels(self) -> dict[str, str]:
        return {
            "com.docker.compose.project": self.project,
            "com.docker.compose.service": self.service,
            "com.docker.compose.container-number": str(self.number),
            "com.docker.compose.oneoff": str(self.one_off),
        }

    def to_wire(self) -> dict[str, Any]:
        name = f"/{self.project}-{self.service}-{self.number}"
        return {"Id": self.id, "Names": [name], "Image": "found-footy", "State": self.state, "Labels": self.labels}


@dataclass
class SimulatedDocker:
    """`broken` makes every answer the error of a daemon that hangs; `calls` lists the changes as they were made."""

    containers: list[SimulatedContainer]
    calls: list[str] = field(default_factory=list)
    graces: list[str] = field(default_factory=list)
    broken: bool = False

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/containers/json", self.list_containers, methods=["GET"]),
                Route("/containers/{id}/{change:str}", self._change, methods=["POST"]),
                Route("/{path:path}", self._forbid, methods=["GET", "POST", "PUT", "DELETE", "HEAD"]),
            ]
        )

    def running(self, service: str) -> list[int]:
        return [one.number for one in self.containers if one.service == service and one.state == "running"]

    async def list_containers(self, request: Request) -> Response:
        if self.broken:
            return JSONResponse({"message": "the daemon does not answer"}, 500)
        filters = json.loads(request.query_params.get("filters", "{}"))
        shown = [one for one in self.containers if _has_labels(one.labels, filters.get("label", []))]
        if request.query_params.get("all") != "true":
            shown = [one for one in shown if one.state == "running"]
        return JSONResponse([one.to_wire() for one in shown])

    async def _change(self, request: Request) -> Response:
        change, wanted = request.path_params["change"], request.path_params["id"]
        if change not in {"start", "stop"}:
            return await self._forbid(request)
        found = next((one for one in self.containers if one.id == wanted), None)
        if found is None:
            return JSONResponse({"message": f"No such container: {wanted}"}, 404)
        self.calls.append(f"{change} {found.service}-{found.number}")
        state = "running" if change == "start" else "exited"
        if change == "stop":
            self.graces.append(request.query_params.get("t", ""))
        if found.state == state:
            return Response(status_code=304)
        found.state = state
        return Response(status_code=204)

    async def _forbid(self, request: Request) -> Response:
        self.calls.append(f"forbidden {request.method} {request.url.path}")
        return Response("Forbidden", 403)


def _has_labels(labels: Mapping[str, str], wanted: list[str]) -> bool:
    return all(labels.get(name) == value for name, _, value in (one.partition("=") for one in wanted))
