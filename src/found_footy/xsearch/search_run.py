"""One search: opens the page, reads its answers, scrolls until there is enough."""

import asyncio
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import quote

from found_footy.xsearch.errors import SearchFailed, TransientFailure, XProtocolDrift, XRateLimited
from found_footy.xsearch.results.responses import (
    EmptyNotFound,
    PageSnapshot,
    TimelineResponse,
    classify_location,
    classify_page,
    classify_silence,
    parse_response,
)
from found_footy.xsearch.results.search_results import (
    SearchCriteria,
    SearchResults,
    StopReason,
    add_page,
    restart_from_top,
)

_MAX_DEGRADED_PASSES = 2


@dataclass(frozen=True)
class NavigationEvent:
    """The browser was redirected."""

    url: str


@dataclass(frozen=True)
class WithheldCallEvent:
    """The page attempted a search call that the budget does not allow; it was not made."""


TabEvent = TimelineResponse | NavigationEvent | WithheldCallEvent


class SearchTab(Protocol):
    """A browser tab as a search needs it. Every method raises TransientFailure when the browser is gone."""

    async def open(self, url: str) -> None:
        """Open `url`; raises the typed failure that the page's own answer means."""
        ...

    async def next_event(self, timeout_seconds: float) -> TabEvent | None:
        """Return the next event, or None if there is none within the timeout."""
        ...

    async def scroll(self) -> None: ...

    async def take_snapshot(self) -> PageSnapshot: ...


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search. `scroll_delay` returns the wait before each scroll in seconds, varied at random."""

    site: str
    filter: str
    answer_timeout: timedelta
    scroll_timeout: timedelta
    time_limit: timedelta
    max_pages: int
    scroll_delay: Callable[[], float]


def build_search_url(options: SearchOptions, query: str) -> str:
    raw = f"{query} {options.filter}".strip()
    return f"{options.site}/search?q={quote(raw, safe='')}&src=typed_query&f=live"


def build_backfill_query(query: str, since: datetime, until: datetime) -> str:
    """Restrict `query` to posts from `since` until before `until`, in whole seconds."""
    return f"{query} since_time:{math.floor(since.timestamp())} until_time:{math.ceil(until.timestamp())}"


class SearchRun:
    """One run of one search in one tab. `shells_before` counts the empty shells in a row before it; an answer without
    posts is requested `empty_passes` times before it counts.
    """

    def __init__(
        self,
        tab: SearchTab,
        options: SearchOptions,
        criteria: SearchCriteria,
        shells_before: int = 0,
        empty_passes: int = 1,
    ) -> None:
        self._tab = tab
        self._options = options
        self._criteria = criteria
        self._shells_before = shells_before
        self._empty_passes = empty_passes
        self._max_pages = options.max_pages
        self._results = SearchResults()
        self._deadline = 0.0

    async def run(self, query: str) -> SearchResults:
        """Search and return the results. Raises SearchFailed when nothing could be read; later failures cut the search
        short.

        A page that the site reports as partial is requested once more. If it stays partial and has no posts, that is a
        failure, not an empty result.
        """
        self._deadline = asyncio.get_running_loop().time() + self._options.time_limit.total_seconds()
        if self._criteria.backfill_end:
            self._max_pages = max(1, self._options.max_pages // 2)
        await self._read_newest(build_search_url(self._options, query))
        if self._results.stop is StopReason.PAGES and self._criteria.backfill_end:
            await self._read_backfill(query, self._criteria.backfill_end)
        if self._results.is_incomplete and self._results.stop is not StopReason.PAGES and not self._results.posts:
            raise self._results.failure or TransientFailure("the site answers only partially, and without posts")
        return self._results

    async def _read_newest(self, url: str) -> None:
        empty = False
        for passes in itertools.count(1):
            await self._run_pass(url)
            empty = empty or not self._results.posts
            if not self._is_repeat_needed(passes):
                break
            self._results = restart_from_top(self._results)
        self._results = replace(self._results, contradicted=empty and self._results.posts > 0)

    def _is_repeat_needed(self, passes: int) -> bool:
        if self._results.stop is StopReason.DEGRADED:
            return passes < _MAX_DEGRADED_PASSES
        return not self._results.posts and passes < self._empty_passes

    async def _read_backfill(self, query: str, end: datetime) -> None:
        """Read the oldest part of the requested time span, which the newest posts did not reach. The search is complete
        only if both parts meet; the site sometimes answers a time span with nothing for no reason.
        """
        newest = self._results
        until = min(end, newest.oldest or end)
        self._max_pages = self._options.max_pages - newest.pages
        if until <= self._criteria.cutoff or self._max_pages < 1:
            return
        self._results = restart_from_top(newest)
        await self._run_pass(build_search_url(self._options, build_backfill_query(query, self._criteria.cutoff, until)))
        parts_meet = newest.oldest is not None and newest.oldest <= end and self._results.posts > newest.posts
        self._results = replace(self._results, pages=newest.pages + self._results.pages)
        if not parts_meet and not self._results.is_incomplete:
            self._results = replace(self._results, stop=StopReason.PAGES)

    async def _run_pass(self, url: str) -> None:
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._tab.open(url)
                await self._read_pages()
        except SearchFailed as failure:
            self._stop_with_failure(StopReason.FAILED, await self._diagnose_failure(failure))
        except TimeoutError:
            self._stop_with_failure(StopReason.TIME, TransientFailure("the search took too long"))

    async def _diagnose_failure(self, failure: SearchFailed) -> SearchFailed:
        """A call answered with an empty 404 may mean a changed site or a suspended account; the page shows which."""
        if not isinstance(failure, EmptyNotFound):
            return failure
        try:
            return classify_page(await self._tab.take_snapshot()) or XProtocolDrift(failure.message)
        except SearchFailed:
            return XProtocolDrift(failure.message)

    def _stop_with_failure(self, stop: StopReason, failure: SearchFailed) -> None:
        if not self._results.posts:
            raise failure
        self._results = replace(self._results, stop=stop, failure=failure)

    async def _read_pages(self) -> None:
        await self._process_event(await self._wait_for_first_response())
        while self._results.stop is None:
            event = await self._scroll_for_event()
            if event is None:
                self._results = replace(self._results, stop=StopReason.QUIET if self._results.posts else StopReason.END)
            elif isinstance(event, WithheldCallEvent):
                self._results = replace(self._results, stop=StopReason.BUDGET)
            else:
                await self._process_event(event)

    async def _wait_for_first_response(self) -> TabEvent:
        event = await self._tab.next_event(self._options.answer_timeout.total_seconds())
        while isinstance(event, NavigationEvent) and classify_location(event.url) is None:
            event = await self._tab.next_event(self._options.answer_timeout.total_seconds())
        if event is None:
            raise classify_silence(await self._tab.take_snapshot(), self._shells_before)
        if isinstance(event, WithheldCallEvent):
            raise XRateLimited("the service's request budget is used up")
        return event

    async def _scroll_for_event(self) -> TabEvent | None:
        """Scroll until an event arrives. The list is rendered after its data arrives, so a first scroll may be too
        early.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._options.scroll_timeout.total_seconds()
        while (now := loop.time()) < deadline:
            event = await self._tab.next_event(min(self._options.scroll_delay(), deadline - now))
            if event is not None:
                return event
            if not self._results.posts and (await self._tab.take_snapshot()).empty_state:
                return None
            await self._tab.scroll()
        return None

    async def _process_event(self, event: TabEvent) -> None:
        if isinstance(event, NavigationEvent):
            if failure := classify_location(event.url):
                raise failure
        elif isinstance(event, TimelineResponse):
            read = parse_response(event, self._options.site)
            page, most = read.page, self._max_pages
            self._results = add_page(self._results, page, self._criteria, most, degraded=read.degraded)
