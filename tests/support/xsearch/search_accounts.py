"""X accounts with all that belongs to one: its site, its search service as a process, its browser."""

import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from found_footy_sim.x import InMemoryPosts, XSite
from tests.support.command_line import clean_environment, started, wait_for
from tests.support.patience import PATIENCE_SECONDS

_START_SECONDS = 60.0
_COUNTED = re.compile(r'^found_footy_xsearch_searches_total\{outcome="(\w+)"\} ([0-9.]+)$', re.MULTILINE)
# Quick where a person would not mind, at the product's own values where the site would: above all the budget.
_QUICK = {
    "FOOTY_XSEARCH__PORT": "0",
    "FOOTY_XSEARCH__SPACING": "100ms",
    "FOOTY_XSEARCH__SCROLL_LINGER": "100ms",
    "FOOTY_XSEARCH__CANARY_EVERY": "0s",
    "FOOTY_XSEARCH__ANSWER_TIMEOUT": "25s",
    "FOOTY_XSEARCH__PAGE_TIMEOUT": "25s",
    "FOOTY_XSEARCH__TIME_LIMIT": "50s",
    "FOOTY_XSEARCH__PATIENCE": "60s",
    "FOOTY_LOG__FORMAT": "json",
}


@dataclass
class XAccount:
    """`site` is where this account searches; each has its own, because the site signs one open page at a time."""

    site: XSite
    base: str
    data_dir: Path
    token: str = ""

    @property
    def host(self) -> str:
        return self.base.removeprefix("http://")

    async def log_in(self) -> str:
        """Bring new cookies, as a person does; the state of the session after it."""
        session = self.site.accounts.open_session("footy")
        self.token = session.token
        text = f"auth_token={session.token}; ct0={session.csrf}; twid=u%3D1"
        answer = await self._ask("POST", "/session", json={"text": text})
        return str(answer.json()["state"])

    def be_logged_out(self) -> None:
        self.site.accounts.end_sessions()

    def use_up(self, seconds: int) -> None:
        """Somebody else used up what the site allows the account, until so many seconds from now."""
        session = self.site.accounts.find_session(self.token)
        assert session is not None
        session.rate_limit.used = session.rate_limit.limit
        session.rate_limit.resets_at = int(time.time()) + seconds

    async def health(self) -> dict[str, Any]:
        health: dict[str, Any] = (await self._ask("GET", "/health")).json()
        return health

    async def outcomes(self) -> dict[str, int]:
        """How many searches ended how, by the service's own count."""
        figures = (await self._ask("GET", "/metrics")).text
        return {outcome: int(float(count)) for outcome, count in _COUNTED.findall(figures)}

    def kill_browser(self) -> None:
        (browser,) = self._browsers()
        os.kill(browser, signal.SIGKILL)

    def _browsers(self) -> list[int]:
        """The main processes of browsers with this account's profile."""
        mark = f"--user-data-dir={self.data_dir / 'profile'}"
        return [
            pid for pid, line in _processes() if mark in line and not any(part.startswith("--type=") for part in line)
        ]

    async def _ask(self, method: str, path: str, json: Any = None) -> httpx.Response:
        async with httpx.AsyncClient(base_url=self.base, timeout=PATIENCE_SECONDS) as client:
            answer = await client.request(method, path, json=json)
            return answer.raise_for_status()


def _processes() -> Iterator[tuple[int, list[str]]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                yield int(folder.name), (folder / "cmdline").read_text().split("\0")
            except (FileNotFoundError, ProcessLookupError):
                continue


@contextmanager
def x_accounts(number: int, post_list: InMemoryPosts, folder: Path) -> Iterator[list[XAccount]]:
    """So many accounts, nobody logged in yet; all see the posts of `shelf`. Their browsers start side by side."""
    with ExitStack() as stack:
        sites = [XSite(post_list) for _ in range(number)]
        folders = [folder / f"account-{index}" for index in range(number)]
        for site, own in zip(sites, folders, strict=True):
            stack.enter_context(_served(site, own))
        yield [XAccount(site, _base(own), own) for site, own in zip(sites, folders, strict=True)]
        for site in sites:
            site.release_search()


@contextmanager
def _served(site: XSite, folder: Path) -> Iterator[None]:
    """The site, and the search service that `found-footy xsearch` starts."""
    browser = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    folder.mkdir()
    with _site_at_port(site) as url:
        own = {"X_SITE_URL": url, "X_SEARCH_DATA_DIR": str(folder), "CHROMIUM_PATH": browser}
        sandbox = {"FOOTY_XSEARCH__SANDBOX": "false"} if os.geteuid() == 0 else {}
        with started("xsearch", env=clean_environment(**own, **sandbox, **_QUICK), log=folder / "log"):
            yield


@contextmanager
def _site_at_port(site: XSite) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(site.app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + _START_SECONDS
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def _base(folder: Path) -> str:
    """Where the service of this folder listens, by its log."""
    log = folder / "log"
    line: Any = wait_for("the search service", lambda: _line_with("listen", log), log, _START_SECONDS)
    return f"http://{line['host']}:{line['port']}"


def _line_with(action: str, log: Path) -> dict[str, Any] | None:
    lines = (json.loads(line) for line in log.read_text().splitlines() if line.startswith("{") and line.endswith("}"))
    return next((line for line in lines if line.get("action") == action), None)
