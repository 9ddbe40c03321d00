"""What Bluesky's answers are read with, whoever asks."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from found_footy.platform.errors import Malformed, OutsideError
from found_footy.platform.http import HttpAnswer

SYSTEM = "Bluesky"
OK, BAD_REQUEST, TOO_MANY = 200, 400, 429
REFUSED = (401, 403)
REST_WHEN_REFUSED = 900.0
_DEFAULT_WAIT = 60.0
_LONGEST_WAIT = 3600.0
_ERROR_NAME = re.compile(r"[A-Za-z]{1,60}")


class Rest:
    """A time in which nothing is asked, because of the error that began it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until = 0.0
        self._error: OutsideError | None = None

    def check(self) -> None:
        """Raises that error while the time lasts."""
        if self._error is not None and self._clock() < self._until:
            raise self._error

    def begin(self, error: OutsideError, seconds: float) -> OutsideError:
        self._error, self._until = error, self._clock() + seconds
        return error


def object_of(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, dict):
        raise Malformed(SYSTEM, "the answer is not an object")
    return body


def part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def text(value: Any) -> str:
    """Text that every store and wire can carry: JSON may hold halves of characters."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def error_name(answer: HttpAnswer) -> str:
    """The word for what is wrong; its sentences are not repeated, since they may hold anything."""
    try:
        name = text(object_of(answer.json()).get("error"))
    except Malformed:
        return ""
    return name if _ERROR_NAME.fullmatch(name) else ""


def told_wait(headers: Mapping[str, str], now: datetime) -> float:
    after, reset = headers.get("retry-after", ""), headers.get("ratelimit-reset", "")
    if after.isdecimal() and len(after) < 7:
        return min(float(after), _LONGEST_WAIT)
    if reset.isdecimal() and len(reset) < 12:
        return min(max(int(reset) - now.timestamp(), 1.0), _LONGEST_WAIT)
    return _DEFAULT_WAIT
