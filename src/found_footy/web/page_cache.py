"""Pages that are made once for all who ask, and kept as bytes until something changes.

What takes long to make is made in a thread, one at a time: however many ask, the event loop is free for the others.
"""

import asyncio
import gzip
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import TypeVar
from weakref import WeakValueDictionary

from fastapi import Request, Response

from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger
from found_footy.web import metrics
from found_footy.web.hub import LiveHub

log = ActionLogger(__name__)
T = TypeVar("T")
PageLoader = Callable[[], Awaitable[Callable[[], bytes]]]
"""Reads what a page needs, and gives what writes it."""

# Besides what is stored a page shows how far away things are, and what day it is.
_MAX_AGE_SECONDS = 30.0
_MAX_STALE_SECONDS = 90.0
# A page that takes long to make is made less often: so many times what it took.
_REUSE_FACTOR = 4
_MAX_CACHE_BYTES = 32 * 1024 * 1024
_GZIP_LEVEL = 5


@dataclass(frozen=True)
class CachedPage:
    """`cursor` is what the page vouches for: every change up to there is in it."""

    cursor: str
    body: bytes
    gzipped: bytes
    etag: str
    rendered_at: float
    render_seconds: float

    @property
    def size(self) -> int:
        return len(self.body) + len(self.gzipped)


class PageCache:
    """`reuse_time` is how long a page is given out that a change has overtaken; 0 makes a page anew for everybody who
    asks unless nothing has changed.
    """

    def __init__(self, hub: LiveHub, reuse_time: timedelta) -> None:
        self._hub = hub
        self._reuse_seconds = reuse_time.total_seconds()
        self._pages: OrderedDict[Hashable, CachedPage] = OrderedDict()
        self._cached_bytes = 0
        self._render_locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._refresh_tasks: dict[Hashable, asyncio.Task[None]] = {}
        self._render_semaphore = asyncio.Semaphore(1)

    async def get(self, key: Hashable, load_page: PageLoader, seen_cursor: str | None = None) -> CachedPage:
        """The page under a key; of all who ask at once the first has it made. `seen_cursor` is the last change that the
        visitor was told of, which must be in it.
        """
        kept = self._pages.get(key)
        if kept is not None and self._is_fresh(kept, seen_cursor):
            self._pages.move_to_end(key)
            return kept
        if kept is not None and self._can_serve_stale(kept, seen_cursor):
            self._start_refresh(key, load_page)
            return kept
        return await self._get_fresh(key, load_page, seen_cursor)

    async def _get_fresh(self, key: Hashable, load_page: PageLoader, seen_cursor: str | None) -> CachedPage:
        lock = self._render_locks.get(key)
        if lock is None:
            lock = self._render_locks[key] = asyncio.Lock()
        async with lock:
            kept = self._pages.get(key)
            if kept is not None and self._is_fresh(kept, seen_cursor):
                return kept
            if kept is not None:
                await asyncio.sleep(self._remaining_reuse_seconds(kept))
            return await self._render_page(key, load_page)

    async def run_exclusively(self, work: Callable[[], T]) -> T:
        """Do what takes long in a thread, when nobody else does."""
        async with self._render_semaphore:
            return await asyncio.to_thread(work)

    def _is_fresh(self, page: CachedPage, seen_cursor: str | None) -> bool:
        if self._age_seconds(page) > _MAX_AGE_SECONDS:
            return False
        if self._hub.is_following and page.cursor == self._hub.cursor:
            return True
        if seen_cursor is not None and self._hub.is_later(seen_cursor, page.cursor):
            return False
        return self._remaining_reuse_seconds(page) > 0

    def _can_serve_stale(self, page: CachedPage, seen_cursor: str | None) -> bool:
        """Whether a page will do while the next one is made: nobody who only looks waits on a machine that is busy."""
        if seen_cursor is not None and self._hub.is_later(seen_cursor, page.cursor):
            return False
        return bool(self._reuse_seconds) and self._age_seconds(page) <= _MAX_STALE_SECONDS

    def _start_refresh(self, key: Hashable, load_page: PageLoader) -> None:
        if key in self._refresh_tasks:
            return
        task = self._refresh_tasks[key] = asyncio.create_task(self._refresh_page(key, load_page), name=f"render-{key}")
        task.add_done_callback(lambda _: self._refresh_tasks.pop(key, None))

    async def _refresh_page(self, key: Hashable, load_page: PageLoader) -> None:
        try:
            await self._get_fresh(key, load_page, None)
        except FoundFootyError as error:
            # Whoever asks when the page is too old is told the same.
            log.warning("a page was not renewed: %s", error, action="page_not_renewed")

    async def aclose(self) -> None:
        """Stop renewing."""
        tasks = list(self._refresh_tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _remaining_reuse_seconds(self, page: CachedPage) -> float:
        """How many seconds a page is good enough for whoever has seen no later change."""
        if not self._reuse_seconds:
            return 0.0
        return max(self._reuse_seconds, _REUSE_FACTOR * page.render_seconds) - self._age_seconds(page)

    def _age_seconds(self, page: CachedPage) -> float:
        return asyncio.get_running_loop().time() - page.rendered_at

    async def _render_page(self, key: Hashable, load_page: PageLoader) -> CachedPage:
        # The cursor is taken before the data: what changes in between is told again rather than missed.
        cursor = self._hub.cursor
        write = await load_page()
        body, packed, seconds = await self.run_exclusively(lambda: _render_and_compress(write))
        metrics.RENDER_SECONDS.observe(seconds)
        tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        kept = CachedPage(cursor, body, packed, tag, asyncio.get_running_loop().time(), seconds)
        self._store_page(key, kept)
        return kept

    def _store_page(self, key: Hashable, page: CachedPage) -> None:
        """What was asked for longest ago goes first when there is too much."""
        replaced = self._pages.pop(key, None)
        self._pages[key] = page
        self._cached_bytes += page.size - (replaced.size if replaced else 0)
        while self._cached_bytes > _MAX_CACHE_BYTES and len(self._pages) > 1:
            _, oldest = self._pages.popitem(last=False)
            self._cached_bytes -= oldest.size


def _render_and_compress(render: Callable[[], bytes]) -> tuple[bytes, bytes, float]:
    since = time.perf_counter()
    body = render()
    packed = gzip.compress(body, _GZIP_LEVEL, mtime=0)
    return body, packed, time.perf_counter() - since


def has_matching_etag(request: Request, etag: str) -> bool:
    """Whether a client says that it has what this entity tag names."""
    bare = etag.removeprefix("W/")
    return bare in re.split(r",\s*", request.headers.get("if-none-match", "").replace("W/", ""))


def respond_with_page(request: Request, page: CachedPage, media_type: str) -> Response:
    headers = {"ETag": page.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding, Cookie"}
    if has_matching_etag(request, page.etag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(page.gzipped, media_type=media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(page.body, media_type=media_type, headers=headers)
