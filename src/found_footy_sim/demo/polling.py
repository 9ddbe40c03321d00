"""Polls until a condition holds or a timeout is reached."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from found_footy.platform.errors import ExternalSystemError

POLL_SECONDS = 0.05
SLOW_POLL_SECONDS = 0.5


async def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition held within that time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        await asyncio.sleep(POLL_SECONDS)
    return False


async def wait_until_answered(condition: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    """The same for a condition that asks another process; no answer counts as false."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if await condition():
                return True
        except ExternalSystemError:
            await asyncio.sleep(SLOW_POLL_SECONDS)
        await asyncio.sleep(SLOW_POLL_SECONDS)
    return False
