"""A simulated site in a thread, and the real service with a real Chromium, shared by the tests of a module."""

import os
import shutil
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import uvicorn

from found_footy.xsearch.server import build_service
from found_footy.xsearch.service import XSearchService
from found_footy.xsearch.session.budget import RequestBudget
from found_footy.xsearch.session.cookies import parse_cookies
from found_footy.xsearch.session.state import AccountSession
from found_footy.xsearch.settings import XSearchSettings
from found_footy_sim.x import InMemoryPosts, VideoRendition, XPost, XSite, XSiteMode, XVideo, make_snowflake
from tests.support.patience import PATIENCE, PATIENCE_SECONDS

CHROMIUM = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium")


@dataclass
class Site:
    """The simulated site, what is posted on it, and where it is."""

    xsite: XSite
    post_list: InMemoryPosts
    url: str

    def post(self, number: int, age: timedelta, text: str = "GOAL Saka Arsenal", **more: Any) -> XPost:
        """Put a post with a video on the site, `age` ago."""
        at = datetime.now(UTC) - age
        rendition = VideoRendition(f"{self.url}/video/1280x720/{number}.mp4", 2_176_000, 1280, 720)
        video = XVideo(str(2_000_000_000_000_000_000 + number), (rendition,))
        post = XPost(make_snowflake(at, number), f"fan{number}", text, at, more.pop("videos", (video,)), **more)
        self.post_list.add(post)
        return post

    def session_text(self) -> str:
        session = self.xsite.accounts.open_session("footy")
        return f"auth_token={session.token}; ct0={session.csrf}; twid=u%3D1"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    post_list = InMemoryPosts()
    xsite = XSite(post_list)
    server = uvicorn.Server(uvicorn.Config(xsite.app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Site(xsite, post_list, f"http://127.0.0.1:{port}")
    xsite.release_search()
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def settings(site: Site, tmp_path_factory: pytest.TempPathFactory) -> XSearchSettings:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    never, moment = timedelta(0), timedelta(milliseconds=100)
    return XSearchSettings(
        site=site.url,
        data_dir=tmp_path_factory.mktemp("xsearch"),
        browser=Path(CHROMIUM),
        port=0,
        hosts=(),
        sandbox=os.geteuid() != 0,
        spacing=never,
        scroll_linger=moment,
        canary_every=never,
        answer_timeout=PATIENCE,
        page_timeout=PATIENCE,
        scroll_timeout=timedelta(seconds=10),
        time_limit=3 * PATIENCE,
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(settings: XSearchSettings) -> AsyncIterator[XSearchService]:
    service = build_service(settings)
    await service.start()
    await service.supervisor.wait_until_running()
    yield service
    await service.stop()


async def _log_in(service: XSearchService, site: Site) -> None:
    """As an import of cookies does, without the look at the site that follows it."""
    browser, jar = service.supervisor.running_browser, parse_cookies(site.session_text(), site.url)
    assert browser is not None
    await browser.clear_cookies()
    await browser.add_cookies(jar)
    service.account.record_login(jar)
    service.account.session = AccountSession()


@pytest_asyncio.fixture(loop_scope="module")
async def service(running: XSearchService, settings: XSearchSettings, site: Site) -> XSearchService:
    """The module's service as new: logged in, nothing spent, nothing remembered; the site well-behaved and empty."""
    await running.throttle.wait_for_cleanup()
    site.xsite.set_modes(XSiteMode.NORMAL)
    site.xsite.method = "GET"
    site.post_list.clear()
    running.settings = settings
    running.account.budget_ledger.budget = RequestBudget(settings.requests_per_window, settings.window)
    await _log_in(running, site)
    running.history.clear()
    running.canary = None
    site.xsite.requests.clear()
    return running
