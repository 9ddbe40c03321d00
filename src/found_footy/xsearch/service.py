"""The search service: one account, one browser, one search at a time."""

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from found_footy.xsearch import metrics
from found_footy.xsearch.account import Account
from found_footy.xsearch.errors import Blocked, SearchFailed, Transient, Unconfirmed
from found_footy.xsearch.harvest import IN_WORDS, Harvest, Stop, Wanted
from found_footy.xsearch.jar import CookieFile
from found_footy.xsearch.keeper import Keeper
from found_footy.xsearch.ledger import Ledger
from found_footy.xsearch.login import LogIn, restore, settle
from found_footy.xsearch.ports import Browser
from found_footy.xsearch.records import CanaryRecord, SearchRecord
from found_footy.xsearch.search import Manner, Search, Tab
from found_footy.xsearch.session import Pauses, SessionState
from found_footy.xsearch.settings import XSearchSettings
from found_footy.xsearch.turns import Turns

logger = logging.getLogger(__name__)

_REMEMBERED = 20
_CANARY_LIMIT = 5
_SOONEST_CANARY = timedelta(seconds=1)
LONGEST_AGE = timedelta(days=7)


@dataclass(frozen=True)
class Asked:
    """What a caller wants to have searched: what was posted from `since` on, and within `max_age` in any case.
    `exclude` holds ids of posts, and keys of single videos.
    """

    query: str
    max_age: timedelta
    limit: int
    exclude: frozenset[str] = frozenset()
    since: datetime | None = None

    def cutoff(self, now: datetime) -> datetime:
        """The oldest post that is wanted at `now`; how far a search reaches back has a limit all the same."""
        recent = now - self.max_age
        return max(min(recent, self.since), now - LONGEST_AGE) if self.since else recent


async def _always() -> bool:
    return True


def utc_now() -> datetime:
    return datetime.now(UTC)


def _pauses(s: XSearchSettings) -> Pauses:
    return Pauses(s.pause_expired, s.pause_locked, s.pause_blocked, s.pause_drift)


def _limited() -> SearchFailed:
    """The canary found no post where there are always some."""
    return Blocked("X shows this account no posts: it is limited, though nothing says so")


class XSearch:
    """Searches in turn, and can tell its state at any time without touching the browser."""

    def __init__(
        self,
        settings: XSearchSettings,
        launch: Callable[[], Awaitable[Browser]],
        ledger: Ledger,
        cookie_file: CookieFile,
        *,
        clock: Callable[[], datetime] = utc_now,
        dice: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self.account = Account(ledger, cookie_file, _pauses(settings), clock)
        self.keeper = Keeper(launch, lambda browser: restore(browser, self.account), settings.browser_check)
        self.turns = Turns(lambda: self._stretched(settings.spacing), settings.spacing, settings.patience, clock)
        self.login = LogIn(settings, self.account, self.keeper, self.turns)
        self.history: deque[SearchRecord] = deque(maxlen=_REMEMBERED)
        self.canary: CanaryRecord | None = None
        self.last_success: datetime | None = None
        self._dice = dice
        self._canary_due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Returns at once; the browser comes up meanwhile."""
        self._tasks = [
            asyncio.create_task(self._first_look(), name="first-look"),
            asyncio.create_task(self._canaries(), name="canary"),
            asyncio.create_task(self.keeper.run(), name="browser-keeper"),
        ]

    def drain(self) -> None:
        """Take nothing new; what is under way may finish."""
        self.turns.close()

    async def stop(self) -> None:
        self.drain()
        await self.login.stop()
        await self.turns.settled()
        for task in self._tasks:
            task.cancel()
        for result in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(result, Exception):
                logger.error("a background task failed", extra={"action": "stop", "error": result})

    async def search(self, asked: Asked, still_wanted: Callable[[], Awaitable[bool]] = _always) -> Harvest:
        """Raises SearchFailed; an empty harvest means that the site has nothing.

        `still_wanted` is asked when the turn has come: the budget is not spent for somebody who has gone.
        """
        self.account.refuse()
        async with self.turns.search():
            self.account.refuse()
            if not await still_wanted():
                raise Transient("whoever asked has gone")
            return await self._recorded(asked, self._doubt)

    async def run_canary(self) -> CanaryRecord:
        """A search that must find something. A failure is its result, not an error."""
        asked = Asked(self.settings.canary_query, LONGEST_AGE, _CANARY_LIMIT)
        at = self.account.now()
        try:
            self.account.refuse()
            async with self.turns.search(patient=True):
                harvest = await self._recorded(asked, _limited)
            detail = "" if harvest.videos else "found posts, but a video in none of them"
            self.canary = CanaryRecord(at, not detail, detail, harvest.posts, len(harvest.videos))
        except SearchFailed as failure:
            self.canary = CanaryRecord(at, False, f"{failure.code}: {failure.message}")
        finally:
            self._canary_due.clear()
        metrics.CANARY_OK.set(self.canary.ok)
        metrics.CANARY_TIME.set(at.timestamp())
        return self.canary

    @property
    def confirmed(self) -> bool:
        """Whether nothing speaks against the account: its last canary found something, a search has since, or the
        account is another one.
        """
        if self._canary_due.is_set():
            return False
        if self.canary is None or self.canary.ok:
            return True
        since = (self.account.emptiness.posts_at, self.account.login_at)
        return any(at and at > self.canary.at for at in since)

    def _doubt(self) -> SearchFailed | None:
        """What an empty answer means instead of "nothing there", if it is not believed."""
        now, s = self.account.now(), self.settings
        if s.canary_every <= timedelta(0) or self.account.emptiness.believed(now, s.empty_believed):
            return None
        self._canary_due.set()
        return Unconfirmed("nothing was found, but X may show this account nothing at all; that is looked into first")

    async def _recorded(self, asked: Asked, meaning: Callable[[], SearchFailed | None]) -> Harvest:
        """`meaning` says what an answer without posts is, if it is not taken as "nothing there"."""
        blank, started = SearchRecord(self.account.now(), asked.query, ""), time.monotonic()
        try:
            harvest = await self._search(asked, meaning)
        except SearchFailed as failure:
            self._record(replace(blank, outcome=failure.code, detail=failure.message), started)
            raise
        done = replace(blank, videos=len(harvest.videos), posts=harvest.posts, pages=harvest.pages)
        detail = harvest.failure.message if harvest.failure else IN_WORDS.get(harvest.stop or Stop.END, "")
        self._record(replace(done, outcome="incomplete" if harvest.incomplete else "ok", detail=detail), started)
        metrics.REJECTED_IDS.inc(harvest.rejected_ids)
        return harvest

    def _record(self, record: SearchRecord, started: float) -> None:
        seconds = round(time.monotonic() - started, 3)
        self.history.appendleft(replace(record, seconds=seconds))
        metrics.SEARCHES.labels(record.outcome).inc()
        metrics.SECONDS.observe(seconds)
        metrics.VIDEOS.inc(record.videos)
        shown = {"outcome": record.outcome, "videos": record.videos, "pages": record.pages, "detail": record.detail}
        logger.info("searched", extra={"action": "search", "query": record.query, "seconds": seconds, **shown})

    async def _search(self, asked: Asked, meaning: Callable[[], SearchFailed | None]) -> Harvest:
        wanted, shells = self._wanted(asked), self.account.session.shells
        passes = self.account.emptiness.passes(self.account.now())
        try:
            harvest = await Search(await self._tab(), self._manner(), wanted, shells, passes).run(asked.query)
            self.account.heard(posts=harvest.posts > 0, contradicted=harvest.contradicted)
            if not harvest.posts and (failure := meaning()):
                raise failure
        except SearchFailed as failure:
            if isinstance(failure, Transient):
                self.keeper.suspect()
            raise self.account.failed(failure) from failure
        finally:
            self.turns.leave_behind(self._settle())
        if harvest.failure:
            self.account.failed(harvest.failure)
        else:
            self.account.succeeded()
            self.last_success = self.account.now()
        return harvest

    def _wanted(self, asked: Asked) -> Wanted:
        now, near = self.account.now(), self.settings.near
        cutoff = asked.cutoff(now)
        return Wanted(cutoff, asked.limit, asked.exclude, cutoff + near if now - cutoff > near else None)

    async def _tab(self) -> Tab:
        browser = await self.keeper.browser(self.settings.page_timeout)
        return await browser.tab()

    async def _settle(self) -> None:
        if browser := self.keeper.present:
            await settle(browser, self.account)

    def _manner(self) -> Manner:
        s = self.settings
        return Manner(
            site=s.site,
            filter=s.filter,
            answer_timeout=s.answer_timeout,
            scroll_timeout=s.scroll_timeout,
            time_limit=s.time_limit,
            most_pages=s.most_pages,
            linger=lambda: self._stretched(s.scroll_linger),
        )

    def _stretched(self, least: timedelta) -> float:
        return least.total_seconds() * (1 + self.settings.jitter * self._dice())

    async def _first_look(self) -> None:
        """Once, when the browser is up: does the stored log-in still work?"""
        await self.keeper.up()
        if self.account.state is not SessionState.UNKNOWN:
            return
        try:
            await self.login.check()
        except SearchFailed as failure:
            logger.warning("the session could not be tried", extra={"action": "first_look", "error": failure.message})

    async def _canaries(self) -> None:
        while self.settings.canary_every > timedelta(0):
            await self._until_canary_is_due()
            try:
                await self.run_canary()
            except OSError as error:
                # A full disk takes no note of the call; it may be gone in an hour.
                logger.exception("the canary could not be sent", extra={"action": "canary", "error": str(error)})

    async def _until_canary_is_due(self) -> None:
        """After the usual time, sooner if the last one failed, and at once when an empty answer is in doubt."""
        failed = self.canary is not None and not self.canary.ok
        sooner = max(self.settings.pause_blocked, _SOONEST_CANARY)
        every = min(self.settings.canary_every, sooner) if failed else self.settings.canary_every
        try:
            async with asyncio.timeout(every.total_seconds()):
                await self._canary_due.wait()
        except TimeoutError:
            return
