"""Ends background tasks."""

import asyncio
from collections.abc import Iterable
from typing import Any

# Longer than any of these tasks takes to close what it has open.
_CANCEL_AGAIN_SECONDS = 10.0


async def cancel_and_wait(
    tasks: Iterable["asyncio.Task[Any]"], again_seconds: float = _CANCEL_AGAIN_SECONDS
) -> list[Exception]:
    """Cancel the tasks, wait until all have ended, and return the errors of those that failed.

    A task that goes on is cancelled again: before Python 3.12 `asyncio.wait_for`, which the libraries of NATS and
    MongoDB use, swallows a cancellation that arrives together with an answer. Whoever waited for such a task after one
    cancellation would wait for ever.
    """
    ended = list(tasks)
    pending = {task for task in ended if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=again_seconds)
    errors = [task.exception() for task in ended if not task.cancelled()]
    return [error for error in errors if isinstance(error, Exception)]
