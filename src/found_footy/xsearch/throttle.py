"""Runs one search at a time, with a minimum spacing between their starts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from found_footy.platform.clock import Clock
from found_footy.xsearch.errors import TransientFailure, XRateLimited


async def _skip_spacing() -> None:
    """Used where no spacing applies."""


class SearchThrottle:
    """`spacing` returns the seconds from the start of one search to the start of the next; it may differ each time."""

    def __init__(self, spacing: Callable[[], float], min_spacing: timedelta, max_wait: timedelta, now: Clock) -> None:
        self._spacing = spacing
        self._min_spacing = min_spacing.total_seconds()
        self._max_wait = max_wait.total_seconds()
        self._now = now
        self._lock = asyncio.Lock()
        self._closing = asyncio.Event()
        self._next_start = 0.0
        self._cleanup_task: asyncio.Task[None] | None = None
        self.waiting = 0

    @property
    def is_busy(self) -> bool:
        return self._lock.locked()

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        """Reject waiting callers; the one that holds the lock may finish."""
        self._closing.set()

    def start_cleanup(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` after the current search without making its caller wait; the next search waits for it."""
        self._cleanup_task = asyncio.create_task(work, name="aftermath")

    async def wait_for_cleanup(self) -> None:
        """Wait for the last search's cleanup. Cancelling the wait does not cancel the cleanup, and its errors are not
        raised here.
        """
        if self._cleanup_task:
            await asyncio.wait({self._cleanup_task})

    def expected_wait(self) -> float:
        """Estimated seconds until a caller that asks now could start."""
        until_next = max(0.0, self._next_start - asyncio.get_running_loop().time())
        return until_next + self.waiting * self._min_spacing

    @asynccontextmanager
    async def acquire_search(self, *, wait_indefinitely: bool = False) -> AsyncIterator[None]:
        """Wait to start a search. Unless `wait_indefinitely`, raises XRateLimited at once if the expected wait exceeds
        the maximum, and after the maximum if it has grown.
        """
        self._raise_if_closing()
        wait = self.expected_wait()
        if wait > self._max_wait and not wait_indefinitely:
            raise self._wait_too_long_error(wait)
        async with self._hold_lock(self._wait_for_spacing, None if wait_indefinitely else self._max_wait):
            self._next_start = asyncio.get_running_loop().time() + self._spacing()
            yield

    @asynccontextmanager
    async def acquire_browser(self) -> AsyncIterator[None]:
        """Acquire the browser for something other than a search, without spacing."""
        self._raise_if_closing()
        async with self._hold_lock(_skip_spacing, None):
            yield

    @asynccontextmanager
    async def _hold_lock(
        self, wait_for_spacing: Callable[[], Awaitable[None]], max_wait: float | None
    ) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(max_wait):
                await self._acquire_lock(wait_for_spacing)
        except TimeoutError as error:
            raise self._wait_too_long_error(self.expected_wait()) from error
        try:
            yield
        finally:
            self._lock.release()

    async def _acquire_lock(self, wait_for_spacing: Callable[[], Awaitable[None]]) -> None:
        """Return with the lock held, or raise without it."""
        self.waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self.waiting -= 1
        try:
            await self.wait_for_cleanup()
            self._raise_if_closing()
            await wait_for_spacing()
        except BaseException:
            self._lock.release()
            raise

    def _wait_too_long_error(self, wait: float) -> XRateLimited:
        return XRateLimited(f"other searches run first, for {wait:.0f} s", self._now() + timedelta(seconds=wait))

    async def _wait_for_spacing(self) -> None:
        wait = self._next_start - asyncio.get_running_loop().time()
        if wait <= 0:
            return
        try:
            async with asyncio.timeout(wait):
                await self._closing.wait()
        except TimeoutError:
            return
        self._raise_if_closing()

    def _raise_if_closing(self) -> None:
        if self._closing.is_set():
            raise TransientFailure("the service is stopping")
