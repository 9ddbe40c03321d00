"""The consumer of a subject ends when it is cancelled, at whatever moment."""

import asyncio
from typing import Any, cast

import pytest

from found_footy.uploads.intake.streams import IntakeStreams
from found_footy.uploads.intake.subject_consumer import ConsumerTimes, SubjectConsumer


async def test_a_cancellation_during_the_release_of_a_message_is_not_lost() -> None:
    nothing = cast("Any", None)
    consumer = SubjectConsumer(
        nothing, IntakeStreams(), "UPLOADS.events.acme", nothing, asyncio.Semaphore(1), ConsumerTimes()
    )
    went_on = False

    async def handle() -> None:
        nonlocal went_on
        async with consumer._keep(nothing):
            # Runs once this task waits for the end of what kept the message.
            asyncio.get_running_loop().call_soon(task.cancel)
        went_on = True

    task = asyncio.create_task(handle())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not went_on
