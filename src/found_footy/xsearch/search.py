"""One search: open the page, read what it receives, scroll until there is enough."""

import asyncio
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import quote

from found_footy.xsearch.errors import ProtocolDrift, RateLimited, SearchFailed, Transient
from found_footy.xsearch.harvest import Harvest, Stop, Wanted, gathered, second_pass
from found_footy.xsearch.signals import (
    Answer,
    NotFoundEmpty,
    View,
    judge_location,
    judge_page,
    judge_silence,
    read_answer,
)

_PASSES_IN_PART = 2


@dataclass(frozen=True)
class Moved:
    """The browser was led elsewhere."""

    url: str


@dataclass(frozen=True)
class Withheld:
    """The page wanted to make a search call that the budget does not allow; it was not made."""


Event = Answer | Moved | Withheld


class Tab(Protocol):
    """A tab of a browser, as a search needs it. Everything raises Transient when the browser is gone."""

    async def open(self, url: str) -> None:
        """Go there; raises the typed failure that the page's own answer means."""
        ...

    async def event(self, within: float) -> Event | None:
        """The next thing that happens, or None when nothing does within so many seconds."""
        ...

    async def scroll(self) -> None: ...

    async def view(self) -> View: ...


@dataclass(frozen=True)
class Manner:
    """How a search behaves. `linger` gives the wait before each scroll, in seconds, never twice the same."""

    site: str
    filter: str
    answer_timeout: timedelta
    scroll_timeout: timedelta
    time_limit: timedelta
    most_pages: int
    linger: Callable[[], float]


def search_url(manner: Manner, query: str) -> str:
    raw = f"{query} {manner.filter}".strip()
    return f"{manner.site}/search?q={quote(raw, safe='')}&src=typed_query&f=live"


def stretch(query: str, since: datetime, until: datetime) -> str:
    """`query` for what was posted from `since` until before `until`, to whole seconds."""
    return f"{query} since_time:{math.floor(since.timestamp())} until_time:{math.ceil(until.timestamp())}"


class Search:
    """One run of one search in one tab. `shells` is how many empty shells in a row came before it; an answer without
    posts is asked for `empty_passes` times before it counts as one.
    """

    def __init__(self, tab: Tab, manner: Manner, wanted: Wanted, shells: int = 0, empty_passes: int = 1) -> None:
        self._tab = tab
        self._manner = manner
        self._wanted = wanted
        self._shells = shells
        self._empty_passes = empty_passes
        self._most_pages = manner.most_pages
        self._harvest = Harvest()
        self._deadline = 0.0

    async def run(self, query: str) -> Harvest:
        """What was found. Raises SearchFailed when nothing could be read at all; later failures cut the search short.

        A page that the site admits to be partial is asked for once more. If it stays partial and has no posts at all,
        nothing is known, which is not the same as nothing being there.
        """
        self._deadline = asyncio.get_running_loop().time() + self._manner.time_limit.total_seconds()
        if self._wanted.stretch_end:
            self._most_pages = max(1, self._manner.most_pages // 2)
        await self._read_newest(search_url(self._manner, query))
        if self._harvest.stop is Stop.PAGES and self._wanted.stretch_end:
            await self._read_stretch(query, self._wanted.stretch_end)
        if self._harvest.incomplete and self._harvest.stop is not Stop.PAGES and not self._harvest.posts:
            raise self._harvest.failure or Transient("the site answers only in part, and without posts")
        return self._harvest

    async def _read_newest(self, url: str) -> None:
        empty = False
        for passes in itertools.count(1):
            await self._pass(url)
            empty = empty or not self._harvest.posts
            if not self._asks_again(passes):
                break
            self._harvest = second_pass(self._harvest)
        self._harvest = replace(self._harvest, contradicted=empty and self._harvest.posts > 0)

    def _asks_again(self, passes: int) -> bool:
        if self._harvest.stop is Stop.DEGRADED:
            return passes < _PASSES_IN_PART
        return not self._harvest.posts and passes < self._empty_passes

    async def _read_stretch(self, query: str, end: datetime) -> None:
        """The oldest part of what is asked for, which the newest posts alone did not reach. The search is complete only
        if both meet; the site answers some stretches of time with nothing for no reason.
        """
        newest = self._harvest
        until = min(end, newest.oldest or end)
        self._most_pages = self._manner.most_pages - newest.pages
        if until <= self._wanted.cutoff or self._most_pages < 1:
            return
        self._harvest = second_pass(newest)
        await self._pass(search_url(self._manner, stretch(query, self._wanted.cutoff, until)))
        met = newest.oldest is not None and newest.oldest <= end and self._harvest.posts > newest.posts
        self._harvest = replace(self._harvest, pages=newest.pages + self._harvest.pages)
        if not met and not self._harvest.incomplete:
            self._harvest = replace(self._harvest, stop=Stop.PAGES)

    async def _pass(self, url: str) -> None:
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._tab.open(url)
                await self._read_pages()
        except SearchFailed as failure:
            self._cut_short(Stop.FAILED, await self._looked_into(failure))
        except TimeoutError:
            self._cut_short(Stop.TIME, Transient("the search took too long"))

    async def _looked_into(self, failure: SearchFailed) -> SearchFailed:
        """A call that is answered with nothing at all may be a changed site, or a suspended account. The page tells."""
        if not isinstance(failure, NotFoundEmpty):
            return failure
        try:
            return judge_page(await self._tab.view()) or ProtocolDrift(failure.message)
        except SearchFailed:
            return ProtocolDrift(failure.message)

    def _cut_short(self, stop: Stop, failure: SearchFailed) -> None:
        if not self._harvest.posts:
            raise failure
        self._harvest = replace(self._harvest, stop=stop, failure=failure)

    async def _read_pages(self) -> None:
        await self._take(await self._first_answer())
        while self._harvest.stop is None:
            event = await self._scrolled()
            if event is None:
                self._harvest = replace(self._harvest, stop=Stop.QUIET if self._harvest.posts else Stop.END)
            elif isinstance(event, Withheld):
                self._harvest = replace(self._harvest, stop=Stop.BUDGET)
            else:
                await self._take(event)

    async def _first_answer(self) -> Event:
        event = await self._tab.event(self._manner.answer_timeout.total_seconds())
        while isinstance(event, Moved) and judge_location(event.url) is None:
            event = await self._tab.event(self._manner.answer_timeout.total_seconds())
        if event is None:
            raise judge_silence(await self._tab.view(), self._shells)
        if isinstance(event, Withheld):
            raise RateLimited("our own request budget is used up")
        return event

    async def _scrolled(self) -> Event | None:
        """Scroll until something happens. The list is drawn after its data arrives, so once may be too early."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._manner.scroll_timeout.total_seconds()
        while (now := loop.time()) < deadline:
            event = await self._tab.event(min(self._manner.linger(), deadline - now))
            if event is not None:
                return event
            if not self._harvest.posts and (await self._tab.view()).empty_state:
                return None
            await self._tab.scroll()
        return None

    async def _take(self, event: Event) -> None:
        if isinstance(event, Moved):
            if failure := judge_location(event.url):
                raise failure
        elif isinstance(event, Answer):
            read = read_answer(event, self._manner.site)
            page, most = read.page, self._most_pages
            self._harvest = gathered(self._harvest, page, self._wanted, most, degraded=read.degraded)
