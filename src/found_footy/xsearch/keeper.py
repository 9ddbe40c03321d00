"""Keeps a browser running: starts it, prepares it, starts it again when it is gone or does not answer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from enum import StrEnum

from found_footy.xsearch import metrics
from found_footy.xsearch.errors import Transient
from found_footy.xsearch.ports import Browser

logger = logging.getLogger(__name__)

_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0
# A crowded machine may keep a browser from answering once.
_SILENCES_BEFORE_LOST = 2


class BrowserState(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    SILENT = "silent"  # it runs, but did not answer when it was last asked
    FAILED = "failed"
    STOPPED = "stopped"


class Keeper:
    """`prepare` gets every new browser before anyone else, to put its cookies back. A running one is asked every
    `check_every` whether it answers: neither a hanging browser nor the death of its driver is told by itself.
    """

    def __init__(
        self,
        launch: Callable[[], Awaitable[Browser]],
        prepare: Callable[[Browser], Awaitable[None]],
        check_every: timedelta,
    ) -> None:
        self._launch = launch
        self._prepare = prepare
        self._check_every = check_every.total_seconds()
        self._suspected = asyncio.Event()
        self._browser: Browser | None = None
        self._ready = asyncio.Event()
        self.state = BrowserState.STARTING
        self.detail = ""
        self.restarts = 0

    async def browser(self, patience: timedelta) -> Browser:
        """The running browser; waits for one that is starting. Transient if it does not come."""
        try:
            async with asyncio.timeout(patience.total_seconds()):
                await self._ready.wait()
        except TimeoutError as error:
            raise Transient(f"the browser is not running ({self.detail or self.state})") from error
        if self._browser is None:
            raise Transient("the browser is gone")
        return self._browser

    @property
    def present(self) -> Browser | None:
        """The running browser, if there is one at this moment."""
        return self._browser if self._ready.is_set() else None

    async def up(self) -> None:
        """Wait, for however long it takes, until a browser runs."""
        await self._ready.wait()

    def suspect(self) -> None:
        """Something failed that a sound browser does not fail at: ask it now whether it answers."""
        self._suspected.set()

    async def run(self) -> None:
        """Until cancelled; then the browser is closed."""
        wait = _FIRST_WAIT
        try:
            while True:
                if await self._live_once():
                    wait = _FIRST_WAIT
                await asyncio.sleep(wait)
                wait = min(wait * 2, _LONGEST_WAIT)
                self._restarting()
        finally:
            self.state = BrowserState.STOPPED
            await self._drop()

    async def _live_once(self) -> bool:
        """One life of one browser; true if it came to life at all."""
        try:
            self._browser = browser = await self._launch()
            await self._prepare(browser)
        except Exception as error:  # noqa: BLE001  whatever a start fails of, the service outlives it and tries again
            self.state, self.detail = BrowserState.FAILED, str(error) or type(error).__name__
            logger.warning("the browser did not start", extra={"action": "browser_failed", "error": self.detail})
            await self._drop()
            return False
        logger.info("the browser runs", extra={"action": "browser_running", "restarts": self.restarts})
        self._answered()
        await self._until_lost(browser)
        logger.warning("the browser is gone", extra={"action": "browser_lost"})
        await self._drop()
        return True

    async def _until_lost(self, browser: Browser) -> None:
        silences = 0
        while silences < _SILENCES_BEFORE_LOST:
            if not silences:
                await self._until_next_check(browser)
            if browser.lost.is_set():
                return
            self._suspected.clear()
            try:
                await browser.respond()
            except Exception as failure:  # noqa: BLE001  the driver hands on whatever went wrong since the last call
                silences += 1
                self._silent(str(failure) or type(failure).__name__)
            else:
                silences = 0
                self._answered()

    async def _until_next_check(self, browser: Browser) -> None:
        signs = {asyncio.ensure_future(browser.lost.wait()), asyncio.ensure_future(self._suspected.wait())}
        try:
            await asyncio.wait(signs, timeout=self._check_every, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for sign in signs:
                sign.cancel()

    def _answered(self) -> None:
        self.state, self.detail = BrowserState.RUNNING, ""
        self._ready.set()

    def _silent(self, why: str) -> None:
        self.state, self.detail = BrowserState.SILENT, why
        self._ready.clear()
        logger.warning("the browser does not answer", extra={"action": "browser_silent", "error": why})

    def _restarting(self) -> None:
        self.restarts += 1
        self._suspected.clear()
        self.state = BrowserState.STARTING
        metrics.RESTARTS.inc()

    async def _drop(self) -> None:
        self._ready.clear()
        browser, self._browser = self._browser, None
        if browser is None:
            return
        try:
            await browser.close()
        except Exception:  # What is left of it must not keep the next one from starting.
            logger.exception("the browser could not be closed", extra={"action": "close_browser"})
