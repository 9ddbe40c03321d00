"""Requests that are sent all the time while members of the cluster are killed, and what became of them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from found_footy.platform.errors import ExternalSystemError, FoundFootyError

_PAUSE_SECONDS = 0.3
# Longer than any request takes while nothing is broken.
SLOW_SECONDS = 3.0


class Operation(StrEnum):
    """What is tried, each through the product's own connection."""

    DATABASE_WRITE = "database write"
    DATABASE_READ = "database read"
    OBJECT_WRITE = "object write"
    OBJECT_READ = "object read"
    QUEUE = "queue"
    PAGE = "page"


@dataclass(frozen=True)
class WatchedRequest:
    """`error` is empty if it was answered. Times are those of the monotonic clock."""

    started: float
    ended: float
    error: str = ""

    @property
    def seconds(self) -> float:
        return self.ended - self.started

    @property
    def is_bad(self) -> bool:
        return bool(self.error) or self.seconds > SLOW_SECONDS


@dataclass(frozen=True)
class Interruption:
    """What one operation saw of a failover. `works_again_after` are the seconds from the kill to the first good answer
    after the last bad one: 0 if none was bad, None if it did not work again.
    """

    requests: int
    failed: int
    longest: float
    works_again_after: float | None
    errors: tuple[str, ...] = ()


def find_interruption(requests: Sequence[WatchedRequest], since: float, until: float) -> Interruption:
    """What was seen by the requests that ended in this time: one that a kill meets belongs to that kill."""
    seen = [one for one in requests if since < one.ended <= until]
    bad = [number for number, one in enumerate(seen) if one.is_bad]
    return Interruption(
        len(seen),
        sum(bool(one.error) for one in seen),
        round(max((one.seconds for one in seen), default=0.0), 1),
        _find_recovery(seen, bad, since),
        tuple(dict.fromkeys(one.error for one in seen if one.error)),
    )


def _find_recovery(seen: Sequence[WatchedRequest], bad: Sequence[int], since: float) -> float | None:
    if not seen:
        return None
    if not bad:
        return 0.0
    last = seen[bad[-1]]
    if not last.error:  # slow, but answered
        return round(last.ended - since, 1)
    return round(seen[bad[-1] + 1].ended - since, 1) if bad[-1] + 1 < len(seen) else None


@dataclass
class Watch:
    """Calls `attempt` again and again, with the number of the call. `acknowledged` are the numbers of those that
    succeeded.
    """

    operation: Operation
    attempt: Callable[[int], Awaitable[None]]
    requests: list[WatchedRequest] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)

    async def run(self) -> None:
        number = 0
        while True:
            started = time.monotonic()
            error = await self._try_once(number)
            self.requests.append(WatchedRequest(started, time.monotonic(), error))
            if not error:
                self.acknowledged.append(number)
            number += 1
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _try_once(self, number: int) -> str:
        try:
            await self.attempt(number)
        except ExternalSystemError as error:
            return _shorten(error)
        return ""

    def has_worked_since(self, moment: float, times: int) -> bool:
        """Whether the last `times` requests all began after `moment` and were answered, however slowly: a crowded
        machine is no fault of the cluster.
        """
        last = self.requests[-times:]
        return len(last) == times and all(one.started > moment and not one.error for one in last)


def _shorten(error: FoundFootyError) -> str:
    return str(error).splitlines()[0][:160]
