"""The simulated service: `POST /client/v4/accounts/{account}/ai/run/{model}`, and `/sim` to control it.

It reads both documented forms of a request, the bytes of a picture or `{"image": [bytes as numbers]}`. A function of
the picture supplies the labels.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from io import BytesIO

from PIL import Image
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from found_footy_sim.workers_ai.faults import (
    ERROR_BY_FAULT,
    Json,
    WorkersAiFault,
    build_failure,
    build_success,
    distort_success,
)

MODEL = "@cf/microsoft/resnet-50"
_MAX_BODY_BYTES = 4 * 2**20
_SLOW_SECONDS = 3600
_NAMES = ("SOCCER BALL", "SCOREBOARD", "TELEVISION", "WEB SITE", "BALLPLAYER", "PERSIAN CAT", "FEATHER BOA", "ESPRESSO")
_SHARES = (0.4071170687675476, 0.23444877564907074, 0.22562485933303833, 0.033316344022750854, 0.024184171110391617)

Labeller = Callable[[bytes], Sequence[tuple[str, float]]]


def label_by_digest(picture: bytes) -> list[tuple[str, float]]:
    """Five labels that depend on the bytes of the picture alone."""
    start = hashlib.sha256(picture).digest()[0]
    return [(_NAMES[(start + index) % len(_NAMES)], share) for index, share in enumerate(_SHARES)]


class WorkersAiServer:
    """`fault` and `faults_left` may change while it serves: with `faults_left` a fault ends after as many answers.
    `pictures` are those received so far.
    """

    def __init__(self, token: str, account: str = "acc0", label: Labeller = label_by_digest) -> None:
        self.fault = WorkersAiFault.NONE
        self.faults_left: int | None = None
        self.retry_after: str | None = None
        self.requests = 0
        self.pictures: list[bytes] = []
        self._token = token
        self._account = account
        self._label = label
        self.app = Starlette(
            routes=[
                Route("/client/v4/accounts/{account}/ai/run/{model:path}", self._run_model, methods=["POST"]),
                Route("/sim/state", self._get_state),
                Route("/sim/fault", self._set_fault, methods=["POST"]),
            ]
        )

    async def _run_model(self, request: Request) -> Response:
        self.requests += 1
        if request.headers.get("authorization") != f"Bearer {self._token}":
            return self._fail(WorkersAiFault.UNAUTHENTICATED)
        if request.path_params["account"] != self._account:
            return self._fail(WorkersAiFault.UNAUTHORIZED)
        if request.path_params["model"] != MODEL:
            return self._fail(WorkersAiFault.NO_SUCH_MODEL)
        body = await request.body()
        fault = self._take_fault()
        if fault is WorkersAiFault.SLOW:
            await asyncio.sleep(_SLOW_SECONDS)
        if fault in ERROR_BY_FAULT:
            return self._fail(fault)
        return _break_answer(fault) or self._classify(fault, request.headers.get("content-type", ""), body)

    def _take_fault(self) -> WorkersAiFault:
        fault = self.fault
        if self.faults_left is not None:
            self.faults_left -= 1
            if self.faults_left <= 0:
                self.fault, self.faults_left = WorkersAiFault.NONE, None
        return fault

    def _classify(self, fault: WorkersAiFault, content_type: str, body: bytes) -> Response:
        if len(body) > _MAX_BODY_BYTES:
            return self._fail(WorkersAiFault.TOO_LARGE)
        if not body:
            return self._fail(WorkersAiFault.MISSING_BODY)
        try:
            picture = _read_picture(content_type, body)
        except (TypeError, ValueError, LookupError):
            return self._fail(WorkersAiFault.INVALID_TYPE)
        if not _is_readable(picture):
            return self._fail(WorkersAiFault.UNDECODABLE)
        self.pictures.append(picture)
        labels: list[Json] = [{"label": label, "score": score} for label, score in self._label(picture)]
        return JSONResponse(distort_success(fault, labels))

    def _fail(self, fault: WorkersAiFault) -> Response:
        status, code, message = ERROR_BY_FAULT[fault]
        headers = {"retry-after": self.retry_after} if self.retry_after is not None else None
        return JSONResponse(build_failure(code, message), status, headers)

    async def _get_state(self, request: Request) -> Response:
        del request
        return JSONResponse(
            {"fault": self.fault, "left": self.faults_left, "requests": self.requests, "pictures": len(self.pictures)}
        )

    async def _set_fault(self, request: Request) -> Response:
        """`fault`, and `answers`: for how many answers it lasts; without it, until it is changed again."""
        wanted: Json = await request.json()
        try:
            self.fault = WorkersAiFault(wanted["fault"])
            self.faults_left = int(wanted["answers"]) if "answers" in wanted else None
        except (LookupError, TypeError, ValueError) as error:
            return JSONResponse({"error": str(error)}, 400)
        return await self._get_state(request)


def _read_picture(content_type: str, body: bytes) -> bytes:
    """Raises ValueError for what is neither of the documented forms."""
    if content_type.partition(";")[0].strip() != "application/json":
        return body
    return bytes(json.loads(body)["image"])


def _is_readable(picture: bytes) -> bool:
    try:
        with Image.open(BytesIO(picture), formats=["JPEG", "PNG"]) as image:
            image.load()
    except (OSError, SyntaxError, ValueError):
        return False
    return True


def _break_answer(fault: WorkersAiFault) -> Response | None:
    """An answer that is no envelope at all."""
    match fault:
        case WorkersAiFault.GATEWAY_HTML:
            return HTMLResponse("<html><title>502 Bad Gateway</title></html>", 502)
        case WorkersAiFault.NOT_JSON:
            return PlainTextResponse("PERSIAN CAT")
        case WorkersAiFault.FLOOD:
            return Response(json.dumps(build_success([{"label": "A" * 3_000_000, "score": 0.5}])).encode())
        case WorkersAiFault.HALF_BODY:
            return _HalfBodyResponse()
        case _:
            return None


class _HalfBodyResponse(Response):
    """Declares more bytes than it sends, so that the connection ends in the middle."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"result": [', "more_body": False})
