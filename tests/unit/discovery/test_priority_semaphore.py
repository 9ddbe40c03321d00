"""When goals compete, the one with the fewest attempts goes first, then the newest."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.discovery.sources.priority import PrioritySemaphore, SearchPriority, SemaphoreTimeout

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
LONG = timedelta(seconds=30)


def turn(attempts: int, minute: int = 0) -> SearchPriority:
    return SearchPriority.for_goal(attempts, NOON + timedelta(minutes=minute))


class Crowd:
    """Everybody in line, and the order in which they came out."""

    def __init__(self, line: PrioritySemaphore) -> None:
        self.line = line
        self.served: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def join(self, name: str, place: SearchPriority, patience: timedelta = LONG) -> None:
        async def wait() -> None:
            async with self.line.acquire(place, patience):
                self.served.append(name)

        before = self.line.waiting
        self.tasks.append(asyncio.create_task(wait()))
        while self.line.waiting == before:  # noqa: ASYNC110  one turn of the loop is enough
            await asyncio.sleep(0)

    async def end(self) -> None:
        await asyncio.gather(*self.tasks)


async def test_fewest_attempts_first_then_the_newest_then_the_first_to_wait() -> None:
    line = PrioritySemaphore(1)
    crowd = Crowd(line)
    async with line.acquire(turn(0), LONG):
        await crowd.join("third try", turn(2, minute=9))
        await crowd.join("old first", turn(0, minute=1))
        await crowd.join("new first", turn(0, minute=5))
        await crowd.join("second try", turn(1, minute=9))
        await crowd.join("second try, later", turn(1, minute=9))
        assert line.waiting == 5
    await crowd.end()
    assert crowd.served == ["new first", "old first", "second try", "second try, later", "third try"]
    assert line.waiting == 0


async def test_as_many_waiters_run_at_once_as_there_are_permits() -> None:
    line = PrioritySemaphore(2)
    crowd = Crowd(line)
    async with line.acquire(turn(0), LONG), line.acquire(turn(0), LONG):
        await crowd.join("third", turn(0))
        assert crowd.served == []
    await crowd.end()
    assert crowd.served == ["third"]


async def test_a_waiter_that_waits_too_long_fails_and_takes_no_permit() -> None:
    line = PrioritySemaphore(1)
    async with line.acquire(turn(0), LONG):
        with pytest.raises(SemaphoreTimeout):
            async with line.acquire(turn(0), timedelta(milliseconds=1)):
                pass
        assert line.waiting == 0
    async with line.acquire(turn(0), timedelta(milliseconds=1)):
        pass


async def test_a_cancelled_waiter_keeps_no_permit() -> None:
    line = PrioritySemaphore(1)
    crowd = Crowd(line)
    async with line.acquire(turn(0), LONG):
        await crowd.join("cancelled", turn(0))
        await crowd.join("patient", turn(1))
        crowd.tasks[0].cancel()
        await asyncio.wait({crowd.tasks[0]})
    await crowd.tasks[1]
    assert crowd.served == ["patient"]
    async with line.acquire(turn(0), timedelta(milliseconds=1)):
        pass


async def test_a_permit_granted_in_the_moment_of_cancelling_goes_to_the_next() -> None:
    line = PrioritySemaphore(1)
    crowd = Crowd(line)
    async with line.acquire(turn(0), LONG):
        await crowd.join("cancelled", turn(0))
        await crowd.join("next", turn(1))
    # The counter is the first one's now, but it has not run since.
    crowd.tasks[0].cancel()
    await asyncio.wait(set(crowd.tasks))
    assert crowd.served == ["next"]
