"""Background tasks are ended, also those that miss a cancellation."""

import asyncio

import pytest

from found_footy.platform.tasks import cancel_and_wait
from tests.support.patience import PATIENCE_SECONDS


async def swallow_cancellations(count: int) -> None:
    """As a library that waits with `asyncio.wait_for` may do."""
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not count:
                raise
            count -= 1


async def fail() -> None:
    raise ValueError("a bug")


@pytest.mark.parametrize("swallowed", [0, 1, 3])
async def test_a_task_that_misses_a_cancellation_is_cancelled_again(swallowed: int) -> None:
    tasks = [asyncio.create_task(swallow_cancellations(swallowed)) for _ in range(2)]
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await cancel_and_wait(tasks, again_seconds=0.01) == []
    assert all(task.cancelled() for task in tasks)


async def test_the_errors_of_tasks_that_failed_are_returned() -> None:
    failed, running = asyncio.create_task(fail()), asyncio.create_task(swallow_cancellations(0))
    await asyncio.sleep(0)
    assert [str(error) for error in await cancel_and_wait([failed, running])] == ["a bug"]


async def test_nothing_is_waited_for_without_tasks() -> None:
    assert await cancel_and_wait([]) == []
