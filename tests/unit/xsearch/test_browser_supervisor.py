"""The keeper of the browser outlives whatever happens to it, and tells the truth meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from found_footy.xsearch.browser.base import SearchBrowser
from found_footy.xsearch.browser.supervisor import BrowserState, BrowserSupervisor
from found_footy.xsearch.errors import TransientFailure

if TYPE_CHECKING:
    from tests.conftest import Eventually
    from tests.support.xsearch.stand_in_browser import StandInBrowser, StandIns

NEVER, SOON = timedelta(hours=1), timedelta(milliseconds=10)
SILENCE = TransientFailure("the browser does not respond")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("found_footy.xsearch.browser.supervisor._FIRST_RESTART_DELAY", 0.01)


class Launches:
    """What each start gives: a browser, or an exception."""

    def __init__(self, *results: "StandInBrowser | Exception") -> None:
        self.results = list(results)

    async def __call__(self) -> SearchBrowser:
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


async def _prepare(_: SearchBrowser) -> None: ...


@asynccontextmanager
async def kept(launches: Callable[[], object], check_every: timedelta = NEVER) -> AsyncIterator[BrowserSupervisor]:
    keeper = BrowserSupervisor(launches, _prepare, check_every)  # type: ignore[arg-type]
    task = asyncio.create_task(keeper.run())
    yield keeper
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def pair(stand_ins: "StandIns") -> "tuple[StandInBrowser, StandInBrowser]":
    return stand_ins.browser(stand_ins.tab()), stand_ins.browser(stand_ins.tab())


Pair = tuple["StandInBrowser", "StandInBrowser"]


async def test_a_start_that_fails_in_an_unforeseen_way_is_tried_again(pair: Pair, eventually: "Eventually") -> None:
    launches = Launches(Exception("Connection closed while reading from the driver"), pair[0])
    async with kept(launches) as keeper:
        await eventually(lambda: keeper.running_browser is pair[0])
        assert (keeper.state, keeper.restarts) == (BrowserState.RUNNING, 1)


async def test_a_failed_start_is_reported(eventually: "Eventually") -> None:
    async with kept(Launches(*[ValueError("out of memory")] * 20)) as keeper:
        await eventually(lambda: keeper.state is BrowserState.FAILED)
        assert keeper.detail == "out of memory"


async def test_an_idle_browser_that_stopped_answering_is_replaced(pair: Pair, eventually: "Eventually") -> None:
    pair[0].answers = [None, SILENCE, SILENCE]
    async with kept(Launches(*pair), SOON) as keeper:
        await eventually(lambda: keeper.running_browser is pair[1])
        assert pair[0].closed
        assert (keeper.state, keeper.restarts) == (BrowserState.RUNNING, 1)


async def test_a_browser_that_answers_the_second_time_is_kept(pair: Pair, eventually: "Eventually") -> None:
    pair[0].answers = [SILENCE, None, ValueError("from a listener"), None]
    async with kept(Launches(*pair), SOON) as keeper:
        await eventually(lambda: pair[0].answers == [])
        await eventually(lambda: keeper.running_browser is pair[0])
        assert (keeper.state, keeper.restarts) == (BrowserState.RUNNING, 0)


async def test_a_browser_that_does_not_answer_is_not_used_and_reported(pair: Pair, eventually: "Eventually") -> None:
    go_on, pair[0].answers = asyncio.Event(), [SILENCE]
    respond = pair[0].ping

    async def slow() -> None:
        if not pair[0].answers:
            await go_on.wait()
        await respond()

    pair[0].ping = slow  # type: ignore[method-assign]
    async with kept(Launches(*pair)) as keeper:
        await keeper.wait_until_running()
        keeper.request_check()
        await eventually(lambda: keeper.state is BrowserState.SILENT)
        with pytest.raises(TransientFailure, match="does not respond"):
            await keeper.get_browser(SOON)
        go_on.set()
        assert await keeper.get_browser(timedelta(seconds=30)) is pair[0]


async def test_a_browser_that_cannot_be_closed_is_replaced_all_the_same(
    pair: Pair, eventually: "Eventually", monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken() -> None:
        raise ValueError("cannot be closed")

    monkeypatch.setattr(pair[0], "close", broken)
    async with kept(Launches(*pair)) as keeper:
        await keeper.wait_until_running()
        pair[0].lost.set()
        await eventually(lambda: keeper.running_browser is pair[1])
