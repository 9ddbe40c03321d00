"""The Retry-After header (RFC 9110): how long a server asks its callers to wait."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_HEADER = "retry-after"


def parse_retry_after(headers: Mapping[str, str], now: datetime, *, default: float, max_seconds: float) -> float:
    """Return the seconds to wait, at most `max_seconds`; `default` if the header is missing, malformed, or a date that
    has passed, because the two clocks may differ. Header names are lower-case.
    """
    text = headers.get(_HEADER, "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), max_seconds)
    wait = _seconds_until(text, now)
    return min(wait, max_seconds) if wait > 0 else default


def _seconds_until(http_date: str, now: datetime) -> float:
    """Zero if the text is not a date."""
    try:
        then = parsedate_to_datetime(http_date)
        return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0.0
