"""The reader that asks a vision model."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from found_footy.platform.errors import ExternalSystemError, Malformed
from found_footy.platform.http.chat_completion import extract_message_text
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.logs import ActionLogger
from found_footy.vision.errors import VisionDenied, VisionMisconfigured, VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames, Frame
from found_footy.vision.llm.answers import parse_answers, sanitize_text
from found_footy.vision.llm.chat_completions import build_request
from found_footy.vision.llm.circuit_breaker import CircuitBreaker
from found_footy.vision.llm.prompt import PROMPT_TEMPLATE
from found_footy.vision.verdict import FrameReading, Verdict, decide_verdict, find_time_to_confirm, is_middle_needed

logger = ActionLogger(__name__)

LeaseFactory = Callable[[], AbstractAsyncContextManager[None]]

_STATUS_OK, _STATUS_BAD_REQUEST, _STATUS_TOO_LARGE = 200, 400, 413
# A retry with the same key, model name or picture gets the same response.
_ACCESS_DENIED_STATUSES = frozenset({401, 403})
_PERMANENT_ERROR_STATUSES = frozenset({400, 404, 405, 413, 415, 422})
_MAX_MESSAGE_LENGTH = 200


@dataclass(frozen=True)
class LlmOptions:
    """`url` is the server's address without /v1. `width` is the width of the pictures that are sent."""

    url: str
    model: str = "qwen3-vl"
    width: int = 1280
    template: str = PROMPT_TEMPLATE


class LlmReader:
    """Sends one request for the frames of a clip if the server accepts several pictures, else one per frame.

    Does not retry. Each request first enters `acquire_lease`, by which the caller limits concurrent requests.
    """

    def __init__(
        self,
        http: SafeHttpClient,
        options: LlmOptions,
        breaker: CircuitBreaker,
        acquire_lease: LeaseFactory = nullcontext,
    ) -> None:
        self._http = http
        self._acquire_lease = acquire_lease
        self._options = options
        self.breaker = breaker
        self._sends_several_frames = True
        self.name = f"llm {options.model}"

    async def aclose(self) -> None:
        await self._http.aclose()

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        del broadcast
        if not clip.outer_frames:
            raise VisionUnavailable(self.name, "the clip has no frames")
        answers = await self._read_frames(clip.outer_frames)
        if is_middle_needed(answers) and (middle := (await clip.with_middle()).middle_frame) is not None:
            answers += await self._read_frames((middle,))
        if (at := find_time_to_confirm(answers, expected)) is not None:
            beside = (await clip.with_neighbour(at)).require_neighbour(at).frame
            # Only its clock is used: the other frames have decided the rest.
            answers += (
                [replace(one, soccer=None, screen=None) for one in await self._read_frames((beside,))] if beside else []
            )
        return decide_verdict(self.name, answers, expected)

    async def check_ready(self) -> None:
        """Raises VisionUnavailable if the server does not list its models."""
        answer = await self._send_guarded("GET", "/v1/models", None)
        if answer.status != _STATUS_OK:
            raise self._response_error(answer)

    async def _read_frames(self, frames: Sequence[Frame]) -> list[FrameReading]:
        if len(frames) > 1 and self._sends_several_frames:
            try:
                return await self._request_readings(frames)
            except _TooManyFrames as error:
                # The same server will not accept several pictures next time either.
                self._sends_several_frames = False
                logger.warning("one picture per request from now on: %s", error, action="vision_one_by_one")
        return [answer for frame in frames for answer in await self._request_readings((frame,))]

    async def _request_readings(self, frames: Sequence[Frame]) -> list[FrameReading]:
        body = await asyncio.to_thread(
            build_request, frames, self._options.model, self._options.width, self._options.template
        )
        answer = await self._send_guarded("POST", "/v1/chat/completions", body)
        if answer.status != _STATUS_OK:
            refusal = self._response_error(answer, len(frames))
            if not isinstance(refusal, VisionMisconfigured):
                self.breaker.record_failure()
            raise refusal
        try:
            found = parse_answers(
                self.name, extract_message_text(self.name, answer.json()), [frame.at for frame in frames]
            )
        except Malformed as error:
            self.breaker.record_failure()
            raise VisionUnavailable(self.name, error.message) from error
        self.breaker.record_success()
        return found

    async def _send_guarded(self, method: str, path: str, body: dict[str, Any] | None) -> HttpResponse:
        if not self.breaker.allow_request():
            raise VisionUnavailable(self.name, f"has not answered for {self.breaker.downtime.total_seconds():.0f} s")
        try:
            async with self._acquire_lease():
                return await self._send_request(method, path, body)
        except VisionUnavailable:
            raise
        except ExternalSystemError as error:
            raise VisionUnavailable(self.name, error.message) from error

    async def _send_request(self, method: str, path: str, body: dict[str, Any] | None) -> HttpResponse:
        try:
            return await self._http.request(method, self._options.url.rstrip("/") + path, json=body)
        except ExternalSystemError as error:
            self.breaker.record_failure()
            raise VisionUnavailable(self.name, error.message) from error

    def _response_error(self, answer: HttpResponse, frame_count: int = 1) -> VisionUnavailable:
        text = f"status {answer.status}: {_format_error_body(answer)}"
        if answer.status in (_STATUS_BAD_REQUEST, _STATUS_TOO_LARGE) and frame_count > 1:
            return _TooManyFrames(self.name, text)
        if answer.status in _ACCESS_DENIED_STATUSES:
            return VisionDenied(self.name, text)
        return (VisionMisconfigured if answer.status in _PERMANENT_ERROR_STATUSES else VisionUnavailable)(
            self.name, text
        )


class _TooManyFrames(VisionMisconfigured):
    """A request with several pictures was denied; one picture may be accepted."""


def _format_error_body(answer: HttpResponse) -> str:
    return " ".join(
        sanitize_text(answer.body[: 2 * _MAX_MESSAGE_LENGTH].decode("utf-8", "replace"), _MAX_MESSAGE_LENGTH).split()
    )
