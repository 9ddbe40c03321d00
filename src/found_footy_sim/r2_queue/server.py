"""The HTTP endpoints of the simulated queue: `messages/pull` and `messages/ack`.

Messages are leased: one that is neither acknowledged nor asked for again comes back when its lease ends, and is deleted
after too many attempts.
"""

import base64
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

Json = dict[str, Any]

_MAX_BATCH = 100
_DEFAULT_BATCH = 5
_DEFAULT_LEASE_SECONDS = 30.0
_AUTHENTICATION_ERROR = 10_000


class BodyForm(StrEnum):
    """How the body of a message is sent. `PLAIN_JSON` is not documented, but seen."""

    BASE64_JSON = "json"
    BYTES = "bytes"
    TEXT = "text"
    PLAIN_JSON = "plain"
    V8 = "v8"


class QueueFault(StrEnum):
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    NOT_JSON = "not_json"
    NO_RESULT = "no_result"


@dataclass
class SimulatedMessage:
    id: str
    body: str
    form: BodyForm
    attempts: int = 0
    ready_at: float = 0.0
    lease_id: str = ""


@dataclass
class R2Queue:
    """One queue of one account. `deleted` holds the ids of messages that were given up after too many attempts."""

    account: str = "account1"
    queue: str = "queue1"
    token: str = "simulated-token"  # noqa: S105
    max_retries: int = 3
    clock: Callable[[], float] = time.monotonic
    messages: list[SimulatedMessage] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    faults: list[QueueFault] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        base = "/client/v4/accounts/{account}/queues/{queue}/messages"
        routes = [
            Route(f"{base}/pull", self._handle_pull, methods=["POST"]),
            Route(f"{base}/ack", self._handle_ack, methods=["POST"]),
        ]
        return Starlette(routes=routes)

    def add(self, notification: Json | str, form: BodyForm = BodyForm.BASE64_JSON) -> str:
        """Put a notification into the queue; returns the id of its message."""
        text = notification if isinstance(notification, str) else json.dumps(notification)
        encoded = form in (BodyForm.BASE64_JSON, BodyForm.BYTES, BodyForm.V8)
        body = base64.b64encode(text.encode()).decode() if encoded else text
        message = SimulatedMessage(secrets.token_hex(16), body, form)
        self.messages.append(message)
        return message.id

    async def _handle_pull(self, request: Request) -> Response:
        refusal = await self._refuse(request)
        return refusal or self._pull(self.requests[-1]["body"])

    async def _handle_ack(self, request: Request) -> Response:
        refusal = await self._refuse(request)
        return refusal or self._ack(self.requests[-1]["body"])

    async def _refuse(self, request: Request) -> Response | None:
        self.requests.append({"path": request.url.path, "body": await request.json()})
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return _build_error(401, _AUTHENTICATION_ERROR, "Authentication error")
        asked = request.path_params
        if (asked["account"], asked["queue"]) != (self.account, self.queue):
            return _build_error(404, 11_000, "queue not found")
        if not self.faults:
            return None
        answers: dict[QueueFault, Response] = {
            QueueFault.RATE_LIMITED: _build_error(429, 10_100, "Please wait", {"retry-after": "1"}),
            QueueFault.SERVER_ERROR: PlainTextResponse("upstream connect error", 502),
            QueueFault.NOT_JSON: PlainTextResponse("<html>"),
            QueueFault.NO_RESULT: JSONResponse({"success": True, "errors": [], "messages": [], "result": None}),
        }
        return answers[self.faults.pop(0)]

    def _pull(self, asked: Json) -> Response:
        limit = min(int(asked.get("batch_size", _DEFAULT_BATCH)), _MAX_BATCH)
        lease = asked.get("visibility_timeout_ms")
        seconds = lease / 1000 if lease else _DEFAULT_LEASE_SECONDS
        self._delete_exhausted()
        ready = [message for message in self.messages if message.ready_at <= self.clock()][:limit]
        for message in ready:
            message.attempts += 1
            message.ready_at = self.clock() + seconds
            message.lease_id = f"lease-{secrets.token_hex(12)}"
        rows = [_describe_message(message) for message in ready]
        return _build_result({"message_backlog_count": len(self.messages), "messages": rows})

    def _delete_exhausted(self) -> None:
        spent = [m for m in self.messages if m.attempts > self.max_retries and m.ready_at <= self.clock()]
        self.deleted += [message.id for message in spent]
        self.messages = [message for message in self.messages if message not in spent]

    def _ack(self, asked: Json) -> Response:
        """Late acknowledgements count; leases that are not known are warned of."""
        by_lease = {message.lease_id: message for message in self.messages if message.lease_id}
        done = [by_lease[row["lease_id"]] for row in asked.get("acks", []) if row["lease_id"] in by_lease]
        for row in asked.get("retries", []):
            if row["lease_id"] in by_lease:
                by_lease[row["lease_id"]].ready_at = self.clock() + row.get("delay_seconds", 0)
        self.acknowledged += [message.id for message in done]
        self.messages = [message for message in self.messages if message not in done]
        return _build_result({"ackCount": len(done), "retryCount": len(asked.get("retries", [])), "warnings": {}})


def _describe_message(message: SimulatedMessage) -> Json:
    kind = "json" if message.form is BodyForm.PLAIN_JSON else message.form.value
    return {
        "id": message.id,
        "timestamp_ms": 1_794_757_330_379,
        "attempts": message.attempts,
        "lease_id": message.lease_id,
        "body": message.body,
        "metadata": {"CF-Content-Type": kind, "CF-sourceMessageSource": "event-notification"},
    }


def _build_result(result: Json) -> Response:
    return JSONResponse({"success": True, "errors": [], "messages": [], "result": result})


def _build_error(status: int, code: int, message: str, headers: dict[str, str] | None = None) -> Response:
    body = {"success": False, "errors": [{"code": code, "message": message}], "messages": [], "result": None}
    return JSONResponse(body, status, headers)
