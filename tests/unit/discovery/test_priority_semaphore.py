"""When goals compete, the one with the fewest attempts goes first, then the newest."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.discovery.sources.priority import PrioritySemaphore, SearchPriority, SemaphoreTimeout

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
LONG = timedelta(seconds=30)


def turn(attempts: int, minute: int = 0) -> SearchPriority:
    return SearchPriority.for_goal(attempts, NOON + timedelta(minutes=minute))


class Waiters:
    """Waiters of a semaphore, and the order in which they got it."""

    def __init__(self, semaphore: PrioritySemaphore) -> None:
        self.semaphore = semaphore
        self.served: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def join(self, name: str, place: SearchPriority, patience: timedelta = LONG) -> None:
        async def wait() -> None:
            async with self.semaphore.acquire(place, patience):
                self.served.append(name)

        before = self.semaphore.waiting
        self.tasks.append(asyncio.create_task(wait()))
        while self.semaphore.waiting == before:  # noqa: ASYNC110  one turn of the loop is enough
            await asyncio.sleep(0)

    async def end(self) -> None:
        await asyncio.gather(*self.tasks)


async def test_fewest_attempts_first_then_the_newest_then_the_first_to_wait() -> None:
    semaphore = PrioritySemaphore(1)
    waiters = Waiters(semaphore)
    async with semaphore.acquire(turn(0), LONG):
        await waiters.join("third try", turn(2, minute=9))
        await waiters.join("old first", turn(0, minute=1))
        await waiters.join("new first", turn(0, minute=5))
        await waiters.join("second try", turn(1, minute=9))
        await waiters.join("second try, later", turn(1, minute=9))
        assert semaphore.waiting == 5
    await waiters.end()
    assert waiters.served == ["new first", "old first", "second try", "second try, later", "third try"]
    assert semaphore.waiting == 0


async def test_as_many_waiters_run_at_once_as_there_are_permits() -> None:
    semaphore = PrioritySemaphore(2)
    waiters = Waiters(semaphore)
    async with semaphore.acquire(turn(0), LONG), semaphore.acquire(turn(0), LONG):
        await waiters.join("third", turn(0))
        assert waiters.served == []
    await waiters.end()
    assert waiters.served == ["third"]


async def test_a_waiter_that_waits_too_long_fails_and_takes_no_permit() -> None:
    semaphore = PrioritySemaphore(1)
    async with semaphore.acquire(turn(0), LONG):
        with pytest.raises(SemaphoreTimeout):
            async with semaphore.acquire(turn(0), timedelta(milliseconds=1)):
                pass
        assert semaphore.waiting == 0
    async with semaphore.acquire(turn(0), timedelta(milliseconds=1)):
        pass


async def test_a_cancelled_waiter_keeps_no_permit() -> None:
    semaphore = PrioritySemaphore(1)
    waiters = Waiters(semaphore)
    async with semaphore.acquire(turn(0), LONG):
        await waiters.join("cancelled", turn(0))
        await waiters.join("patient", turn(1))
        waiters.tasks[0].cancel()
        await asyncio.wait({waiters.tasks[0]})
    await waiters.tasks[1]
    assert waiters.served == ["patient"]
    async with semaphore.acquire(turn(0), timedelta(milliseconds=1)):
        pass


async def test_a_permit_granted_in_the_moment_of_cancelling_goes_to_the_next() -> None:
    semaphore = PrioritySemaphore(1)
    waiters = Waiters(semaphore)
    async with semaphore.acquire(turn(0), LONG):
        await waiters.join("cancelled", turn(0))
        await waiters.join("next", turn(1))
    # The counter is the first one's now, but it has not run since.
    waiters.tasks[0].cancel()
    await asyncio.wait(set(waiters.tasks))
    assert waiters.served == ["next"]
