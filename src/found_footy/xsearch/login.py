"""Logging in: cookies that somebody brings, a person at the browser's screen, and a look whether it works."""

import asyncio
import logging

from found_footy.platform.errors import Conflict
from found_footy.xsearch.account import Account
from found_footy.xsearch.cookies import logged_in, parse_cookies, session_of
from found_footy.xsearch.errors import AccountLocked, SearchFailed, SessionExpired
from found_footy.xsearch.jar import to_restore
from found_footy.xsearch.keeper import Keeper
from found_footy.xsearch.ports import Browser
from found_footy.xsearch.search import Tab
from found_footy.xsearch.session import SessionState
from found_footy.xsearch.settings import XSearchSettings
from found_footy.xsearch.signals import View, judge_location, judge_silence
from found_footy.xsearch.turns import Turns

logger = logging.getLogger(__name__)

_LOOK_EVERY = 0.5


async def restore(browser: Browser, account: Account) -> None:
    """Give a new browser back the cookies that its profile has forgotten."""
    in_profile = await browser.cookies()
    await browser.add_cookies(to_restore(account.stored_cookies(), in_profile))
    if not account.keep_cookies(await browser.cookies()):
        account.nobody()


async def settle(browser: Browser, account: Account) -> None:
    """After using the site: keep the cookies as they are now, and leave it."""
    try:
        account.keep_cookies(await browser.cookies())
        await browser.rest()
    except (SearchFailed, OSError) as error:
        logger.warning("could not tidy up", extra={"action": "settle", "error": str(error)})


def _is_home(view: View) -> bool:
    return judge_location(view.url) is None and (view.logged_in or view.articles > 0)


class LogIn:
    def __init__(self, settings: XSearchSettings, account: Account, keeper: Keeper, turns: Turns) -> None:
        self._settings = settings
        self._account = account
        self._keeper = keeper
        self._turns = turns
        self._watch: asyncio.Task[None] | None = None

    async def bring(self, text: str) -> SessionState:
        """Replace the session by the one in `text` and try it. BadInput if there is none in it."""
        jar = parse_cookies(text, self._settings.site)
        async with self._turns.errand():
            browser = await self._browser()
            await browser.clear_cookies()
            await browser.add_cookies(jar)
            self._account.new_login(jar)
            return await self._look(browser)

    async def check(self) -> SessionState:
        """Open the site's home page, which costs no search call, and see whether it knows us."""
        async with self._turns.errand():
            return await self._look(await self._browser())

    async def show(self) -> None:
        """Open the log-in page at the browser's screen and notice when somebody has logged in."""
        if self._settings.headless:
            raise Conflict("this browser has no screen to log in at: import cookies, or run it with a screen")
        browser = await self._browser()
        before = session_of(await browser.cookies())
        await browser.show_login()
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._watched(browser, before), name="login-watch")

    async def stop(self) -> None:
        if self._watch:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)

    async def _browser(self) -> Browser:
        return await self._keeper.browser(self._settings.page_timeout)

    async def _look(self, browser: Browser) -> SessionState:
        try:
            await self._see_home(await browser.tab())
            self._account.succeeded()
        except SearchFailed as failure:
            self._account.failed(failure)
            logger.warning("the session does not work", extra={"action": "check_session", "error": failure.message})
        finally:
            await settle(browser, self._account)
        return self._account.state

    async def _see_home(self, tab: Tab) -> None:
        """Returns when something is there that only a logged-in reader sees; raises what is there instead."""
        await tab.open(f"{self._settings.site}/home")
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._settings.answer_timeout.total_seconds()
        while not _is_home(view := await tab.view()):
            verdict = judge_silence(view, self._account.session.shells)
            if isinstance(verdict, SessionExpired | AccountLocked) or clock() > deadline:
                raise verdict
            await asyncio.sleep(_LOOK_EVERY)

    async def _watched(self, browser: Browser, before: str | None) -> None:
        try:
            async with asyncio.timeout(self._settings.login_time.total_seconds()):
                await self._until_logged_in(browser, before)
            if await self.check() is SessionState.AUTHENTICATED:
                await browser.hide_login()
        except TimeoutError:
            logger.info("nobody logged in", extra={"action": "login_timeout"})
        except SearchFailed as failure:
            logger.warning("the log-in was lost", extra={"action": "login_lost", "error": failure.message})

    async def _until_logged_in(self, browser: Browser, before: str | None) -> None:
        while True:
            now = await browser.cookies()
            if logged_in(now) and session_of(now) != before:
                break
            await asyncio.sleep(_LOOK_EVERY)
        self._account.new_login(now)
        logger.info("somebody logged in", extra={"action": "logged_in"})
