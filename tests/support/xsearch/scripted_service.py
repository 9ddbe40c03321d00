"""One service around stand-in browsers, with a clock of its own."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from found_footy.platform.errors import Unavailable
from found_footy.xsearch.browser.base import SearchBrowser
from found_footy.xsearch.service import XSearchService
from found_footy.xsearch.session.budget_ledger import BudgetLedger
from found_footy.xsearch.session.cookie_file import CookieFile
from found_footy.xsearch.session.state import SessionState
from found_footy.xsearch.settings import XSearchSettings

if TYPE_CHECKING:
    from tests.conftest import Eventually
    from tests.support.xsearch.stand_in_browser import StandInBrowser, StandIns

NO_TIME = timedelta(0)


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **time: float) -> None:
        self.now += timedelta(**time)


class ScriptedService:
    """One service, its stand-in browsers in the order they were started, and its clock."""

    def __init__(self, stand_ins: "StandIns", folder: Path, browsers: "list[StandInBrowser]", **settings: Any) -> None:
        quick = {
            "spacing": NO_TIME,
            "scroll_timeout": timedelta(milliseconds=20),
            "canary_every": NO_TIME,
            "page_timeout": timedelta(seconds=5),
        }
        self.settings = XSearchSettings(data_dir=folder, **{**quick, **settings})
        self.clock = Clock(stand_ins.now)
        self.browsers = browsers
        self.started: list[StandInBrowser] = []
        self.file = CookieFile(folder / "cookies.json", self.settings.site)
        ledger = BudgetLedger(
            folder / "budget.json", self.settings.requests_per_window, self.settings.window, self.clock
        )
        self.service = XSearchService(
            self.settings, self._launch, ledger, self.file, clock=self.clock, random_fraction=lambda: 0.0
        )

    async def _launch(self) -> SearchBrowser:
        if not self.browsers:
            raise Unavailable("browser", "cannot be started: no such file")
        self.started.append(self.browsers.pop(0))
        return self.started[-1]


@asynccontextmanager
async def run_service(scripted_service: ScriptedService) -> AsyncIterator[XSearchService]:
    await scripted_service.service.start()
    try:
        yield scripted_service.service
    finally:
        await scripted_service.service.stop()


Make = Callable[..., ScriptedService]


async def wait_for_state(service: XSearchService, eventually: "Eventually", state: SessionState) -> None:
    await eventually(lambda: service.account.state is state)
