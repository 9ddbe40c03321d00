"""Logging in: imported cookies, a person at the browser's screen, and a check whether the session works."""

import asyncio

from found_footy.platform.errors import Conflict
from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait
from found_footy.xsearch.browser.base import SearchBrowser
from found_footy.xsearch.browser.supervisor import BrowserSupervisor
from found_footy.xsearch.errors import SearchFailed, XAccountLocked, XSessionExpired
from found_footy.xsearch.results.responses import PageSnapshot, classify_location, classify_silence
from found_footy.xsearch.search_run import SearchTab
from found_footy.xsearch.session.account import SearchAccount
from found_footy.xsearch.session.cookie_file import select_cookies_to_restore
from found_footy.xsearch.session.cookies import has_session, parse_cookies, session_token
from found_footy.xsearch.session.state import SessionState
from found_footy.xsearch.settings import XSearchSettings
from found_footy.xsearch.throttle import SearchThrottle

logger = ActionLogger(__name__)

_POLL_INTERVAL_SECONDS = 0.5


async def restore_cookies(browser: SearchBrowser, account: SearchAccount) -> None:
    """Restore the cookies that a new browser's profile has lost."""
    in_profile = await browser.get_cookies()
    await browser.add_cookies(select_cookies_to_restore(account.load_cookies(), in_profile))
    if not account.store_cookies(await browser.get_cookies()):
        account.mark_logged_out()


async def store_cookies_and_leave(browser: SearchBrowser, account: SearchAccount) -> None:
    """After using the site: store the current cookies and open a blank page."""
    try:
        account.store_cookies(await browser.get_cookies())
        await browser.leave_site()
    except (SearchFailed, OSError) as error:
        logger.warning("clean-up after the log-in failed", action="settle", error=str(error))


def _is_logged_in_home(view: PageSnapshot) -> bool:
    return classify_location(view.url) is None and (view.logged_in or view.articles > 0)


class LoginService:
    def __init__(
        self, settings: XSearchSettings, account: SearchAccount, supervisor: BrowserSupervisor, throttle: SearchThrottle
    ) -> None:
        self._settings = settings
        self._account = account
        self._supervisor = supervisor
        self._throttle = throttle
        self._watch_task: asyncio.Task[None] | None = None

    async def import_cookies(self, text: str) -> SessionState:
        """Replace the session by the one in `text` and check it. Raises BadInput if there is none in it."""
        jar = parse_cookies(text, self._settings.site)
        async with self._throttle.acquire_browser():
            browser = await self._get_browser()
            await browser.clear_cookies()
            await browser.add_cookies(jar)
            self._account.record_login(jar)
            return await self._check_home_page(browser)

    async def check_session(self) -> SessionState:
        """Open the site's home page, which costs no search call, and check whether it is logged in."""
        async with self._throttle.acquire_browser():
            return await self._check_home_page(await self._get_browser())

    async def show_login_page(self) -> None:
        """Open the log-in page on the browser's screen and detect when somebody has logged in."""
        if self._settings.headless:
            raise Conflict("this browser has no screen to log in at: import cookies, or run it with a screen")
        browser = await self._get_browser()
        before = session_token(await browser.get_cookies())
        await browser.show_login_page()
        if self._watch_task is None or self._watch_task.done():
            self._watch_task = asyncio.create_task(self._watch_login(browser, before), name="login-watch")

    async def stop(self) -> None:
        if self._watch_task:
            await cancel_and_wait([self._watch_task])

    async def _get_browser(self) -> SearchBrowser:
        return await self._supervisor.get_browser(self._settings.page_timeout)

    async def _check_home_page(self, browser: SearchBrowser) -> SessionState:
        try:
            await self._wait_for_home_page(await browser.get_tab())
            self._account.record_success()
        except SearchFailed as failure:
            self._account.record_failure(failure)
            logger.warning("the session does not work", action="check_session", error=failure.message)
        finally:
            await store_cookies_and_leave(browser, self._account)
        return self._account.state

    async def _wait_for_home_page(self, tab: SearchTab) -> None:
        """Return when an element appears that only logged-in users see; raises the failure that the page shows
        instead.
        """
        await tab.open(f"{self._settings.site}/home")
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._settings.answer_timeout.total_seconds()
        while not _is_logged_in_home(view := await tab.take_snapshot()):
            verdict = classify_silence(view, self._account.session.empty_shells)
            if isinstance(verdict, XSessionExpired | XAccountLocked) or clock() > deadline:
                raise verdict
            await asyncio.sleep(_POLL_INTERVAL_SECONDS)

    async def _watch_login(self, browser: SearchBrowser, before: str | None) -> None:
        try:
            async with asyncio.timeout(self._settings.login_time.total_seconds()):
                await self._wait_for_login(browser, before)
            if await self.check_session() is SessionState.AUTHENTICATED:
                await browser.hide_login_page()
        except TimeoutError:
            logger.info("nobody logged in", action="login_timeout")
        except SearchFailed as failure:
            logger.warning("the log-in was lost", action="login_lost", error=failure.message)

    async def _wait_for_login(self, browser: SearchBrowser, before: str | None) -> None:
        while True:
            now = await browser.get_cookies()
            if has_session(now) and session_token(now) != before:
                break
            await asyncio.sleep(_POLL_INTERVAL_SECONDS)
        self._account.record_login(now)
        logger.info("a person logged in", action="logged_in")
