"""How long tests wait for what must happen: one place for all of them.

A condition that holds ends its wait at once, so a long limit costs time only in a test that fails. How fast something
happens says more about the machine than about the product: where a limit is the matter of a test, it stands there.
"""

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

# A machine that is slower or more crowded than any so far: more than 1.
_FACTOR = float(os.environ.get("TEST_PATIENCE", "1"))
# What takes a second on a quiet machine.
PATIENCE_SECONDS = 180.0 * _FACTOR
PATIENCE = timedelta(seconds=PATIENCE_SECONDS)
_POLL_SECONDS = 0.05


def patient(seconds: float) -> float:
    """A limit for what takes longer than most: never less than that of the others."""
    return max(seconds * _FACTOR, PATIENCE_SECONDS)


class Eventually(Protocol):
    async def __call__(self, predicate: Callable[[], T | Awaitable[T]], timeout: float = ...) -> T: ...  # noqa: ASYNC109


async def eventually(predicate: Callable[[], T | Awaitable[T]], timeout: float = 0.0) -> T:  # noqa: ASYNC109
    """The first true answer of `predicate`, which may be async."""
    limit = patient(timeout)
    deadline = time.monotonic() + limit
    while True:
        answer = predicate()
        value: Any = await answer if inspect.isawaitable(answer) else answer
        if value:
            result: T = value
            return result
        assert time.monotonic() < deadline, f"not within {limit:g} s: {inspect.getsource(predicate).strip()}"
        await asyncio.sleep(_POLL_SECONDS)


def wait_until(condition: Callable[[], T], otherwise: Callable[[], str], timeout: float = 0.0) -> T:
    """The same for a test without an event loop; `otherwise` tells what is there when it does not happen."""
    limit = patient(timeout)
    deadline = time.monotonic() + limit
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"not within {limit:g} s: {otherwise()}"
        time.sleep(_POLL_SECONDS)
    return answer
