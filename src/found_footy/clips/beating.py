"""Telling Temporal that a long activity is alive, so that the work of a killed worker is taken up soon."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio import activity

_EVERY_SECONDS = 5.0


@asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Heartbeats for as long as the block runs."""
    beat = asyncio.create_task(_beat())
    try:
        yield
    finally:
        beat.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beat


async def _beat() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(_EVERY_SECONDS)
