"""Keeps a browser running: starts it, prepares it, starts it again when it is gone."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from enum import StrEnum

from found_footy.platform.errors import FoundFootyError
from found_footy.xsearch import metrics
from found_footy.xsearch.errors import Transient
from found_footy.xsearch.ports import Browser

logger = logging.getLogger(__name__)

_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0


class BrowserState(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    FAILED = "failed"
    STOPPED = "stopped"


class Keeper:
    """`prepare` gets every new browser before anyone else, to put its cookies back."""

    def __init__(self, launch: Callable[[], Awaitable[Browser]], prepare: Callable[[Browser], Awaitable[None]]) -> None:
        self._launch = launch
        self._prepare = prepare
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
            self._browser = await self._launch()
            await self._prepare(self._browser)
        except (FoundFootyError, OSError) as error:
            self.state, self.detail = BrowserState.FAILED, str(error)
            logger.warning("the browser did not start", extra={"action": "browser_failed", "error": str(error)})
            await self._drop()
            return False
        self.state, self.detail = BrowserState.RUNNING, ""
        logger.info("the browser runs", extra={"action": "browser_running", "restarts": self.restarts})
        self._ready.set()
        await self._browser.lost.wait()
        logger.warning("the browser is gone", extra={"action": "browser_lost"})
        await self._drop()
        return True

    def _restarting(self) -> None:
        self.restarts += 1
        self.state = BrowserState.STARTING
        metrics.RESTARTS.inc()

    async def _drop(self) -> None:
        self._ready.clear()
        browser, self._browser = self._browser, None
        if browser:
            await browser.close()
