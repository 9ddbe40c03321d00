"""Not asking a server that does not answer, and knowing for how long it has not."""

from collections.abc import Callable
from datetime import timedelta

Clock = Callable[[], float]


class Breaker:
    """After `failures` in a row, nobody asks for `pause`; then one try at a time shows whether it is back.

    `clock` counts seconds from any moment. On one event loop.
    """

    def __init__(self, failures: int, pause: timedelta, clock: Clock) -> None:
        self._limit = failures
        self._pause = pause.total_seconds()
        self._clock = clock
        self._failures = 0
        self._down_since: float | None = None
        self._next_try = 0.0

    def admits(self) -> bool:
        """Whether to ask now. A try after the pause starts the next pause, so that others wait for its outcome."""
        if self._failures < self._limit:
            return True
        now = self._clock()
        if now < self._next_try:
            return False
        self._next_try = now + self._pause
        return True

    def succeeded(self) -> None:
        self._failures = 0
        self._down_since = None

    def failed(self) -> None:
        now = self._clock()
        self._failures += 1
        if self._down_since is None:
            self._down_since = now
        if self._failures >= self._limit:
            self._next_try = now + self._pause

    @property
    def down_for(self) -> timedelta:
        """How long every try has failed; zero if the last one did not."""
        return timedelta(seconds=0 if self._down_since is None else self._clock() - self._down_since)
