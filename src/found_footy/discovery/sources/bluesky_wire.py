"""Helpers to parse Bluesky's answers, for the search and the session."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from found_footy.platform.errors import Malformed
from found_footy.platform.http.client import HttpResponse
from found_footy.platform.http.retry_after import parse_retry_after

SYSTEM = "Bluesky"
OK, BAD_REQUEST, TOO_MANY_REQUESTS = 200, 400, 429
REFUSED_STATUSES = (401, 403)
REFUSAL_COOLDOWN_SECONDS = 900.0
_DEFAULT_COOLDOWN_SECONDS = 60.0
_MAX_COOLDOWN_SECONDS = 3600.0
_ERROR_NAME = re.compile(r"[A-Za-z]{1,60}")


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


def parse_rate_limit_wait(headers: Mapping[str, str], now: datetime) -> float:
    """The seconds to wait after a rate limit: by Retry-After, else until the end of the window that Bluesky names."""
    reset = headers.get("ratelimit-reset", "")
    wait = _DEFAULT_COOLDOWN_SECONDS
    if reset.isdecimal() and len(reset) < 12:
        wait = min(max(int(reset) - now.timestamp(), 1.0), _MAX_COOLDOWN_SECONDS)
    return parse_retry_after(headers, now, default=wait, max_seconds=_MAX_COOLDOWN_SECONDS)
