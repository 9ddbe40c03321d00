"""No step of the browser waits for ever, and each failure names its step."""

import asyncio

import pytest
from playwright.async_api import Error as PlaywrightError

from found_footy.xsearch.browser.timeouts import step_timeout
from found_footy.xsearch.errors import TransientFailure


async def test_a_step_that_hangs_is_given_up() -> None:
    with pytest.raises(TransientFailure, match="the tab: the browser does not respond"):
        async with step_timeout("the tab", 0.01):
            await asyncio.Event().wait()


async def test_a_step_that_fails_says_how_without_the_drivers_log() -> None:
    with pytest.raises(TransientFailure) as failed:
        async with step_timeout("the tab"):
            raise PlaywrightError("Target closed\nCall log:\n - secret")
    assert failed.value.message == "the tab: Target closed"


async def test_a_deadline_from_outside_stays_one() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), step_timeout("the tab", 60):
            await asyncio.Event().wait()
