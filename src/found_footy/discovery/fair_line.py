"""A line before a few counters: when goals compete, the one with the fewest attempts goes first, then the newest."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, order=True)
class Turn:
    """Who goes first: less is sooner."""

    attempts: int = 0
    age_rank: float = 0.0

    @classmethod
    def of(cls, attempts: int, first_seen: datetime | None) -> "Turn":
        return cls(attempts, -first_seen.timestamp() if first_seen else 0.0)


class TooLong(Exception):
    """Nobody was served within the patience given; `waiting` says how many stood in line."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} waiting")
        self.waiting = waiting


class FairLine:
    """`counters` at once; the rest wait in order of their turn, and those of equal turn in order of arrival."""

    def __init__(self, counters: int) -> None:
        self._free = counters
        self._waiting: list[tuple[Turn, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()

    @property
    def waiting(self) -> int:
        return sum(not place.done() for _, _, place in self._waiting)

    @asynccontextmanager
    async def served(self, turn: Turn, patience: timedelta) -> AsyncIterator[None]:
        """At a counter. TooLong if that takes more than `patience`."""
        await self._reach(turn, patience)
        try:
            yield
        finally:
            self._next()

    async def _reach(self, turn: Turn, patience: timedelta) -> None:
        if self._free > 0:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (turn, next(self._arrivals), place))
        try:
            async with asyncio.timeout(patience.total_seconds()):
                await place
        except TimeoutError as error:
            self._give_back(place)
            raise TooLong(self.waiting + 1) from error
        except asyncio.CancelledError:
            self._give_back(place)
            raise

    def _give_back(self, place: "asyncio.Future[None]") -> None:
        """Leave the line. A counter that was given away in the same moment goes to the next one."""
        if place.done() and not place.cancelled():
            self._next()

    def _next(self) -> None:
        while self._waiting:
            _, _, place = heapq.heappop(self._waiting)
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
