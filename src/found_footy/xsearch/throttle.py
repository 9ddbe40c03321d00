"""One search at a time, never too soon after the last one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from found_footy.xsearch.errors import TransientFailure, XRateLimited


async def _skip_spacing() -> None:
    """No distance to keep."""


class SearchThrottle:
    """`spacing` gives the seconds from one search's start to the next one's; it may differ each time."""

    def __init__(
        self, spacing: Callable[[], float], min_spacing: timedelta, max_wait: timedelta, now: Callable[[], datetime]
    ) -> None:
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
        """Whoever waits is turned away; whoever has a turn may finish."""
        self._closing.set()

    def start_cleanup(self, work: Coroutine[Any, Any, None]) -> None:
        """Work of the present turn that its caller need not wait for; the next turn does."""
        self._cleanup_task = asyncio.create_task(work, name="aftermath")

    async def wait_for_cleanup(self) -> None:
        """Wait for what the last turn left behind. Who stops waiting does not stop it, and its failure is its own."""
        if self._cleanup_task:
            await asyncio.wait({self._cleanup_task})

    def expected_wait(self) -> float:
        """Seconds until somebody who asks now would have a turn, as far as can be told."""
        until_next = max(0.0, self._next_start - asyncio.get_running_loop().time())
        return until_next + self.waiting * self._min_spacing

    @asynccontextmanager
    async def acquire_search(self, *, wait_indefinitely: bool = False) -> AsyncIterator[None]:
        """A turn to search. Unless `wait_indefinitely`, RateLimited at once if the wait would be longer than the
        patience, and after as long if it has become so.
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
        """The browser for something that is not a search, and needs no distance from one."""
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
        """Returns with the lock held, or raises without it."""
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
        return XRateLimited(f"other searches come first, for {wait:.0f} s", self._now() + timedelta(seconds=wait))

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
