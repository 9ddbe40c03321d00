"""A channel: where messages are sent to. Every call has a time limit, a size limit and typed errors."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Protocol

from found_footy.notify.errors import MessageRejected, UnknownOutcome
from found_footy.notify.facts import MessageText, NotifiedGoal
from found_footy.notify.moments import Moment
from found_footy.notify.outbox import ChannelTraits
from found_footy.platform.clock import Clock
from found_footy.platform.errors import (
    Denied,
    ExternalSystemError,
    Malformed,
    RateLimited,
    TooLarge,
    Unavailable,
    Unreachable,
)
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.retry_after import parse_retry_after
from found_footy.platform.settings.addresses import host_and_port

_REDACTED = "***"
_MAX_SHOWN_BODY = 300
_DEFAULT_WAIT_SECONDS, _MAX_WAIT_SECONDS = 30.0, 3600.0
_SUCCESS, _AFTER_SUCCESS, _SERVER_ERROR = 200, 300, 500
_TOO_MANY_REQUESTS = 429
_DENIED_STATUSES = frozenset({401, 403})
_TIMED_OUT_STATUSES = frozenset({408, 425})


@dataclass(frozen=True)
class ChannelMessage:
    """What is sent. `id` is the same for every repetition of the message; `goal_id` for all messages about a goal.
    A test message has no goal.
    """

    id: str
    goal_id: str
    text: MessageText
    at: datetime
    moments: tuple[Moment, ...] = ()
    facts: NotifiedGoal | None = None


class NotifyChannel(Protocol):
    traits: ClassVar[ChannelTraits]

    async def send(self, message: ChannelMessage) -> str | None:
        """Send a new message; returns its id if the channel gives one by which it can be edited."""
        ...

    async def edit(self, message_id: str, message: ChannelMessage) -> None: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True)
class CallLimits:
    """The limits of every call of a channel, and the private addresses that the owner allows."""

    timeout: timedelta
    max_bytes: int
    trusted_hosts: Collection[str] = ()


class ChannelHttp:
    """Requests of one channel to one host. No error repeats `secrets`: addresses of channels are credentials."""

    def __init__(self, system: str, url: str, limits: CallLimits, secrets: Collection[str], now: Clock) -> None:
        self.system = system
        self._now = now
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)
        self._client = SafeHttpClient(
            system=system,
            allowed_hosts=[host_and_port(url)],
            trusted_private=limits.trusted_hosts,
            timeout=limits.timeout,
            max_bytes=limits.max_bytes,
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def call(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        json_body: Any = None,
        content: bytes | None = None,
    ) -> HttpResponse:
        """Make one request and return its answer, of whatever status."""
        try:
            return await self._client.request(
                method, url, params=params, headers=headers, json=json_body, content=content
            )
        except Unreachable as error:
            raise Unreachable(self.system, self.redact(error.message)) from None
        except (Unavailable, Malformed, TooLarge) as error:
            raise UnknownOutcome(self.system, self.redact(error.message)) from None
        except ExternalSystemError as error:
            raise type(error)(self.system, self.redact(error.message)) from None

    def check(self, response: HttpResponse, wait_seconds: float | None = None) -> None:
        """Raise the error that the status stands for. `wait_seconds` is what the body asks for."""
        status = response.status
        if _SUCCESS <= status < _AFTER_SUCCESS:
            return
        text = f"status {status}: {self.redact(_show_body(response.body))}".rstrip(": ")
        if status == _TOO_MANY_REQUESTS:
            default = _DEFAULT_WAIT_SECONDS if wait_seconds is None else min(wait_seconds, _MAX_WAIT_SECONDS)
            asked = parse_retry_after(response.headers, self._now(), default=default, max_seconds=_MAX_WAIT_SECONDS)
            raise RateLimited(self.system, text, max(asked, default if wait_seconds is not None else 0.0))
        if status >= _SERVER_ERROR or status in _TIMED_OUT_STATUSES:
            raise Unavailable(self.system, text)
        if status in _DENIED_STATUSES:
            raise Denied(self.system, text)
        raise MessageRejected(self.system, text)

    def redact(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _REDACTED)
        return text


def _show_body(body: bytes) -> str:
    text = body[: 4 * _MAX_SHOWN_BODY].decode("utf-8", "replace")
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:_MAX_SHOWN_BODY]


def encode_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
