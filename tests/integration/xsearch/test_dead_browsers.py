"""A real Chromium and its driver that die or hang while nobody searches: the service says so, and has new ones soon."""

import os
import signal
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from found_footy.xsearch import status_report
from found_footy.xsearch.browser.processes import find_browsers, find_drivers
from found_footy.xsearch.service import SearchParameters, XSearchService
from found_footy.xsearch.settings import XSearchSettings

if TYPE_CHECKING:
    from tests.integration.xsearch.conftest import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

Eventually = Callable[..., Awaitable[Any]]

SAKA = SearchParameters("Saka", timedelta(minutes=3), 20)
LONG = 120.0


@pytest.fixture(scope="module")
def settings(settings: XSearchSettings) -> XSearchSettings:
    return settings.model_copy(update={"browser_check": timedelta(milliseconds=500)})


@pytest.fixture(autouse=True)
def _short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("found_footy.xsearch.browser.timeouts.STEP_TIMEOUT_SECONDS", 4.0)


@pytest_asyncio.fixture(loop_scope="module")
async def restarts(service: XSearchService) -> int:
    return service.supervisor.restarts


def browser_of(service: XSearchService) -> int:
    (browser,) = find_browsers(service.settings.data_dir / "profile")
    return browser


def driver_of(service: XSearchService) -> int:
    """The process that started the browser."""
    parent = int(Path(f"/proc/{browser_of(service)}/stat").read_text().rpartition(")")[2].split()[1])
    assert parent in find_drivers()
    return parent


async def comes_back(service: XSearchService, site: "Site", restarts: int, eventually: Eventually) -> None:
    """Noticed without anybody searching, told while it lasts, and over with the next browser."""
    reported: list[str] = []

    def back() -> bool:
        health = status_report.health_report(service)
        reported.append(health["status"])
        return bool(health["browser"]["restarts"] == restarts + 1 and health["status"] == "ok")

    await eventually(back, timeout=LONG)
    assert "degraded" in reported
    site.post(1, timedelta(minutes=1))
    assert len((await service.search(SAKA)).videos) == 1
    assert len(find_browsers(service.settings.data_dir / "profile")) == 1


async def test_a_driver_killed_while_idle(
    service: XSearchService, site: "Site", restarts: int, eventually: Eventually
) -> None:
    os.kill(driver_of(service), signal.SIGKILL)
    await comes_back(service, site, restarts, eventually)


async def test_a_browser_that_hangs_while_idle(
    service: XSearchService, site: "Site", restarts: int, eventually: Eventually
) -> None:
    os.kill(browser_of(service), signal.SIGSTOP)
    await comes_back(service, site, restarts, eventually)


async def test_a_driver_that_hangs_and_does_not_stop(
    service: XSearchService, site: "Site", restarts: int, eventually: Eventually
) -> None:
    driver = driver_of(service)
    os.kill(driver, signal.SIGSTOP)
    await comes_back(service, site, restarts, eventually)
    assert driver not in find_drivers()


async def test_a_driver_that_dies_whenever_it_is_started(
    service: XSearchService, site: "Site", eventually: Eventually, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = tmp_path / "node"
    killed.write_text("#!/bin/sh\nexit 137\n")
    killed.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(killed))
    os.kill(browser_of(service), signal.SIGKILL)
    await eventually(lambda: "driver cannot be started" in service.supervisor.detail, timeout=LONG)
    assert status_report.health_report(service)["status"] == "degraded"
    monkeypatch.delenv("PLAYWRIGHT_NODEJS_PATH")
    await eventually(lambda: status_report.health_report(service)["status"] == "ok", timeout=LONG)
    site.post(1, timedelta(minutes=1))
    assert len((await service.search(SAKA)).videos) == 1
