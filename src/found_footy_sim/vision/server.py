"""The simulated server: `/v1/chat/completions` and the other endpoints that clients use, and `/sim` to control it.

It analyzes no picture: a function of the pictures, or a list in the order of the requests, supplies the answers.
"""

import asyncio
import base64
import binascii
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from found_footy_sim.vision.answers import Json, SimulatedAnswer, VisionMode, build_text, distort_answer

PictureAnswerer = Callable[[Sequence[bytes]], Sequence[SimulatedAnswer]]

_MODEL_NAME = "simulated-vision"
_JPEG_MAGIC, _PNG_MAGIC = b"\xff\xd8\xff", b"\x89PNG"
_DATA_URI_PREFIXES = ("data:image/jpeg;base64,", "data:image/png;base64,")

# Status, type and message, as the real servers word them.
_ERROR_BY_MODE: dict[VisionMode, tuple[int, str, str]] = {
    VisionMode.LOADING: (503, "unavailable_error", "Loading model"),
    VisionMode.BUSY: (429, "rate_limit_error", "server busy, please try again"),
    VisionMode.CRASHED: (500, "server_error", "the model crashed"),
    VisionMode.NO_VISION: (500, "server_error", "image input is not supported - hint: provide the mmproj"),
    VisionMode.CONTEXT: (400, "exceed_context_size_error", "the request exceeds the available context size"),
    VisionMode.DENIED: (401, "authentication_error", "Invalid API Key"),
    VisionMode.NO_MODEL: (404, "not_found_error", f"model not found; there is only {_MODEL_NAME}"),
}


def _answer_football(pictures: Sequence[bytes]) -> Sequence[SimulatedAnswer]:
    return [SimulatedAnswer() for _ in pictures]


@dataclass
class VisionTally:
    """Counts of requests so far. `at_once` is the current number, `most_at_once` its peak."""

    questions: int = 0
    pictures: int = 0
    at_once: int = 0
    most_at_once: int = 0


class VisionServer:
    """`answer` supplies what is seen in the pictures of a request; `mode` how it is returned; `delay` how long that
    takes.

    All three may be changed while it serves. Entries of `script` are used first, one per picture; a `mode` set with
    `questions_left` reverts to plain answers after that many requests.
    """

    def __init__(
        self, answer: PictureAnswerer = _answer_football, *, mode: VisionMode = VisionMode.PLAIN, delay: float = 0.0
    ) -> None:
        self.answer = answer
        self.mode = mode
        self.delay = delay
        self.tally = VisionTally()
        self.request_bodies: list[Json] = []
        self.script: deque[SimulatedAnswer] = deque()
        self.questions_left: int | None = None
        self._frames_answered = 0
        self._required_key: str | None = None
        self.app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._complete, methods=["POST"]),
                Route("/v1/models", self._get_models),
                Route("/health", self._get_health),
                Route("/props", self._get_props),
                Route("/sim/state", self._get_state),
                Route("/sim/mode", self._set_mode, methods=["POST"]),
                Route("/sim/answers", self._add_answers, methods=["POST"]),
                Route("/sim/reset", self._reset_state, methods=["POST"]),
            ]
        )

    def require_key(self, key: str) -> None:
        """Answer only requests with this key."""
        self._required_key = key

    async def _complete(self, request: Request) -> Response:
        self.tally.questions += 1
        self.tally.at_once += 1
        self.tally.most_at_once = max(self.tally.most_at_once, self.tally.at_once)
        try:
            return await self._answer_request(request)
        finally:
            self.tally.at_once -= 1

    async def _answer_request(self, request: Request) -> Response:
        if self._required_key is not None and request.headers.get("authorization") != f"Bearer {self._required_key}":
            return _error_response(*_ERROR_BY_MODE[VisionMode.DENIED])
        body: Json = await request.json()
        self.request_bodies.append(body)
        try:
            pictures = decode_pictures(body)
        except ValueError as error:
            return _error_response(400, "invalid_request_error", str(error))
        self.tally.pictures += len(pictures)
        mode = self._take_mode()
        await asyncio.sleep(3600 if mode is VisionMode.SLOW else self.delay)
        return self._build_response(mode, pictures)

    def _take_mode(self) -> VisionMode:
        """Return the mode of this request, which may be the last one in it."""
        mode = self.mode
        if self.questions_left is not None:
            self.questions_left -= 1
            if self.questions_left <= 0:
                self.mode, self.questions_left = VisionMode.PLAIN, None
        return mode

    def _build_response(self, mode: VisionMode, pictures: Sequence[bytes]) -> Response:
        if mode is VisionMode.ONE_PICTURE and len(pictures) > 1:
            return _error_response(400, "invalid_request_error", "At most 1 image(s) may be provided in one prompt.")
        if mode in _ERROR_BY_MODE:
            return _error_response(*_ERROR_BY_MODE[mode])
        if mode is VisionMode.HTML:
            return HTMLResponse("<html><title>Sign in to the hotel network</title></html>")
        if mode is VisionMode.HALF_BODY:
            return _HalfBodyResponse()
        if mode is VisionMode.FLOOD:
            return Response(b'{"choices":"' + b"a" * 3_000_000, media_type="application/json")
        return JSONResponse(build_completion(mode, build_text(mode, self._answer_frames(mode, pictures))))

    def _answer_frames(self, mode: VisionMode, pictures: Sequence[bytes]) -> list[SimulatedAnswer]:
        """Return the answers for the pictures: the script as far as it goes, then `answer`."""
        answers = [self.script.popleft() if self.script else answer for answer in self.answer(pictures)]
        first = self._frames_answered
        self._frames_answered += len(answers)
        if mode is not VisionMode.LYING:
            return answers
        return [distort_answer(answer, first + index) for index, answer in enumerate(answers)]

    async def _get_models(self, request: Request) -> Response:
        del request
        if self.mode in (VisionMode.LOADING, VisionMode.CRASHED, VisionMode.DENIED):
            return _error_response(*_ERROR_BY_MODE[self.mode])
        return JSONResponse({"object": "list", "data": [{"id": _MODEL_NAME, "object": "model"}]})

    async def _get_health(self, request: Request) -> Response:
        del request
        loading = self.mode is VisionMode.LOADING
        return _error_response(*_ERROR_BY_MODE[VisionMode.LOADING]) if loading else JSONResponse({"status": "ok"})

    async def _get_props(self, request: Request) -> Response:
        del request
        return JSONResponse({"modalities": {"vision": self.mode is not VisionMode.NO_VISION}, "total_slots": 2})

    async def _get_state(self, request: Request) -> Response:
        del request
        scripted = {"scripted": len(self.script), "last": self.questions_left}
        return JSONResponse({"mode": self.mode, "delay": self.delay, **scripted, **vars(self.tally)})

    async def _set_mode(self, request: Request) -> Response:
        """Any of `mode`, `delay`, and `questions`: for how many requests the mode lasts; without it, until it is
        changed again.
        """
        wanted: Json = await request.json()
        try:
            mode, delay = VisionMode(wanted.get("mode", self.mode)), float(wanted.get("delay", self.delay))
            last = int(wanted["questions"]) if "questions" in wanted else None
        except (TypeError, ValueError) as error:
            return _error_response(400, "invalid_request_error", str(error))
        self.mode, self.delay, self.questions_left = mode, delay, last
        return await self._get_state(request)

    async def _add_answers(self, request: Request) -> Response:
        """A list of answers, one object per picture; omitted fields have their usual value."""
        try:
            answers = [SimulatedAnswer(**fields) for fields in await request.json()]
        except TypeError as error:
            return _error_response(400, "invalid_request_error", str(error))
        self.script.extend(answers)
        return await self._get_state(request)

    async def _reset_state(self, request: Request) -> Response:
        """Revert to plain answers, clear the script, and reset the counts except for running requests."""
        self.mode, self.delay, self.questions_left = VisionMode.PLAIN, 0.0, None
        self.script.clear()
        self.request_bodies.clear()
        self.tally = VisionTally(at_once=self.tally.at_once, most_at_once=self.tally.at_once)
        return await self._get_state(request)


def decode_pictures(body: Json) -> list[bytes]:
    """Decode the pictures of a request. Raises ValueError for what the real servers would not accept."""
    parts = [
        part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
    ]
    return [_decode_data_uri(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]


def _decode_data_uri(uri: str) -> bytes:
    prefix = next((prefix for prefix in _DATA_URI_PREFIXES if uri.startswith(prefix)), None)
    if prefix is None:
        raise ValueError("invalid image input")
    try:
        content = base64.b64decode(uri.removeprefix(prefix), validate=True)
    except binascii.Error as error:
        raise ValueError("invalid image input") from error
    if not content.startswith((_JPEG_MAGIC, _PNG_MAGIC)):
        raise ValueError("Failed to load image or audio file")
    return content


def build_completion(mode: VisionMode, text: str) -> Json:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if mode is VisionMode.SILENT:
        message = {"role": "assistant", "content": None, "reasoning_content": "Let me think about this frame..."}
    finish = "length" if mode in (VisionMode.CUT, VisionMode.SILENT) else "stop"
    choices = [] if mode is VisionMode.NO_CHOICES else [{"index": 0, "finish_reason": finish, "message": message}]
    return {"id": "chatcmpl-simulated", "object": "chat.completion", "model": _MODEL_NAME, "choices": choices}


def _error_response(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"error": {"code": status, "type": kind, "message": message}}, status)


class _HalfBodyResponse(Response):
    """Declares more bytes than it sends, so that the connection ends in the middle."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"choices": [', "more_body": False})
