"""Deletes old clips and clips that were taken down from a worker's cache, while the worker runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from datetime import timedelta

from found_footy.clips.fetch.cache import ClipCache
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait

FindBlocked = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Returns those of the given MD5s that were taken down."""

logger = ActionLogger(__name__)


async def find_none_blocked(_: Collection[str]) -> Collection[str]:
    return ()


class CacheSweeper:
    def __init__(self, cache: ClipCache, find_blocked: FindBlocked, interval: timedelta) -> None:
        self._cache = cache
        self._find_blocked = find_blocked
        self._interval_seconds = interval.total_seconds()

    async def sweep(self) -> None:
        """One sweep: delete old clips, then those that were taken down."""
        await self._cache.delete_expired()
        blocked = await self._find_blocked(await self._cache.list_md5s())
        for md5 in sorted(blocked):
            await self._cache.delete(md5)
            logger.info("deleted from the cache: the file was taken down", action="cache_blocked", md5=md5)

    async def run(self) -> None:
        """Sweep for ever. A failed sweep is made up for by the next one."""
        while True:
            try:
                await self.sweep()
            except (FoundFootyError, OSError) as error:
                logger.warning("the clip cache was not swept: %s", error, action="cache_not_kept")
            await asyncio.sleep(self._interval_seconds)


@asynccontextmanager
async def run_cache_sweeper(sweeper: CacheSweeper) -> AsyncIterator[None]:
    task = asyncio.create_task(sweeper.run(), name="cache-sweeper")
    try:
        yield
    finally:
        await cancel_and_wait([task])
