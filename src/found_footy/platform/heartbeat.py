"""Heartbeats of long activities, so that Temporal reschedules the work of a killed worker soon."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio import activity

_HEARTBEAT_INTERVAL = timedelta(seconds=2)

# The SDK throttles heartbeats to 80 % of an activity's heartbeat timeout, which leaves a busy worker little margin.
# With this maximum a timeout of 15 s tolerates several late heartbeats.
MAX_HEARTBEAT_THROTTLE = timedelta(seconds=4)


@asynccontextmanager
async def send_heartbeats(interval: timedelta = _HEARTBEAT_INTERVAL) -> AsyncIterator[None]:
    """Send heartbeats while the block runs; none outside of an activity."""
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
