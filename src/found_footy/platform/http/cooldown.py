"""A period in which a service is not called, after it refused a call or failed."""

import time

from found_footy.platform.clock import MonotonicClock
from found_footy.platform.errors import ExternalSystemError


class Cooldown:
    """Not active until started; a later start replaces an earlier one. For use on one event loop."""

    def __init__(self, clock: MonotonicClock = time.monotonic) -> None:
        self._clock = clock
        self._until = float("-inf")
        self._error: ExternalSystemError | None = None

    @property
    def is_active(self) -> bool:
        return self._clock() < self._until

    def start(self, seconds: float, error: ExternalSystemError | None = None) -> None:
        """Start the cooldown now. `error` is its reason, for `raise_if_active`."""
        self._until, self._error = self._clock() + seconds, error

    def raise_if_active(self) -> None:
        """Raise the error that started the cooldown, while it is active."""
        if self.is_active and self._error is not None:
            # Without its traceback: it would grow with every call that is refused.
            raise self._error.with_traceback(None)
