"""Circuit breaker for the vision server, which also measures its downtime."""

from collections.abc import Callable
from datetime import timedelta

MonotonicClock = Callable[[], float]


class CircuitBreaker:
    """After `max_failures` in a row, no request is allowed for `cooldown`; then one at a time tests whether the server
    is back.

    `clock` counts seconds from any moment. For use on one event loop.
    """

    def __init__(self, max_failures: int, cooldown: timedelta, clock: MonotonicClock) -> None:
        self._max_failures = max_failures
        self._cooldown_seconds = cooldown.total_seconds()
        self._clock = clock
        self._failures = 0
        self._down_since: float | None = None
        self._next_attempt_at = 0.0

    def allow_request(self) -> bool:
        """Whether to send a request now. A request after the cooldown starts the next cooldown, so that others wait for
        its outcome.
        """
        if self._failures < self._max_failures:
            return True
        now = self._clock()
        if now < self._next_attempt_at:
            return False
        self._next_attempt_at = now + self._cooldown_seconds
        return True

    def record_success(self) -> None:
        self._failures = 0
        self._down_since = None

    def record_failure(self) -> None:
        now = self._clock()
        self._failures += 1
        if self._down_since is None:
            self._down_since = now
        if self._failures >= self._max_failures:
            self._next_attempt_at = now + self._cooldown_seconds

    @property
    def downtime(self) -> timedelta:
        """How long every request has failed; zero if the last one succeeded."""
        return timedelta(seconds=0 if self._down_since is None else self._clock() - self._down_since)
