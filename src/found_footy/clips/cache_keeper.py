"""Keeps a worker's cache of clips free of what was taken down and of what is old, while the worker runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from datetime import timedelta

from found_footy.clips.cache import ClipCache
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger

Blocked = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Which of these files, by their MD5, were taken down."""

log = ActionLogger(__name__)


async def none_blocked(_: Collection[str]) -> Collection[str]:
    return ()


class CacheKeeper:
    def __init__(self, cache: ClipCache, blocked: Blocked, every: timedelta) -> None:
        self._cache = cache
        self._blocked = blocked
        self._every = every.total_seconds()

    async def look(self) -> None:
        """Once: delete what is old, then what was taken down."""
        await self._cache.expire()
        blocked = await self._blocked(await self._cache.names())
        for md5 in sorted(blocked):
            await self._cache.forget(md5)
            log.info("a file that was taken down is deleted from the cache", action="cache_blocked", md5=md5)

    async def run(self) -> None:
        """For ever. A look that fails is made good by the next one."""
        while True:
            try:
                await self.look()
            except (FoundFootyError, OSError) as error:
                log.warning("the cache of clips was not looked through: %s", error, action="cache_not_kept")
            await asyncio.sleep(self._every)


@asynccontextmanager
async def kept(keeper: CacheKeeper) -> AsyncIterator[None]:
    task = asyncio.create_task(keeper.run(), name="cache keeper")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
