"""Asking a vision model."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from found_footy.platform.errors import Malformed, OutsideError
from found_footy.platform.http import HttpAnswer, SafeHttp
from found_footy.vision.errors import VisionDenied, VisionMisconfigured, VisionUnavailable
from found_footy.vision.frames import ClipFrames, Expected, Frame
from found_footy.vision.llm.answers import parse_answers, shown
from found_footy.vision.llm.breaker import Breaker
from found_footy.vision.llm.prompt import PROMPT
from found_footy.vision.llm.wire import answer_text, request_body
from found_footy.vision.verdict import FrameAnswer, Verdict, decide, needs_middle, worth_confirming

log = logging.getLogger(__name__)

Turn = Callable[[], AbstractAsyncContextManager[None]]

_OK, _BAD_REQUEST, _TOO_LARGE = 200, 400, 413
# Asking again with the same key, name or picture gets the same answer.
_DENIED = frozenset({401, 403})
_PERMANENT = frozenset({400, 404, 405, 413, 415, 422})
_LONGEST_MESSAGE = 200


@dataclass(frozen=True)
class LlmOptions:
    """`url` is the server's address without /v1. `width` is that of the pictures that are sent."""

    url: str
    model: str = "qwen3-vl"
    width: int = 1280
    template: str = PROMPT


class LlmReader:
    """One request for the frames of a clip, where the server takes several pictures at once; else one per frame.

    Does not try again by itself. Each question waits for its `turn`, by which the caller limits how many are asked
    at once.
    """

    def __init__(self, http: SafeHttp, options: LlmOptions, breaker: Breaker, turn: Turn = nullcontext) -> None:
        self._http = http
        self._turn = turn
        self._options = options
        self.breaker = breaker
        self._together = True
        self.name = f"llm {options.model}"

    async def aclose(self) -> None:
        await self._http.aclose()

    async def read(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        del broadcast
        if not clip.outer:
            raise VisionUnavailable(self.name, "the clip has no frames")
        answers = await self._answers(clip.outer)
        if needs_middle(answers) and (middle := (await clip.whole()).middle) is not None:
            answers += await self._answers((middle,))
        if (at := worth_confirming(answers, expected)) is not None:
            beside = (await clip.with_beside(at)).beside(at).frame
            # Asked for its clock only: on the rest the others have voted.
            answers += (
                [replace(one, soccer=None, screen=None) for one in await self._answers((beside,))] if beside else []
            )
        return decide(self.name, answers, expected)

    async def ready(self) -> None:
        """VisionUnavailable if the server does not list its models."""
        answer = await self._exchange("GET", "/v1/models", None)
        if answer.status != _OK:
            raise self._refusal(answer)

    async def _answers(self, frames: Sequence[Frame]) -> list[FrameAnswer]:
        if len(frames) > 1 and self._together:
            try:
                return await self._ask(frames)
            except _TooMuch as error:
                # The same server will not take them next time either.
                self._together = False
                log.warning("one picture per question from now on: %s", error, extra={"action": "vision_one_by_one"})
        return [answer for frame in frames for answer in await self._ask((frame,))]

    async def _ask(self, frames: Sequence[Frame]) -> list[FrameAnswer]:
        body = await asyncio.to_thread(request_body, frames, self._options.model, self._options.width,
                                       self._options.template)  # fmt: skip
        answer = await self._exchange("POST", "/v1/chat/completions", body)
        if answer.status != _OK:
            refusal = self._refusal(answer, len(frames))
            if not isinstance(refusal, VisionMisconfigured):
                self.breaker.failed()
            raise refusal
        try:
            found = parse_answers(self.name, answer_text(self.name, answer.json()), [frame.at for frame in frames])
        except Malformed as error:
            self.breaker.failed()
            raise VisionUnavailable(self.name, error.message) from error
        self.breaker.succeeded()
        return found

    async def _exchange(self, method: str, path: str, body: dict[str, Any] | None) -> HttpAnswer:
        if not self.breaker.admits():
            raise VisionUnavailable(self.name, f"has not answered for {self.breaker.down_for.total_seconds():.0f} s")
        try:
            async with self._turn():
                return await self._request(method, path, body)
        except VisionUnavailable:
            raise
        except OutsideError as error:
            raise VisionUnavailable(self.name, error.message) from error

    async def _request(self, method: str, path: str, body: dict[str, Any] | None) -> HttpAnswer:
        try:
            return await self._http.request(method, self._options.url.rstrip("/") + path, json=body)
        except OutsideError as error:
            self.breaker.failed()
            raise VisionUnavailable(self.name, error.message) from error

    def _refusal(self, answer: HttpAnswer, frames: int = 1) -> VisionUnavailable:
        text = f"status {answer.status}: {_complaint(answer)}"
        if answer.status in (_BAD_REQUEST, _TOO_LARGE) and frames > 1:
            return _TooMuch(self.name, text)
        if answer.status in _DENIED:
            return VisionDenied(self.name, text)
        return (VisionMisconfigured if answer.status in _PERMANENT else VisionUnavailable)(self.name, text)


class _TooMuch(VisionMisconfigured):
    """Refused with several pictures; may be taken with one."""


def _complaint(answer: HttpAnswer) -> str:
    return " ".join(shown(answer.body[: 2 * _LONGEST_MESSAGE].decode("utf-8", "replace"), _LONGEST_MESSAGE).split())
