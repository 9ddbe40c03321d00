"""Keeps a browser running: starts it, prepares it, restarts it when it is gone or does not answer."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from enum import StrEnum

from found_footy.platform.logs import ActionLogger
from found_footy.xsearch import metrics
from found_footy.xsearch.browser.base import SearchBrowser
from found_footy.xsearch.errors import TransientFailure

logger = ActionLogger(__name__)

_FIRST_RESTART_DELAY = 1.0
_MAX_RESTART_DELAY = 60.0
# A loaded machine may delay one answer.
_MAX_MISSED_PINGS = 2


class BrowserState(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    SILENT = "silent"  # it runs, but did not answer the last ping
    FAILED = "failed"
    STOPPED = "stopped"


class BrowserSupervisor:
    """`prepare` is called with every new browser first, to restore its cookies. A running browser is pinged every
    `check_interval`: neither a hanging browser nor the death of its driver raises an event.
    """

    def __init__(
        self,
        launch: Callable[[], Awaitable[SearchBrowser]],
        prepare: Callable[[SearchBrowser], Awaitable[None]],
        check_interval: timedelta,
    ) -> None:
        self._launch = launch
        self._prepare = prepare
        self._check_interval = check_interval.total_seconds()
        self._check_requested = asyncio.Event()
        self._browser: SearchBrowser | None = None
        self._ready = asyncio.Event()
        self.state = BrowserState.STARTING
        self.detail = ""
        self.restarts = 0

    async def get_browser(self, max_wait: timedelta) -> SearchBrowser:
        """Return the running browser; waits for one that is starting. Raises TransientFailure after `max_wait`."""
        try:
            async with asyncio.timeout(max_wait.total_seconds()):
                await self._ready.wait()
        except TimeoutError as error:
            raise TransientFailure(f"the browser is not running ({self.detail or self.state})") from error
        if self._browser is None:
            raise TransientFailure("the browser has exited")
        return self._browser

    @property
    def running_browser(self) -> SearchBrowser | None:
        """The running browser, if there is one now."""
        return self._browser if self._ready.is_set() else None

    async def wait_until_running(self) -> None:
        """Wait without a timeout until a browser runs."""
        await self._ready.wait()

    def request_check(self) -> None:
        """Ping the browser now, after a failure that a working browser does not have."""
        self._check_requested.set()

    async def run(self) -> None:
        """Run until cancelled; then close the browser."""
        wait = _FIRST_RESTART_DELAY
        try:
            while True:
                if await self._run_browser_once():
                    wait = _FIRST_RESTART_DELAY
                await asyncio.sleep(wait)
                wait = min(wait * 2, _MAX_RESTART_DELAY)
                self._mark_restarting()
        finally:
            self.state = BrowserState.STOPPED
            await self._close_browser()

    async def _run_browser_once(self) -> bool:
        """Start one browser and watch it until it is lost; False if it did not start."""
        try:
            self._browser = browser = await self._launch()
            await self._prepare(browser)
        except Exception as error:  # noqa: BLE001  any start failure: the service survives and retries
            self.state, self.detail = BrowserState.FAILED, str(error) or type(error).__name__
            logger.warning("the browser did not start", action="browser_failed", error=self.detail)
            await self._close_browser()
            return False
        logger.info("the browser runs", action="browser_running", restarts=self.restarts)
        self._mark_running()
        await self._monitor_until_lost(browser)
        logger.warning("the browser has exited", action="browser_lost")
        await self._close_browser()
        return True

    async def _monitor_until_lost(self, browser: SearchBrowser) -> None:
        missed_pings = 0
        while missed_pings < _MAX_MISSED_PINGS:
            if not missed_pings:
                await self._wait_for_next_check(browser)
            if browser.lost.is_set():
                return
            self._check_requested.clear()
            try:
                await browser.ping()
            except Exception as failure:  # noqa: BLE001  the driver raises any earlier failure
                missed_pings += 1
                self._mark_silent(str(failure) or type(failure).__name__)
            else:
                missed_pings = 0
                self._mark_running()

    async def _wait_for_next_check(self, browser: SearchBrowser) -> None:
        waits = {asyncio.ensure_future(browser.lost.wait()), asyncio.ensure_future(self._check_requested.wait())}
        try:
            await asyncio.wait(waits, timeout=self._check_interval, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _mark_running(self) -> None:
        self.state, self.detail = BrowserState.RUNNING, ""
        self._ready.set()

    def _mark_silent(self, why: str) -> None:
        self.state, self.detail = BrowserState.SILENT, why
        self._ready.clear()
        logger.warning("the browser does not answer", action="browser_silent", error=why)

    def _mark_restarting(self) -> None:
        self.restarts += 1
        self._check_requested.clear()
        self.state = BrowserState.STARTING
        metrics.BROWSER_RESTARTS.inc()

    async def _close_browser(self) -> None:
        self._ready.clear()
        browser, self._browser = self._browser, None
        if browser is None:
            return
        try:
            await browser.close()
        except Exception:  # Remains of the old browser must not prevent the next start.
            logger.exception("the browser could not be closed", action="close_browser")
