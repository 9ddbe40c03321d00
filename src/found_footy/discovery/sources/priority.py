"""A semaphore by priority: the goal with the fewest attempts goes first, then the newest."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, order=True)
class SearchPriority:
    """Lower values go first."""

    attempts: int = 0
    age_rank: float = 0.0

    @classmethod
    def for_goal(cls, attempts: int, first_seen: datetime | None) -> "SearchPriority":
        return cls(attempts, -first_seen.timestamp() if first_seen else 0.0)


class SemaphoreTimeout(Exception):
    """No permit was free within `max_wait`; `waiting` is how many callers were waiting."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} waiting")
        self.waiting = waiting


class PrioritySemaphore:
    """`permits` concurrent holders; the others wait in order of priority, and with equal priority in order of
    arrival."""

    def __init__(self, permits: int) -> None:
        self._free_permits = permits
        self._waiters: list[tuple[SearchPriority, int, asyncio.Future[None]]] = []
        self._sequence = itertools.count()

    @property
    def waiting(self) -> int:
        return sum(not place.done() for _, _, place in self._waiters)

    @asynccontextmanager
    async def acquire(self, priority: SearchPriority, max_wait: timedelta) -> AsyncIterator[None]:
        """Hold a permit for the block. SemaphoreTimeout if that takes more than `max_wait`."""
        await self._wait_for_permit(priority, max_wait)
        try:
            yield
        finally:
            self._release()

    async def _wait_for_permit(self, priority: SearchPriority, max_wait: timedelta) -> None:
        if self._free_permits > 0:
            self._free_permits -= 1
            return
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiters, (priority, next(self._sequence), place))
        try:
            async with asyncio.timeout(max_wait.total_seconds()):
                await place
        except TimeoutError as error:
            self._abandon_wait(place)
            raise SemaphoreTimeout(self.waiting + 1) from error
        except asyncio.CancelledError:
            self._abandon_wait(place)
            raise

    def _abandon_wait(self, waiter: "asyncio.Future[None]") -> None:
        """Stop waiting. A permit that was granted in the same moment goes to the next waiter."""
        if waiter.done() and not waiter.cancelled():
            self._release()

    def _release(self) -> None:
        while self._waiters:
            _, _, place = heapq.heappop(self._waiters)
            if not place.done():
                place.set_result(None)
                return
        self._free_permits += 1
