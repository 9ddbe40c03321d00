"""A lane ends when it is cancelled, at whatever moment."""

import asyncio
from typing import Any, cast

import pytest

from found_footy.uploads.intake.lane import Lane, LaneTimes
from found_footy.uploads.intake.streams import IntakeStreams


async def test_a_cancellation_that_comes_while_a_message_is_let_go_is_not_lost() -> None:
    nothing = cast("Any", None)
    lane = Lane(nothing, IntakeStreams(), "UPLOADS.events.acme", nothing, asyncio.Semaphore(1), LaneTimes())
    went_on = False

    async def handle() -> None:
        nonlocal went_on
        async with lane._keep(nothing):
            # Runs once this task waits for the end of what kept the message.
            asyncio.get_running_loop().call_soon(task.cancel)
        went_on = True

    task = asyncio.create_task(handle())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not went_on
