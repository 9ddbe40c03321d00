"""One search at a time, never too soon after the last one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from found_footy.xsearch.errors import RateLimited, Transient


async def _at_once() -> None:
    """No distance to keep."""


class Turns:
    """`spacing` gives the seconds from one search's start to the next one's; it may differ each time."""

    def __init__(
        self, spacing: Callable[[], float], least: timedelta, patience: timedelta, now: Callable[[], datetime]
    ) -> None:
        self._spacing = spacing
        self._least = least.total_seconds()
        self._patience = patience.total_seconds()
        self._now = now
        self._lock = asyncio.Lock()
        self._closing = asyncio.Event()
        self._next_start = 0.0
        self._aftermath: asyncio.Task[None] | None = None
        self.waiting = 0

    @property
    def busy(self) -> bool:
        return self._lock.locked()

    @property
    def closing(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        """Whoever waits is turned away; whoever has a turn may finish."""
        self._closing.set()

    def leave_behind(self, work: Coroutine[Any, Any, None]) -> None:
        """Work of the present turn that its caller need not wait for; the next turn does."""
        self._aftermath = asyncio.create_task(work, name="aftermath")

    async def settled(self) -> None:
        """Wait for what the last turn left behind. Who stops waiting does not stop it, and its failure is its own."""
        if self._aftermath:
            await asyncio.wait({self._aftermath})

    def expected_wait(self) -> float:
        """Seconds until somebody who asks now would have a turn, as far as can be told."""
        until_next = max(0.0, self._next_start - asyncio.get_running_loop().time())
        return until_next + self.waiting * self._least

    @asynccontextmanager
    async def search(self, *, patient: bool = False) -> AsyncIterator[None]:
        """A turn to search. Unless `patient`, RateLimited at once if the wait would be longer than the patience, and
        after as long if it has become so.
        """
        self._refuse_when_closing()
        wait = self.expected_wait()
        if wait > self._patience and not patient:
            raise self._too_long(wait)
        async with self._queued(self._until_next, None if patient else self._patience):
            self._next_start = asyncio.get_running_loop().time() + self._spacing()
            yield

    @asynccontextmanager
    async def errand(self) -> AsyncIterator[None]:
        """The browser for something that is not a search, and needs no distance from one."""
        self._refuse_when_closing()
        async with self._queued(_at_once, None):
            yield

    @asynccontextmanager
    async def _queued(self, distance: Callable[[], Awaitable[None]], patience: float | None) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(patience):
                await self._reach(distance)
        except TimeoutError as error:
            raise self._too_long(self.expected_wait()) from error
        try:
            yield
        finally:
            self._lock.release()

    async def _reach(self, distance: Callable[[], Awaitable[None]]) -> None:
        """Returns with the lock held, or raises without it."""
        self.waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self.waiting -= 1
        try:
            await self.settled()
            self._refuse_when_closing()
            await distance()
        except BaseException:
            self._lock.release()
            raise

    def _too_long(self, wait: float) -> RateLimited:
        return RateLimited(f"other searches come first, for {wait:.0f} s", self._now() + timedelta(seconds=wait))

    async def _until_next(self) -> None:
        wait = self._next_start - asyncio.get_running_loop().time()
        if wait <= 0:
            return
        try:
            async with asyncio.timeout(wait):
                await self._closing.wait()
        except TimeoutError:
            return
        self._refuse_when_closing()

    def _refuse_when_closing(self) -> None:
        if self._closing.is_set():
            raise Transient("the service is stopping")
