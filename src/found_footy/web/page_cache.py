"""Cache of rendered pages: rendered once for all visitors and kept as bytes until something changes.

Rendering runs in a thread, one page at a time, so that the event loop stays free for other requests.
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
from found_footy.platform.tasks import cancel_and_wait
from found_footy.web import metrics
from found_footy.web.hub import LiveHub

logger = ActionLogger(__name__)
T = TypeVar("T")
PageLoader = Callable[[], Awaitable[Callable[[], bytes]]]
"""Reads the data of a page and returns the function that renders it."""

# A page also shows relative times and the current day, so it expires without a change.
_MAX_AGE_SECONDS = 30.0
_MAX_STALE_SECONDS = 90.0
# A page that is slow to render is rendered less often: it is reused for this many times its rendering time.
_REUSE_FACTOR = 4
_MAX_CACHE_BYTES = 32 * 1024 * 1024
_GZIP_LEVEL = 5


class PageNotShown(Exception):
    """Raised by a loader: there is no such page, for the reason that the subclass gives."""


@dataclass(frozen=True)
class CachedPage:
    """`key` is the one it is kept under; `cursor`: every change up to it is in the page."""

    key: Hashable
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
    """`reuse_time` is how long a page is served although a change is newer; with 0 a page is reused only if nothing
    changed.
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
        """Return the page under a key; concurrent requests share one rendering. `seen_cursor` is the last change that
        the visitor's browser received, which must be in the page.
        """
        cached = self._pages.get(key)
        if cached is not None and self._is_fresh(cached, seen_cursor):
            self._pages.move_to_end(key)
            return cached
        if cached is not None and self._can_serve_stale(cached, seen_cursor):
            self._start_refresh(key, load_page)
            return cached
        return await self._get_fresh(key, load_page, seen_cursor)

    def find_fresh(self, key: Hashable) -> CachedPage | None:
        """The page under a key, if a visitor who has seen no later change may get it as it is."""
        cached = self._pages.get(key)
        if cached is None or not self._is_fresh(cached, None):
            return None
        self._pages.move_to_end(key)
        return cached

    async def _get_fresh(self, key: Hashable, load_page: PageLoader, seen_cursor: str | None) -> CachedPage:
        lock = self._render_locks.get(key)
        if lock is None:
            lock = self._render_locks[key] = asyncio.Lock()
        async with lock:
            cached = self._pages.get(key)
            if cached is not None and self._is_fresh(cached, seen_cursor):
                return cached
            if cached is not None:
                await asyncio.sleep(self._remaining_reuse_seconds(cached))
            return await self._render_page(key, load_page)

    async def run_exclusively(self, work: Callable[[], T]) -> T:
        """Run slow work in a thread, one at a time."""
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
        """Whether a page may be served while its successor is rendered: on a busy machine a visit does not wait."""
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
            # A request for the page once it is too old gets this error itself.
            logger.warning("a cached page was not renewed: %s", error, action="page_not_renewed")
        except PageNotShown as error:
            # What it shows was removed or has another address: the next request gets this answer itself.
            self._remove_page(key)
            logger.info("a cached page was removed: %r", error, action="page_removed")

    def _remove_page(self, key: Hashable) -> None:
        if (removed := self._pages.pop(key, None)) is not None:
            self._cached_bytes -= removed.size

    async def aclose(self) -> None:
        """Cancel the refresh tasks."""
        await cancel_and_wait(list(self._refresh_tasks.values()))

    def _remaining_reuse_seconds(self, page: CachedPage) -> float:
        """Return for how many seconds the page may be served to visitors who have seen no later change."""
        if not self._reuse_seconds:
            return 0.0
        return max(self._reuse_seconds, _REUSE_FACTOR * page.render_seconds) - self._age_seconds(page)

    def _age_seconds(self, page: CachedPage) -> float:
        return asyncio.get_running_loop().time() - page.rendered_at

    async def _render_page(self, key: Hashable, load_page: PageLoader) -> CachedPage:
        # The cursor is read before the data: a change in between is sent again rather than missed.
        cursor = self._hub.cursor
        write = await load_page()
        body, packed, seconds = await self.run_exclusively(lambda: _render_and_compress(write))
        metrics.RENDER_SECONDS.observe(seconds)
        tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        cached = CachedPage(key, cursor, body, packed, tag, asyncio.get_running_loop().time(), seconds)
        self._store_page(key, cached)
        return cached

    def _store_page(self, key: Hashable, page: CachedPage) -> None:
        """Store the page and evict the least recently used ones above the size limit."""
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
    """Whether the client already has the version that this entity tag names."""
    return matches_etag(request.headers.get("if-none-match", ""), etag)


def matches_etag(if_none_match: str, etag: str) -> bool:
    return bool(if_none_match) and etag.removeprefix("W/") in re.split(r",\s*", if_none_match.replace("W/", ""))


def build_page_headers(page: CachedPage, media_type: str, *, is_known: bool, is_packed: bool) -> dict[str, str]:
    """The headers of an answer with a page; `is_known`: the client has it already."""
    headers = {"ETag": page.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding, Cookie"}
    if is_known:
        return headers
    charset = "; charset=utf-8" if media_type.startswith("text/") and "charset" not in media_type else ""
    packed = {"Content-Encoding": "gzip"} if is_packed else {}
    return {**headers, "Content-Type": f"{media_type}{charset}", **packed}


def respond_with_page(request: Request, page: CachedPage, media_type: str) -> Response:
    """Answer with a page, and remember that this request is answered with it."""
    request.app.state.web.cached_answers.remember(request.scope, page, media_type)
    is_known = has_matching_etag(request, page.etag)
    is_packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = build_page_headers(page, media_type, is_known=is_known, is_packed=is_packed)
    if is_known:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(page.gzipped if is_packed else page.body, headers=headers)
