"""The time of day, for the simulated services, which import nothing of the product."""

from collections.abc import Callable
from datetime import UTC, datetime

WallClock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)
