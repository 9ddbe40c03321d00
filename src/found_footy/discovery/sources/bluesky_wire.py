"""Helpers to parse Bluesky's answers, for the search and the session."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from found_footy.platform.errors import ExternalSystemError, Malformed
from found_footy.platform.http.client import HttpResponse

SYSTEM = "Bluesky"
OK, BAD_REQUEST, TOO_MANY_REQUESTS = 200, 400, 429
REFUSED_STATUSES = (401, 403)
REFUSAL_COOLDOWN_SECONDS = 900.0
_DEFAULT_COOLDOWN_SECONDS = 60.0
_MAX_COOLDOWN_SECONDS = 3600.0
_ERROR_NAME = re.compile(r"[A-Za-z]{1,60}")


class SourceCooldown:
    """Repeats the error that started it, without a request, until the cooldown is over."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until = 0.0
        self._error: ExternalSystemError | None = None

    def raise_if_active(self) -> None:
        """Raise the error if the cooldown is active."""
        if self._error is not None and self._clock() < self._until:
            raise self._error

    def start(self, error: ExternalSystemError, seconds: float) -> ExternalSystemError:
        self._error, self._until = error, self._clock() + seconds
        return error


def require_object(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, dict):
        raise Malformed(SYSTEM, "the answer is not an object")
    return body


def nested_object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def clean_text(value: Any) -> str:
    """Text without lone surrogates, which JSON may contain and MongoDB cannot store."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def error_name(answer: HttpResponse) -> str:
    """The error's name; its message is not repeated, since it may contain anything."""
    try:
        name = clean_text(require_object(answer.json()).get("error"))
    except Malformed:
        return ""
    return name if _ERROR_NAME.fullmatch(name) else ""


def parse_retry_after(headers: Mapping[str, str], now: datetime) -> float:
    after, reset = headers.get("retry-after", ""), headers.get("ratelimit-reset", "")
    if after.isdecimal() and len(after) < 7:
        return min(float(after), _MAX_COOLDOWN_SECONDS)
    if reset.isdecimal() and len(reset) < 12:
        return min(max(int(reset) - now.timestamp(), 1.0), _MAX_COOLDOWN_SECONDS)
    return _DEFAULT_COOLDOWN_SECONDS
