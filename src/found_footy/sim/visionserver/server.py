"""The simulated server: `/v1/chat/completions` and what clients ask besides, and `/sim` to change and watch it.

It sees nothing: it says what it was told to, by a function of the pictures or by a list in the order of the questions.
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

from found_footy.sim.visionserver.script import Json, Mode, Said, lied, text_of

Answerer = Callable[[Sequence[bytes]], Sequence[Said]]

_MODEL = "simulated-vision"
_JPEG, _PNG = b"\xff\xd8\xff", b"\x89PNG"
_PREFIXES = ("data:image/jpeg;base64,", "data:image/png;base64,")

# Status, type and message, as the real servers word them.
_REFUSALS: dict[Mode, tuple[int, str, str]] = {
    Mode.LOADING: (503, "unavailable_error", "Loading model"),
    Mode.BUSY: (429, "rate_limit_error", "server busy, please try again"),
    Mode.CRASHED: (500, "server_error", "the model crashed"),
    Mode.NO_VISION: (500, "server_error", "image input is not supported - hint: provide the mmproj"),
    Mode.CONTEXT: (400, "exceed_context_size_error", "the request exceeds the available context size"),
    Mode.DENIED: (401, "authentication_error", "Invalid API Key"),
    Mode.NO_MODEL: (404, "not_found_error", f"model not found; there is only {_MODEL}"),
}


def _football(pictures: Sequence[bytes]) -> Sequence[Said]:
    return [Said() for _ in pictures]


@dataclass
class Tally:
    """What was asked so far. `at_once` is now, `most_at_once` the highest it ever was."""

    questions: int = 0
    pictures: int = 0
    at_once: int = 0
    most_at_once: int = 0


class VisionServer:
    """`answer` says what is seen in the pictures of a question; `mode` how it is said; `delay` how long that takes.

    All three may be changed while it serves. What `script` holds is said first, one entry per picture, and whatever
    `mode` is set with `last` goes back to plain answers after that many questions.
    """

    def __init__(self, answer: Answerer = _football, *, mode: Mode = Mode.PLAIN, delay: float = 0.0) -> None:
        self.answer = answer
        self.mode = mode
        self.delay = delay
        self.tally = Tally()
        self.asked: list[Json] = []
        self.script: deque[Said] = deque()
        self.last: int | None = None
        self._said_so_far = 0
        self._key: str | None = None
        self.app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._complete, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/health", self._health),
                Route("/props", self._props),
                Route("/sim/state", self._state),
                Route("/sim/mode", self._change, methods=["POST"]),
                Route("/sim/answers", self._prompt, methods=["POST"]),
                Route("/sim/reset", self._reset, methods=["POST"]),
            ]
        )

    def require(self, key: str) -> None:
        """Answer only who brings this key."""
        self._key = key

    async def _complete(self, request: Request) -> Response:
        self.tally.questions += 1
        self.tally.at_once += 1
        self.tally.most_at_once = max(self.tally.most_at_once, self.tally.at_once)
        try:
            return await self._answered(request)
        finally:
            self.tally.at_once -= 1

    async def _answered(self, request: Request) -> Response:
        if self._key is not None and request.headers.get("authorization") != f"Bearer {self._key}":
            return _refused(*_REFUSALS[Mode.DENIED])
        body: Json = await request.json()
        self.asked.append(body)
        try:
            pictures = pictures_in(body)
        except ValueError as error:
            return _refused(400, "invalid_request_error", str(error))
        self.tally.pictures += len(pictures)
        mode = self._mode_now()
        await asyncio.sleep(3600 if mode is Mode.SLOW else self.delay)
        return self._said(mode, pictures)

    def _mode_now(self) -> Mode:
        """The mode of this question, which may be the last one in it."""
        mode = self.mode
        if self.last is not None:
            self.last -= 1
            if self.last <= 0:
                self.mode, self.last = Mode.PLAIN, None
        return mode

    def _said(self, mode: Mode, pictures: Sequence[bytes]) -> Response:
        if mode is Mode.ONE_PICTURE and len(pictures) > 1:
            return _refused(400, "invalid_request_error", "At most 1 image(s) may be provided in one prompt.")
        if mode in _REFUSALS:
            return _refused(*_REFUSALS[mode])
        if mode is Mode.HTML:
            return HTMLResponse("<html><title>Sign in to the hotel network</title></html>")
        if mode is Mode.HALF_BODY:
            return _HalfBody()
        if mode is Mode.FLOOD:
            return Response(b'{"choices":"' + b"a" * 3_000_000, media_type="application/json")
        return JSONResponse(completion(mode, text_of(mode, self._seen(mode, pictures))))

    def _seen(self, mode: Mode, pictures: Sequence[bytes]) -> list[Said]:
        """What is said of the pictures: the script as far as it goes, then the answer."""
        answers = [self.script.popleft() if self.script else said for said in self.answer(pictures)]
        first = self._said_so_far
        self._said_so_far += len(answers)
        if mode is not Mode.LYING:
            return answers
        return [lied(said, first + index) for index, said in enumerate(answers)]

    async def _models(self, request: Request) -> Response:
        del request
        if self.mode in (Mode.LOADING, Mode.CRASHED, Mode.DENIED):
            return _refused(*_REFUSALS[self.mode])
        return JSONResponse({"object": "list", "data": [{"id": _MODEL, "object": "model"}]})

    async def _health(self, request: Request) -> Response:
        del request
        loading = self.mode is Mode.LOADING
        return _refused(*_REFUSALS[Mode.LOADING]) if loading else JSONResponse({"status": "ok"})

    async def _props(self, request: Request) -> Response:
        del request
        return JSONResponse({"modalities": {"vision": self.mode is not Mode.NO_VISION}, "total_slots": 2})

    async def _state(self, request: Request) -> Response:
        del request
        scripted = {"scripted": len(self.script), "last": self.last}
        return JSONResponse({"mode": self.mode, "delay": self.delay, **scripted, **vars(self.tally)})

    async def _change(self, request: Request) -> Response:
        """Any of `mode`, `delay`, and `questions`: how many the mode lasts; without it, until it is changed again."""
        wanted: Json = await request.json()
        try:
            mode, delay = Mode(wanted.get("mode", self.mode)), float(wanted.get("delay", self.delay))
            last = int(wanted["questions"]) if "questions" in wanted else None
        except (TypeError, ValueError) as error:
            return _refused(400, "invalid_request_error", str(error))
        self.mode, self.delay, self.last = mode, delay, last
        return await self._state(request)

    async def _prompt(self, request: Request) -> Response:
        """A list of what to say, one object per picture; fields that are left out have their usual answer."""
        try:
            told = [Said(**said) for said in await request.json()]
        except TypeError as error:
            return _refused(400, "invalid_request_error", str(error))
        self.script.extend(told)
        return await self._state(request)

    async def _reset(self, request: Request) -> Response:
        """Plain answers at once, nothing scripted, nothing counted but what is being asked now."""
        self.mode, self.delay, self.last = Mode.PLAIN, 0.0, None
        self.script.clear()
        self.asked.clear()
        self.tally = Tally(at_once=self.tally.at_once, most_at_once=self.tally.at_once)
        return await self._state(request)


def pictures_in(body: Json) -> list[bytes]:
    """The pictures of a question, decoded. ValueError for what the real servers would not take."""
    parts = [
        part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
    ]
    return [_decoded(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]


def _decoded(uri: str) -> bytes:
    prefix = next((prefix for prefix in _PREFIXES if uri.startswith(prefix)), None)
    if prefix is None:
        raise ValueError("invalid image input")
    try:
        content = base64.b64decode(uri.removeprefix(prefix), validate=True)
    except binascii.Error as error:
        raise ValueError("invalid image input") from error
    if not content.startswith((_JPEG, _PNG)):
        raise ValueError("Failed to load image or audio file")
    return content


def completion(mode: Mode, text: str) -> Json:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if mode is Mode.SILENT:
        message = {"role": "assistant", "content": None, "reasoning_content": "Let me think about this frame..."}
    finish = "length" if mode in (Mode.CUT, Mode.SILENT) else "stop"
    choices = [] if mode is Mode.NO_CHOICES else [{"index": 0, "finish_reason": finish, "message": message}]
    return {"id": "chatcmpl-simulated", "object": "chat.completion", "model": _MODEL, "choices": choices}


def _refused(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"error": {"code": status, "type": kind, "message": message}}, status)


class _HalfBody(Response):
    """Promises more than it sends, so that the connection ends in the middle."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"choices": [', "more_body": False})
