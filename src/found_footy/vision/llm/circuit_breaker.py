"""Circuit breaker for the vision server, which also measures its downtime."""

from datetime import timedelta

from found_footy.platform.clock import MonotonicClock
from found_footy.platform.http.cooldown import Cooldown


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
        self._cooldown = Cooldown(clock)

    def allow_request(self) -> bool:
        """Whether to send a request now. A request after the cooldown starts the next cooldown, so that others wait for
        its outcome.
        """
        if self._failures < self._max_failures:
            return True
        if self._cooldown.is_active:
            return False
        self._cooldown.start(self._cooldown_seconds)
        return True

    def record_success(self) -> None:
        self._failures = 0
        self._down_since = None

    def record_failure(self) -> None:
        self._failures += 1
        if self._down_since is None:
            self._down_since = self._clock()
        if self._failures >= self._max_failures:
            self._cooldown.start(self._cooldown_seconds)

    @property
    def downtime(self) -> timedelta:
        """How long every request has failed; zero if the last one succeeded."""
        return timedelta(seconds=0 if self._down_since is None else self._clock() - self._down_since)
