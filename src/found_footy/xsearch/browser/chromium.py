"""Chromium, driven through Playwright with its own profile. It does not disguise itself.

It may reach the site's hosts and no others, which the browser's own resolver enforces for all of its connections.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Page, Playwright, async_playwright

from found_footy.platform.errors import Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.xsearch.browser.processes import find_browsers, find_drivers, kill_processes
from found_footy.xsearch.browser.tab import PlaywrightTab, TabOptions
from found_footy.xsearch.browser.timeouts import STEP_TIMEOUT_SECONDS, first_line, step_timeout
from found_footy.xsearch.errors import TransientFailure
from found_footy.xsearch.session.cookies import Cookie, CookieJar, filter_site_cookies

logger = ActionLogger(__name__)

SYSTEM = "browser"
_LOGIN_PATH = "/i/flow/login"
_LAUNCH_TIMEOUT_SECONDS = 60.0
_LOGIN_PAGE_TIMEOUT_SECONDS = 60.0
# Left behind by a killed browser; they contain the host name, so a new container would reject the profile.
_STALE_LOCK_FILES = ("SingletonLock", "SingletonCookie", "SingletonSocket")


@dataclass(frozen=True)
class LaunchOptions:
    """`hosts` are exact names or `*.suffix`; a suffix includes the name itself."""

    site: str
    profile: Path
    executable: Path | None
    headless: bool
    sandbox: bool
    hosts: tuple[str, ...]


def resolver_rules(site: str, hosts: tuple[str, ...]) -> str:
    """Build Chromium's rule that resolves no host but these."""
    own = urlsplit(site).hostname or ""
    names = [own, *hosts, *(host.removeprefix("*.") for host in hosts if host.startswith("*."))]
    return " , ".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {name}" for name in dict.fromkeys(names))])


class PlaywrightDriver:
    """Playwright's own process, which drives the browser. It may die or hang."""

    def __init__(self, playwright: Playwright, processes: frozenset[int]) -> None:
        self.playwright = playwright
        self._processes = processes

    @classmethod
    async def start(cls) -> "PlaywrightDriver":
        """Raises Unavailable if it does not start, for any reason."""
        before = find_drivers()
        try:
            async with asyncio.timeout(_LAUNCH_TIMEOUT_SECONDS):
                playwright = await async_playwright().start()
        except Exception as error:  # Playwright raises bare Exceptions when its process dies at the start.
            kill_processes(find_drivers() - before, "it did not start")
            raise Unavailable(SYSTEM, f"its driver cannot be started: {first_line(error)}") from error
        return cls(playwright, find_drivers() - before)

    async def stop(self) -> None:
        try:
            async with step_timeout("the driver does not stop"):
                await self.playwright.stop()
        except TransientFailure as failure:
            logger.warning("the driver did not stop", action="stop_driver", error=failure.message)
            kill_processes(self._processes & find_drivers(), "it did not stop")


class ChromiumBrowser:
    """Implements `SearchBrowser`. The profile is used by this process alone while it runs."""

    def __init__(
        self, driver: "PlaywrightDriver", context: BrowserContext, options: LaunchOptions, rules: TabOptions
    ) -> None:
        self._driver = driver
        self._context = context
        self._site = options.site
        self._profile = options.profile
        self._rules = rules
        self._tab: PlaywrightTab | None = None
        self._login_page: Page | None = None
        self._is_responsive = True
        self.lost = asyncio.Event()
        context.on("close", lambda _: self._mark_lost())

    @classmethod
    async def launch(cls, options: LaunchOptions, rules: TabOptions) -> "ChromiumBrowser":
        """Raises Unavailable, with the reason, if the browser cannot be started."""
        options.profile.mkdir(parents=True, exist_ok=True, mode=0o700)
        kill_processes(find_browsers(options.profile), "its service has exited without it")
        for name in _STALE_LOCK_FILES:
            (options.profile / name).unlink(missing_ok=True)
        driver = await PlaywrightDriver.start()
        try:
            async with asyncio.timeout(_LAUNCH_TIMEOUT_SECONDS + STEP_TIMEOUT_SECONDS):
                context = await driver.playwright.chromium.launch_persistent_context(**_launch_arguments(options))
        except Exception as error:  # Playwright's own errors, a timeout, and errors of its dying process.
            await driver.stop()
            kill_processes(find_browsers(options.profile), "it did not start")
            raise Unavailable(SYSTEM, f"cannot be started: {first_line(error)}") from error
        return cls(driver, context, options, rules)

    async def ping(self) -> None:
        try:
            async with step_timeout("the browser is checked"):
                await self._context.cookies(self._site)
        except TransientFailure:
            self._is_responsive = False
            raise
        self._is_responsive = True

    async def get_tab(self) -> PlaywrightTab:
        if self._tab is None or self._tab.is_broken:
            try:
                self._tab = await self._open_fresh_tab()
            except TransientFailure:
                # A browser that cannot open a tab must be replaced.
                self._mark_lost()
                raise
        return self._tab

    async def _open_fresh_tab(self) -> PlaywrightTab:
        async with step_timeout("the browser cannot open a tab"):
            pages = self._context.pages
            spare = pages[0] if self._tab is None and pages else None
            fresh = await PlaywrightTab.create(self._context, spare or await self._context.new_page(), self._rules)
        if self._tab is not None:
            # Only after the new one is open: with its last window Chromium drops the session cookies.
            await self._tab.close()
        return fresh

    async def leave_site(self) -> None:
        if self._tab and not self._tab.is_broken:
            await self._tab.open_blank()

    async def get_cookies(self) -> CookieJar:
        async with step_timeout("the browser does not return its cookies"):
            rows = await self._context.cookies()
        return filter_site_cookies(tuple(_cookie_from_browser(dict(row)) for row in rows), self._site)

    async def add_cookies(self, jar: CookieJar) -> None:
        try:
            async with step_timeout("add cookies"):
                await self._context.add_cookies([cast("Any", _cookie_to_browser(cookie)) for cookie in jar])
        except TransientFailure:
            # The driver's message contains the cookie, so it is not passed on.
            raise TransientFailure("the browser does not accept these cookies") from None

    async def clear_cookies(self) -> None:
        async with step_timeout("the browser does not delete its cookies"):
            await self._context.clear_cookies()

    async def show_login_page(self) -> None:
        async with step_timeout("the log-in page did not open", _LOGIN_PAGE_TIMEOUT_SECONDS):
            if self._login_page is None or self._login_page.is_closed():
                self._login_page = await self._context.new_page()
            await self._login_page.goto(self._site + _LOGIN_PATH, wait_until="commit")
            await self._login_page.bring_to_front()

    async def hide_login_page(self) -> None:
        page, self._login_page = self._login_page, None
        if page and not page.is_closed():
            async with step_timeout("the log-in page does not close"):
                await page.close()

    async def close(self) -> None:
        """Close what is left of the browser. One that did not answer the last ping is killed without being asked to
        close.
        """
        if not self._is_responsive or not await self._try_close():
            kill_processes(find_browsers(self._profile), "it did not close")
        await self._driver.stop()
        self._mark_lost()

    async def _try_close(self) -> bool:
        try:
            async with step_timeout("the browser does not close"):
                await self._context.close()
        except TransientFailure as failure:
            logger.warning("the browser did not close", action="close_browser", error=failure.message)
            return False
        return True

    def _mark_lost(self) -> None:
        if self._tab:
            self._tab.mark_broken("the browser has exited")
        self.lost.set()


def _launch_arguments(options: LaunchOptions) -> dict[str, Any]:
    # With a screen the page has the size of its window, so that a person sees all of it.
    window = {} if options.headless else {"no_viewport": True}
    return {
        **window,
        "user_data_dir": options.profile,
        "executable_path": options.executable,
        "headless": options.headless,
        "chromium_sandbox": options.sandbox,
        "reduced_motion": "reduce",
        "service_workers": "block",
        "accept_downloads": False,
        "timeout": _LAUNCH_TIMEOUT_SECONDS * 1000,
        # This process handles signals itself: a running search may end before the browser does.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "args": [
            f"--host-resolver-rules={resolver_rules(options.site, options.hosts)}",
            "--autoplay-policy=user-gesture-required",
            "--disable-quic",
            "--window-position=0,0",
            "--window-size=1280,900",
        ],
    }


def _cookie_from_browser(row: dict[str, Any]) -> Cookie:
    return Cookie(
        row["name"],
        row["value"],
        row["domain"],
        row["path"],
        row["expires"],
        row["httpOnly"],
        row["secure"],
        row.get("sameSite"),
    )


def _cookie_to_browser(cookie: Cookie) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.domain,
        "path": cookie.path,
        "expires": cookie.expires,
        "httpOnly": cookie.http_only,
        "secure": cookie.secure,
    }
    return row | ({"sameSite": cookie.same_site} if cookie.same_site else {})
