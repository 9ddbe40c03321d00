"""The time of day, and the types of clocks that are passed in."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the current time with its time zone."""

MonotonicClock = Callable[[], float]
"""Returns seconds since any moment; never goes back."""


def utc_now() -> datetime:
    return datetime.now(UTC)
