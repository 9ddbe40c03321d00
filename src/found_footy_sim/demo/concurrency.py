"""Runs coroutines at the same time."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def gather_or_cancel(coroutines: Iterable[Coroutine[Any, Any, Any]]) -> None:
    """The first failure cancels the others."""
    tasks = [asyncio.create_task(each) for each in coroutines]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
