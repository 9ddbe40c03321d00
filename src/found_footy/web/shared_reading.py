"""A reading that all requests share: read by the first that needs it, kept for a while."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedReading(Generic[T]):
    """Requests that come while the data are read wait for that reading. With a `reuse` of 0 every request reads. A
    reading that fails is not kept.
    """

    def __init__(self, read: Callable[[], Awaitable[T]], reuse: timedelta) -> None:
        self._read = read
        self._reuse_seconds = reuse.total_seconds()
        self._lock = asyncio.Lock()
        self._kept: tuple[float, T] | None = None

    async def get(self) -> T:
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._kept is None or now - self._kept[0] >= self._reuse_seconds:
                self._kept = (asyncio.get_running_loop().time(), await self._read())
            return self._kept[1]
