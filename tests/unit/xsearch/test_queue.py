"""One at a time, at a distance, nobody waits in vain."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.xsearch.errors import TransientFailure, XRateLimited
from found_footy.xsearch.throttle import SearchThrottle
from tests.support.patience import PATIENCE_SECONDS

NOW = datetime(2026, 11, 15, 15, tzinfo=UTC)


def turns(spacing: float = 0.0, patience: float = 60.0) -> SearchThrottle:
    return SearchThrottle(lambda: spacing, timedelta(seconds=spacing), timedelta(seconds=patience), lambda: NOW)


async def test_searches_never_overlap_and_keep_their_order() -> None:
    queue, under_way, order = turns(), 0, []

    async def search(name: int) -> None:
        nonlocal under_way
        async with queue.acquire_search():
            under_way += 1
            assert under_way == 1
            await asyncio.sleep(0)
            order.append(name)
            under_way -= 1

    await asyncio.gather(*map(search, range(5)))
    assert order == [0, 1, 2, 3, 4]
    assert (queue.waiting, queue.is_busy) == (0, False)


async def test_the_next_search_starts_no_sooner_than_the_spacing() -> None:
    queue, loop = turns(spacing=0.05), asyncio.get_running_loop()
    async with queue.acquire_search():
        first = loop.time()
    async with queue.acquire_search():
        assert loop.time() - first >= 0.049


async def test_a_search_that_would_wait_too_long_is_refused_with_a_time_to_retry() -> None:
    queue = turns(spacing=1000, patience=5)
    async with queue.acquire_search():
        with pytest.raises(XRateLimited) as refused:
            async with queue.acquire_search():
                pytest.fail("had a turn")
    assert refused.value.until is not None
    assert NOW < refused.value.until <= NOW + timedelta(seconds=1000)


async def test_a_search_that_waits_longer_than_expected_is_asked_to_retry() -> None:
    queue, searched, go_on = turns(patience=0.05), asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        async with queue.acquire_search():
            searched.set()
            await go_on.wait()

    first = asyncio.create_task(slow())
    await searched.wait()
    with pytest.raises(XRateLimited):
        async with queue.acquire_search():
            pytest.fail("had a turn")
    go_on.set()
    await first
    async with asyncio.timeout(PATIENCE_SECONDS), queue.acquire_search():
        assert queue.waiting == 0


async def test_a_cleanup_is_not_cancelled_by_a_search_that_stops_waiting() -> None:
    queue, go_on, tidied = turns(patience=0.05), asyncio.Event(), []

    async def tidy() -> None:
        await go_on.wait()
        tidied.append(1)

    async with queue.acquire_search():
        queue.start_cleanup(tidy())
    with pytest.raises(XRateLimited):
        async with queue.acquire_search():
            pytest.fail("had a turn")
    go_on.set()
    await queue.wait_for_cleanup()
    assert tidied == [1]


async def test_a_failed_cleanup_does_not_affect_the_next_search() -> None:
    queue = turns()

    async def broken() -> None:
        raise ValueError("broken")

    async with queue.acquire_search():
        queue.start_cleanup(broken())
    async with asyncio.timeout(PATIENCE_SECONDS), queue.acquire_search():
        assert queue.is_busy


async def test_an_internal_request_needs_no_spacing() -> None:
    queue = turns(spacing=1000)
    async with queue.acquire_search():
        pass
    async with asyncio.timeout(PATIENCE_SECONDS), queue.acquire_browser():
        assert queue.is_busy


async def test_closing_refuses_waiting_searches_and_lets_the_running_one_finish() -> None:
    queue, begun, go_on = turns(), asyncio.Event(), asyncio.Event()

    async def search() -> str:
        async with queue.acquire_search():
            begun.set()
            await go_on.wait()
            return "finished"

    async def another() -> str:
        async with queue.acquire_search():
            return "had a turn"

    first = asyncio.create_task(search())
    await begun.wait()
    second = asyncio.create_task(another())
    await asyncio.sleep(0)
    queue.close()
    go_on.set()
    assert await first == "finished"
    with pytest.raises(TransientFailure, match="stopping"):
        await second
    with pytest.raises(TransientFailure, match="stopping"):
        await another()


async def test_closing_ends_the_wait_for_the_spacing() -> None:
    queue = turns(spacing=1000, patience=2000)
    async with queue.acquire_search():
        pass

    async def another() -> None:
        async with queue.acquire_search():
            pytest.fail("had a turn")

    waiting = asyncio.create_task(another())
    await asyncio.sleep(0.01)
    queue.close()
    with pytest.raises(TransientFailure, match="stopping"):
        await waiting


async def test_a_failed_search_lets_the_next_one_start() -> None:
    queue = turns()
    with pytest.raises(ValueError, match="broken"):
        async with queue.acquire_search():
            raise ValueError("broken")
    assert not queue.is_busy
