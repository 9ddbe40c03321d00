"""An event loop whose clock jumps to the next timer when nothing is ready: hours pass in milliseconds."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for nothing; what it would have waited is added to the clock."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0)
        if timeout is None and not ready:
            raise RuntimeError("everybody waits for something that no timer brings")
        if not ready:
            self.now += timeout or 0.0
        return ready


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return float(self._clock.now)


def in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run `work`; its loop's time begins at 0. Everything in it must wait by the loop's timers alone."""
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(work)
