"""The search service: one account, one browser, one search at a time."""

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait
from found_footy.xsearch import metrics
from found_footy.xsearch.browser.base import SearchBrowser
from found_footy.xsearch.browser.supervisor import BrowserSupervisor
from found_footy.xsearch.errors import SearchFailed, TransientFailure, UnconfirmedEmptyAnswer, XBlocked
from found_footy.xsearch.records import CanaryRecord, SearchRecord
from found_footy.xsearch.results.search_results import STOP_DESCRIPTIONS, SearchCriteria, SearchResults, StopReason
from found_footy.xsearch.search_run import SearchOptions, SearchRun, SearchTab
from found_footy.xsearch.session.account import SearchAccount
from found_footy.xsearch.session.budget_ledger import BudgetLedger
from found_footy.xsearch.session.cookie_file import CookieFile
from found_footy.xsearch.session.login import LoginService, restore_cookies, store_cookies_and_leave
from found_footy.xsearch.session.state import PauseDurations, SessionState
from found_footy.xsearch.settings import XSearchSettings
from found_footy.xsearch.throttle import SearchThrottle

logger = ActionLogger(__name__)

_HISTORY_LENGTH = 20
_CANARY_RESULT_LIMIT = 5
_MIN_CANARY_INTERVAL = timedelta(seconds=1)
MAX_SEARCH_AGE = timedelta(days=7)


@dataclass(frozen=True)
class SearchParameters:
    """A search request: posts since `since`, and those within `max_age` in any case. `exclude` holds ids of posts and
    keys of single videos.
    """

    query: str
    max_age: timedelta
    limit: int
    exclude: frozenset[str] = frozenset()
    since: datetime | None = None

    def cutoff(self, now: datetime) -> datetime:
        """Return the time of the oldest post wanted at `now`, bounded by how far back a search may reach."""
        recent = now - self.max_age
        return max(min(recent, self.since), now - MAX_SEARCH_AGE) if self.since else recent


async def _is_always_wanted() -> bool:
    return True


def _build_pause_durations(s: XSearchSettings) -> PauseDurations:
    return PauseDurations(s.pause_expired, s.pause_locked, s.pause_blocked, s.pause_drift)


def _limited_account_error() -> SearchFailed:
    """The canary found no post where there are always some."""
    return XBlocked("X shows this account no posts: it is restricted, without a message from X")


class XSearchService:
    """Runs one search at a time, and reports its state without using the browser."""

    def __init__(
        self,
        settings: XSearchSettings,
        launch: Callable[[], Awaitable[SearchBrowser]],
        ledger: BudgetLedger,
        cookie_file: CookieFile,
        *,
        clock: Clock = utc_now,
        random_fraction: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self.account = SearchAccount(ledger, cookie_file, _build_pause_durations(settings), clock)
        self.supervisor = BrowserSupervisor(
            launch, lambda browser: restore_cookies(browser, self.account), settings.browser_check
        )
        self.throttle = SearchThrottle(
            lambda: self._add_jitter(settings.spacing), settings.spacing, settings.patience, clock
        )
        self.login = LoginService(settings, self.account, self.supervisor, self.throttle)
        self.history: deque[SearchRecord] = deque(maxlen=_HISTORY_LENGTH)
        self.canary: CanaryRecord | None = None
        self.last_success: datetime | None = None
        self._random_fraction = random_fraction
        self._canary_due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Return at once; the browser starts in the background."""
        self._tasks = [
            asyncio.create_task(self._check_session_at_start(), name="session-check"),
            asyncio.create_task(self._run_canaries(), name="canary"),
            asyncio.create_task(self.supervisor.run(), name="browser-supervisor"),
        ]

    def drain(self) -> None:
        """Reject new searches; the running one may finish."""
        self.throttle.close()

    async def stop(self) -> None:
        self.drain()
        await self.login.stop()
        await self.throttle.wait_for_cleanup()
        for error in await cancel_and_wait(self._tasks):
            logger.error("a background task failed", action="stop", error=error)

    async def search(
        self, parameters: SearchParameters, is_still_wanted: Callable[[], Awaitable[bool]] = _is_always_wanted
    ) -> SearchResults:
        """Raises SearchFailed; empty results mean that the site has nothing.

        `is_still_wanted` is called before the search starts: no budget is spent for a caller that has disconnected.
        """
        self.account.raise_if_unavailable()
        async with self.throttle.acquire_search():
            self.account.raise_if_unavailable()
            if not await is_still_wanted():
                raise TransientFailure("the client has disconnected")
            return await self._run_recorded_search(parameters, self._explain_empty_answer)

    async def run_canary(self) -> CanaryRecord:
        """Run a search that must find something. A failure is its result, not an error."""
        asked = SearchParameters(self.settings.canary_query, MAX_SEARCH_AGE, _CANARY_RESULT_LIMIT)
        at = self.account.now()
        try:
            self.account.raise_if_unavailable()
            async with self.throttle.acquire_search(wait_indefinitely=True):
                results = await self._run_recorded_search(asked, _limited_account_error)
            detail = "" if results.videos else "found posts, but none with a video"
            self.canary = CanaryRecord(at, not detail, detail, results.posts, len(results.videos))
        except SearchFailed as failure:
            self.canary = CanaryRecord(at, False, f"{failure.code}: {failure.message}")
        finally:
            self._canary_due.clear()
        metrics.CANARY_OK.set(self.canary.ok)
        metrics.CANARY_TIME.set(at.timestamp())
        return self.canary

    @property
    def is_confirmed(self) -> bool:
        """Whether the account is known to work: the last canary found something, a search has since, or the account has
        changed.
        """
        if self._canary_due.is_set():
            return False
        if self.canary is None or self.canary.ok:
            return True
        since = (self.account.empty_answers.posts_at, self.account.login_at)
        return any(at and at > self.canary.at for at in since)

    def _explain_empty_answer(self) -> SearchFailed | None:
        """Return the failure to report for an empty answer, if it is not trusted."""
        now, s = self.account.now(), self.settings
        if s.canary_every <= timedelta(0) or self.account.empty_answers.is_trusted(now, s.empty_believed):
            return None
        self._canary_due.set()
        return UnconfirmedEmptyAnswer(
            "nothing was found, but X may show this account nothing at all; the canary search checks that first"
        )

    async def _run_recorded_search(
        self, parameters: SearchParameters, explain_empty: Callable[[], SearchFailed | None]
    ) -> SearchResults:
        """`explain_empty` returns the failure that an answer without posts means, None if it is a valid result."""
        blank, started = SearchRecord(self.account.now(), parameters.query, ""), time.monotonic()
        try:
            results = await self._run_search(parameters, explain_empty)
        except SearchFailed as failure:
            self._record_search(replace(blank, outcome=failure.code, detail=failure.message), started)
            raise
        done = replace(blank, videos=len(results.videos), posts=results.posts, pages=results.pages)
        detail = (
            results.failure.message if results.failure else STOP_DESCRIPTIONS.get(results.stop or StopReason.END, "")
        )
        self._record_search(
            replace(done, outcome="incomplete" if results.is_incomplete else "ok", detail=detail), started
        )
        metrics.REJECTED_IDS.inc(results.rejected_ids)
        return results

    def _record_search(self, record: SearchRecord, started: float) -> None:
        seconds = round(time.monotonic() - started, 3)
        self.history.appendleft(replace(record, seconds=seconds))
        metrics.SEARCHES.labels(record.outcome).inc()
        metrics.SEARCH_SECONDS.observe(seconds)
        metrics.VIDEOS_RETURNED.inc(record.videos)
        shown = {"outcome": record.outcome, "videos": record.videos, "pages": record.pages, "detail": record.detail}
        logger.info("searched", action="search", query=record.query, seconds=seconds, **shown)

    async def _run_search(
        self, parameters: SearchParameters, explain_empty: Callable[[], SearchFailed | None]
    ) -> SearchResults:
        wanted, shells = self._search_criteria(parameters), self.account.session.empty_shells
        passes = self.account.empty_answers.required_passes(self.account.now())
        try:
            results = await SearchRun(await self._get_tab(), self._search_options(), wanted, shells, passes).run(
                parameters.query
            )
            self.account.record_answer(posts=results.posts > 0, contradicted=results.contradicted)
            if not results.posts and (failure := explain_empty()):
                raise failure
        except SearchFailed as failure:
            if isinstance(failure, TransientFailure):
                self.supervisor.request_check()
            raise self.account.record_failure(failure) from failure
        finally:
            self.throttle.start_cleanup(self._leave_site())
        if results.failure:
            self.account.record_failure(results.failure)
        else:
            self.account.record_success()
            self.last_success = self.account.now()
        return results

    def _search_criteria(self, parameters: SearchParameters) -> SearchCriteria:
        now, near = self.account.now(), self.settings.near
        cutoff = parameters.cutoff(now)
        return SearchCriteria(
            cutoff, parameters.limit, parameters.exclude, cutoff + near if now - cutoff > near else None
        )

    async def _get_tab(self) -> SearchTab:
        browser = await self.supervisor.get_browser(self.settings.page_timeout)
        return await browser.get_tab()

    async def _leave_site(self) -> None:
        if browser := self.supervisor.running_browser:
            await store_cookies_and_leave(browser, self.account)

    def _search_options(self) -> SearchOptions:
        s = self.settings
        return SearchOptions(
            site=s.site,
            filter=s.filter,
            answer_timeout=s.answer_timeout,
            scroll_timeout=s.scroll_timeout,
            time_limit=s.time_limit,
            max_pages=s.most_pages,
            scroll_delay=lambda: self._add_jitter(s.scroll_linger),
        )

    def _add_jitter(self, minimum: timedelta) -> float:
        return minimum.total_seconds() * (1 + self.settings.jitter * self._random_fraction())

    async def _check_session_at_start(self) -> None:
        """Check once, when the browser runs, whether the stored log-in still works."""
        await self.supervisor.wait_until_running()
        if self.account.state is not SessionState.UNKNOWN:
            return
        try:
            await self.login.check_session()
        except SearchFailed as failure:
            logger.warning("the session could not be checked", action="first_look", error=failure.message)

    async def _run_canaries(self) -> None:
        while self.settings.canary_every > timedelta(0):
            await self._wait_for_canary()
            try:
                await self.run_canary()
            except OSError as error:
                # A full disk cannot record the call; there may be space in an hour.
                logger.exception("the canary could not be sent", action="canary", error=str(error))

    async def _wait_for_canary(self) -> None:
        """Wait for the usual interval, less if the last canary failed, and not at all when an empty answer is
        in doubt.
        """
        failed = self.canary is not None and not self.canary.ok
        sooner = max(self.settings.pause_blocked, _MIN_CANARY_INTERVAL)
        every = min(self.settings.canary_every, sooner) if failed else self.settings.canary_every
        try:
            async with asyncio.timeout(every.total_seconds()):
                await self._canary_due.wait()
        except TimeoutError:
            return
