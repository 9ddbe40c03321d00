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
from found_footy.web.hub import Hub

log = ActionLogger(__name__)
T = TypeVar("T")
Make = Callable[[], Awaitable[Callable[[], bytes]]]
"""Reads what a page needs, and gives what writes it."""

# Besides what is stored a page shows how far away things are, and what day it is.
_LONGEST_KEPT = 30.0
_LONGEST_MEANWHILE = 90.0
# A page that takes long to make is made less often: so many times what it took.
_REST = 4
_MOST_BYTES = 32 * 1024 * 1024
_COMPRESSION = 5


@dataclass(frozen=True)
class Kept:
    """`cursor` is what the page vouches for: every change up to there is in it."""

    cursor: str
    body: bytes
    packed: bytes
    tag: str
    made_at: float
    seconds: float

    @property
    def size(self) -> int:
        return len(self.body) + len(self.packed)


class Rendered:
    """`reuse` is how long a page is given out that a change has overtaken; 0 makes a page anew for everybody who asks
    unless nothing has changed.
    """

    def __init__(self, hub: Hub, reuse: timedelta) -> None:
        self._hub = hub
        self._reuse = reuse.total_seconds()
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._bytes = 0
        self._making: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._renewing: dict[Hashable, asyncio.Task[None]] = {}
        self._turn = asyncio.Semaphore(1)

    async def get(self, key: Hashable, make: Make, seen: str | None = None) -> Kept:
        """The page under a key; of all who ask at once the first has it made. `seen` is the last change that the
        visitor was told of, which must be in it.
        """
        kept = self._kept.get(key)
        if kept is not None and self._serves(kept, seen):
            self._kept.move_to_end(key)
            return kept
        if kept is not None and self._serves_meanwhile(kept, seen):
            self._renew(key, make)
            return kept
        return await self._latest(key, make, seen)

    async def _latest(self, key: Hashable, make: Make, seen: str | None) -> Kept:
        lock = self._making.get(key)
        if lock is None:
            lock = self._making[key] = asyncio.Lock()
        async with lock:
            kept = self._kept.get(key)
            if kept is not None and self._serves(kept, seen):
                return kept
            if kept is not None:
                await asyncio.sleep(self._rest(kept))
            return await self._made(key, make)

    async def one_at_a_time(self, work: Callable[[], T]) -> T:
        """Do what takes long in a thread, when nobody else does."""
        async with self._turn:
            return await asyncio.to_thread(work)

    def _serves(self, kept: Kept, seen: str | None) -> bool:
        if self._age(kept) > _LONGEST_KEPT:
            return False
        if self._hub.following and kept.cursor == self._hub.cursor:
            return True
        if seen is not None and self._hub.is_later(seen, kept.cursor):
            return False
        return self._rest(kept) > 0

    def _serves_meanwhile(self, kept: Kept, seen: str | None) -> bool:
        """Whether a page will do while the next one is made: nobody who only looks waits on a machine that is busy."""
        if seen is not None and self._hub.is_later(seen, kept.cursor):
            return False
        return bool(self._reuse) and self._age(kept) <= _LONGEST_MEANWHILE

    def _renew(self, key: Hashable, make: Make) -> None:
        if key in self._renewing:
            return
        task = self._renewing[key] = asyncio.create_task(self._renewed(key, make), name=f"render-{key}")
        task.add_done_callback(lambda _: self._renewing.pop(key, None))

    async def _renewed(self, key: Hashable, make: Make) -> None:
        try:
            await self._latest(key, make, None)
        except FoundFootyError as error:
            # Whoever asks when the page is too old is told the same.
            log.warning("a page was not renewed: %s", error, action="page_not_renewed")

    async def aclose(self) -> None:
        """Stop renewing."""
        tasks = list(self._renewing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _rest(self, kept: Kept) -> float:
        """How many seconds a page is good enough for whoever has seen no later change."""
        if not self._reuse:
            return 0.0
        return max(self._reuse, _REST * kept.seconds) - self._age(kept)

    def _age(self, kept: Kept) -> float:
        return asyncio.get_running_loop().time() - kept.made_at

    async def _made(self, key: Hashable, make: Make) -> Kept:
        # The cursor is taken before the data: what changes in between is told again rather than missed.
        cursor = self._hub.cursor
        write = await make()
        body, packed, seconds = await self.one_at_a_time(lambda: _written(write))
        metrics.RENDERED.observe(seconds)
        tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        kept = Kept(cursor, body, packed, tag, asyncio.get_running_loop().time(), seconds)
        self._keep(key, kept)
        return kept

    def _keep(self, key: Hashable, kept: Kept) -> None:
        """What was asked for longest ago goes first when there is too much."""
        replaced = self._kept.pop(key, None)
        self._kept[key] = kept
        self._bytes += kept.size - (replaced.size if replaced else 0)
        while self._bytes > _MOST_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.size


def _written(write: Callable[[], bytes]) -> tuple[bytes, bytes, float]:
    since = time.perf_counter()
    body = write()
    packed = gzip.compress(body, _COMPRESSION, mtime=0)
    return body, packed, time.perf_counter() - since


def has(request: Request, tag: str) -> bool:
    """Whether a client says that it has what this entity tag names."""
    bare = tag.removeprefix("W/")
    return bare in re.split(r",\s*", request.headers.get("if-none-match", "").replace("W/", ""))


def respond(request: Request, kept: Kept, media_type: str) -> Response:
    headers = {"ETag": kept.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding, Cookie"}
    if has(request, kept.tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(kept.packed, media_type=media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(kept.body, media_type=media_type, headers=headers)
