"""Cloudflare's error codes: what each means for a picture, for the account and for the next attempt."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from http import HTTPStatus

from found_footy.platform.errors import (
    BadInput,
    ConfigError,
    Denied,
    FoundFootyError,
    RateLimited,
    TooLarge,
    Unavailable,
)

SYSTEM = "Workers AI"
_CAPACITY_PAUSE_SECONDS = 30.0
_PICTURE_CODES = frozenset({3003, 5004})
_MODEL_CODES = frozenset({5007, 3042})
_TOO_LARGE_CODES = frozenset({3006})
_TIMEOUT_CODES = frozenset({3007, 3008})
_DAY_USED_UP_CODES = frozenset({3036})
_CAPACITY_CODES = frozenset({3040})
_DENIED_CODES = frozenset({3023, 5018, 3041, 10000, 9109})
# Words of the runtime about a picture that it cannot read, which comes as a server error.
_PICTURE_WORDS = ("decode image", "decoding image", "invalid image", "cannot identify image", "image format")


class PictureNotAccepted(BadInput):
    """The classifier cannot read the picture; the same bytes will be rejected again."""


class DayAllocationUsed(RateLimited):
    """The account's allocation for today is used up; `retry_after` ends at midnight UTC."""


class PictureTooLargeForClassifier(TooLarge):
    """The picture was sent in more bytes than the model takes. A smaller copy may be accepted."""


def build_error(
    status: int, codes: Sequence[int], message: str, now: datetime, retry_after: float | None
) -> FoundFootyError:
    """The error for an answer of this HTTP status with these codes, the first known of which counts. `retry_after` is
    what the server asked for, None if nothing.
    """
    text = f"{message or 'no message'} (HTTP {status}, code {', '.join(map(str, codes)) or 'none'})"
    for code in codes:
        if (error := _build_by_code(code, text, now, retry_after)) is not None:
            return error
    return _build_by_status(status, message, text, retry_after)


def seconds_until_tomorrow(now: datetime) -> float:
    """Until the next midnight UTC, at which the allocation begins anew. `now` is in UTC."""
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - now).total_seconds()


def _build_by_code(code: int, text: str, now: datetime, retry_after: float | None) -> FoundFootyError | None:
    if code in _PICTURE_CODES:
        return PictureNotAccepted(f"{SYSTEM} does not accept the picture: {text}")
    if code in _MODEL_CODES:
        return ConfigError(f"{SYSTEM} does not know the model: {text}")
    if code in _TOO_LARGE_CODES:
        return PictureTooLargeForClassifier(SYSTEM, text)
    if code in _TIMEOUT_CODES:
        return Unavailable(SYSTEM, text)
    if code in _DAY_USED_UP_CODES:
        return DayAllocationUsed(SYSTEM, text, seconds_until_tomorrow(now))
    if code in _CAPACITY_CODES:
        return RateLimited(SYSTEM, text, _CAPACITY_PAUSE_SECONDS if retry_after is None else retry_after)
    return Denied(SYSTEM, text) if code in _DENIED_CODES else None


def _build_by_status(status: int, message: str, text: str, retry_after: float | None) -> FoundFootyError:
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return Denied(SYSTEM, text)
    if status == HTTPStatus.NOT_FOUND:
        return ConfigError(f"{SYSTEM} knows neither the account nor the model: {text}")
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return PictureTooLargeForClassifier(SYSTEM, text)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return RateLimited(SYSTEM, text, _CAPACITY_PAUSE_SECONDS if retry_after is None else retry_after)
    names_picture = any(word in message.lower() for word in _PICTURE_WORDS)
    if status == HTTPStatus.BAD_REQUEST or (status == HTTPStatus.INTERNAL_SERVER_ERROR and names_picture):
        return PictureNotAccepted(f"{SYSTEM} does not accept the picture: {text}")
    return Unavailable(SYSTEM, text)
