"""Pulls R2's notifications from a Cloudflare queue over HTTP."""

import asyncio
import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field, ValidationError

from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Denied, ExternalSystemError, Malformed, NotFound, RateLimited, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.retry_after import parse_retry_after
from found_footy.platform.logs import ActionLogger
from found_footy.platform.wire import (
    LenientItems,
    LenientObject,
    LenientText,
    ValidItems,
    WireModel,
    describe_validation_error,
    parse_or_empty,
)
from found_footy.uploads.intake.notification_intake import NotificationIntake

SYSTEM = "Cloudflare Queues"
MAX_ANSWER_BYTES = 32 * 1024 * 1024
_BATCH_SIZE = 50
# Longer than storing a batch takes, also on a busy machine: a message whose lease has ended is delivered again.
_LEASE = timedelta(minutes=5)
_RETRY_DELAY = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(minutes=5)
_DEFAULT_WAIT_SECONDS = 30.0
_OK, _TOO_MANY_REQUESTS, _NOT_FOUND, _SERVER_ERROR = 200, 429, 404, 500
_DENIED_STATUSES = frozenset({401, 403})
_AUTHENTICATION_ERROR_CODE = 10_000
_TEXT, _UNDECODABLE = "text", "v8"

logger = ActionLogger(__name__)


class _Error(WireModel):
    code: int = 0
    message: LenientText = ""


class _Metadata(WireModel):
    content_type: LenientText = Field("", validation_alias="CF-Content-Type")


class _PulledMessage(WireModel):
    id: LenientText = ""
    lease_id: Annotated[str, Field(min_length=1)]
    body: Any = None
    metadata: LenientObject[_Metadata] = _Metadata()


class _PullResult(WireModel):
    messages: ValidItems[_PulledMessage]


class _Envelope(WireModel):
    success: bool = False
    errors: LenientItems[_Error] = ()
    result: Any = None


@dataclass(frozen=True)
class QueuedNotification:
    """`body` is the notification as bytes; None if it cannot be decoded, and then `raw` is what came."""

    lease_id: str
    body: bytes | None
    raw: bytes


class R2QueueClient:
    """Raises Denied for a token that is refused, RateLimited, NotFound for a queue that does not exist, else
    Unavailable or Malformed.
    """

    def __init__(self, http: SafeHttpClient, base: str, account: str, queue: str, token: str) -> None:
        self._http = http
        place = f"accounts/{quote(account, safe='')}/queues/{quote(queue, safe='')}/messages"
        self._url = f"{base.rstrip('/')}/{place}"
        self._headers = {"authorization": f"Bearer {token}"}

    async def pull(self, limit: int = _BATCH_SIZE) -> list[QueuedNotification]:
        """Return the messages that are ready, none if there are none."""
        body = {"batch_size": limit, "visibility_timeout_ms": int(_LEASE.total_seconds() * 1000)}
        result = await self._post("pull", body)
        try:
            found = _PullResult.model_validate(result)
        except ValidationError as error:
            raise Malformed(SYSTEM, describe_validation_error(error)) from None
        return [_decode_message(message) for message in found.messages]

    async def acknowledge(self, done: Sequence[str], again: Sequence[str] = ()) -> None:
        """Delete the messages with the leases `done`; those with the leases `again` come again later."""
        delay = int(_RETRY_DELAY.total_seconds())
        body = {
            "acks": [{"lease_id": lease} for lease in done],
            "retries": [{"lease_id": lease, "delay_seconds": delay} for lease in again],
        }
        await self._post("ack", body)

    async def _post(self, action: str, body: dict[str, Any]) -> Any:
        answer = await self._http.request("POST", f"{self._url}/{action}", headers=self._headers, json=body)
        envelope = _read_envelope(answer)
        _raise_for_failure(answer, envelope)
        return envelope.result


def _read_envelope(answer: HttpResponse) -> _Envelope:
    """Errors of a proxy in between have no envelope; their status says enough."""
    if answer.status == _OK:
        return parse_or_empty(_Envelope, answer.json())
    try:
        return parse_or_empty(_Envelope, answer.json())
    except Malformed:
        return _Envelope()


def _raise_for_failure(answer: HttpResponse, envelope: _Envelope) -> None:
    if answer.status == _OK and envelope.success:
        return
    first = envelope.errors[0] if envelope.errors else _Error()
    text = f"status {answer.status}, code {first.code}: {first.message[:200]}"
    if answer.status == _TOO_MANY_REQUESTS:
        raise RateLimited(SYSTEM, text, _read_wait(answer))
    if answer.status in _DENIED_STATUSES or first.code == _AUTHENTICATION_ERROR_CODE:
        raise Denied(SYSTEM, text)
    if answer.status == _NOT_FOUND:
        raise NotFound(f"{SYSTEM}: {text}")
    if answer.status >= _SERVER_ERROR:
        raise Unavailable(SYSTEM, text)
    raise Malformed(SYSTEM, text)


def _read_wait(answer: HttpResponse) -> float:
    longest = _LONGEST_PAUSE.total_seconds()
    return parse_retry_after(answer.headers, utc_now(), default=_DEFAULT_WAIT_SECONDS, max_seconds=longest)


def _decode_message(message: _PulledMessage) -> QueuedNotification:
    raw = message.body if isinstance(message.body, str) else json.dumps(message.body)
    return QueuedNotification(message.lease_id, _decode_body(message), raw.encode("utf-8", "replace"))


def _decode_body(message: _PulledMessage) -> bytes | None:
    """Bodies of the types json and bytes are documented as base64, but plain JSON is seen as well."""
    kind = message.metadata.content_type
    if kind == _UNDECODABLE:
        return None
    if not isinstance(message.body, str):
        return json.dumps(message.body).encode()
    if kind == _TEXT or _is_json(message.body):
        return message.body.encode("utf-8", "replace")
    try:
        return base64.b64decode(message.body, validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_json(text: str) -> bool:
    """Whether it is a JSON object; base64 may read as a JSON number."""
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


class R2Puller:
    """Moves notifications from the Cloudflare queue into ours, until cancelled."""

    def __init__(self, queue: R2QueueClient, intake: NotificationIntake, interval: timedelta) -> None:
        self._queue = queue
        self._intake = intake
        self._interval = interval

    async def run(self) -> None:
        failures = 0
        while True:
            try:
                moved = await self.move_batch()
                failures, pause = 0, timedelta(0) if moved else self._interval
            except (ExternalSystemError, NotFound) as error:
                failures += 1
                pause = self._choose_pause(error, failures)
                logger.warning("R2's queue: %s", error, action="r2_pull_failed", pause=pause.total_seconds())
            except Exception:
                failures += 1
                pause = self._choose_pause(None, failures)
                logger.exception("R2's queue: unexpected failure", action="r2_pull_failed")
            await asyncio.sleep(pause.total_seconds())

    def _choose_pause(self, error: Exception | None, failures: int) -> timedelta:
        if isinstance(error, RateLimited) and error.retry_after:
            return timedelta(seconds=error.retry_after)
        return min(self._interval * (1 << min(failures, 10)), _LONGEST_PAUSE)

    async def move_batch(self) -> int:
        """Move the messages that are ready; returns how many. They are deleted at Cloudflare only after our queue has
        stored them; those that it did not take come again.
        """
        done: list[str] = []
        again: list[str] = []
        failure: ExternalSystemError | None = None
        for message in await self._queue.pull():
            if failure is None:
                try:
                    await self._move(message)
                except ExternalSystemError as error:
                    failure = error
            (done if failure is None else again).append(message.lease_id)
        if done or again:
            await self._queue.acknowledge(done, again)
        if failure is not None:
            raise failure
        return len(done)

    async def _move(self, message: QueuedNotification) -> None:
        if message.body is None:
            await self._intake.park(message.raw, "the body of the queue's message cannot be decoded")
            return
        await self._intake.accept(message.body)
