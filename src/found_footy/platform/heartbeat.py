"""Telling Temporal that a long activity is alive, so that the work of a killed worker is taken up soon."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio import activity

_HEARTBEAT_INTERVAL = timedelta(seconds=2)

# The SDK holds heartbeats back for 80 % of an activity's heartbeat timeout, which leaves a busy worker little to spare.
# No longer than this, a timeout of 15 s forgives several heartbeats that come late.
MAX_HEARTBEAT_THROTTLE = timedelta(seconds=4)


@asynccontextmanager
async def send_heartbeats(interval: timedelta = _HEARTBEAT_INTERVAL) -> AsyncIterator[None]:
    """Heartbeats for as long as the block runs; none outside of an activity."""
    beat = asyncio.create_task(_send_until_cancelled(interval)) if activity.in_activity() else None
    try:
        yield
    finally:
        if beat is not None:
            beat.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await beat


async def _send_until_cancelled(interval: timedelta) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(interval.total_seconds())
