"""The service as a process: answers while it searches, survives its browser, and drains when told to stop."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from found_footy.platform.errors import ConfigError, Conflict
from found_footy.xsearch.server import lock_data_dir, open_listening_socket
from found_footy.xsearch.settings import XSearchSettings
from found_footy_sim.x import XSiteMode
from tests.support.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from tests.integration.xsearch.conftest import Site

Eventually = Callable[..., Awaitable[Any]]

_START_SECONDS = PATIENCE_SECONDS
_SEARCH = {"query": "Saka", "max_age_minutes": 3, "limit": 20, "exclude": []}


def address_of(settings: XSearchSettings) -> str | None:
    """Where the service listens, by its log, once it does."""
    for line in (settings.data_dir / "log").read_text().splitlines():
        said = json.loads(line) if line.startswith("{") and line.endswith("}") else {}
        if said.get("action") == "listen":
            return f"http://{said['host']}:{said['port']}"
    return None


@contextmanager
def process(settings: XSearchSettings) -> Iterator["subprocess.Popen[bytes]"]:
    script = Path(__file__).parents[2] / "support" / "xsearch" / "serve.py"
    log = settings.data_dir / "log"
    with log.open("ab") as output:
        started = subprocess.Popen([sys.executable, str(script), settings.model_dump_json()], stderr=output)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def browsers_of(settings: XSearchSettings) -> list[int]:
    """The main processes of browsers that use this profile."""
    mark = f"--user-data-dir={settings.data_dir / 'profile'}"
    return [pid for pid, arguments in _processes() if mark in arguments and not any("--type=" in a for a in arguments)]


def _processes() -> Iterator[tuple[int, list[str]]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                yield int(folder.name), (folder / "cmdline").read_text().split("\0")
            except (FileNotFoundError, ProcessLookupError):
                continue


async def healthy(client: httpx.AsyncClient) -> bool:
    try:
        health: dict[str, Any] = (await client.get("/health")).json()
    except httpx.TransportError:
        return False
    return bool(health["status"] == "ok" and health["session"]["state"] == "authenticated")


async def started(client: httpx.AsyncClient) -> bool:
    try:
        return bool((await client.get("/health")).json()["browser"]["state"] == "running")
    except httpx.TransportError:
        return False


async def test_a_service_starts_searches_and_stops(
    site: "Site", settings: XSearchSettings, eventually: Eventually, tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"data_dir": tmp_path})
    # Too old to be found, but a search that is shown it opens one page only.
    site.post(1, timedelta(minutes=30))
    with process(settings) as service:
        address = await eventually(lambda: address_of(settings), timeout=_START_SECONDS)
        async with httpx.AsyncClient(base_url=address, timeout=httpx.Timeout(3 * PATIENCE_SECONDS)) as client:
            await eventually(lambda: started(client), timeout=_START_SECONDS)
            session = await client.post("/session", json={"text": site.session_text()})
            assert session.json()["state"] == "authenticated"
            await a_killed_browser_fails_its_search_and_comes_back(client, site, settings, eventually)
            await whoever_went_away_costs_nothing(client, site, eventually)
            await told_to_stop_it_finishes_what_it_began(client, site, service, eventually)
    assert browsers_of(settings) == []
    assert "auth_token" in (settings.data_dir / "cookies.json").read_text()


async def a_killed_browser_fails_its_search_and_comes_back(
    client: httpx.AsyncClient, site: "Site", settings: XSearchSettings, eventually: Eventually
) -> None:
    site.xsite.set_modes(XSiteMode.HELD)
    search = asyncio.create_task(client.post("/search", json=_SEARCH))
    await eventually(site.xsite.search_reached.is_set, timeout=30)
    (browser,) = browsers_of(settings)
    os.kill(browser, signal.SIGKILL)
    answer = await search
    assert (answer.status_code, answer.json()["error"]) == (503, "transient")
    site.xsite.set_modes(XSiteMode.NORMAL)
    await eventually(lambda: healthy(client), timeout=_START_SECONDS)
    found = await eventually(lambda: search_unless_slow(client), timeout=_START_SECONDS)
    assert found["videos"] == []
    assert (await client.get("/health")).json()["browser"]["restarts"] >= 1


async def search_unless_slow(client: httpx.AsyncClient) -> dict[str, Any] | None:
    """What a search answers; None if the page did not load in time, as may be on a slow machine."""
    response = await client.post("/search", json=_SEARCH)
    answer: dict[str, Any] = response.json()
    if response.status_code == 503:
        assert answer["error"] == "transient"
        return None
    return answer


async def whoever_went_away_costs_nothing(client: httpx.AsyncClient, site: "Site", eventually: Eventually) -> None:
    site.xsite.set_modes(XSiteMode.HELD)
    search = asyncio.create_task(client.post("/search", json=_SEARCH))
    await eventually(site.xsite.search_reached.is_set, timeout=30)
    opened = site.xsite.requests["search_page"]
    leaving = asyncio.create_task(client.post("/search", json=_SEARCH))
    await eventually(lambda: waiting(client, 1))
    leaving.cancel()
    site.xsite.release_search()
    assert (await search).status_code == 200
    await eventually(lambda: waiting(client, 0))
    assert site.xsite.requests["search_page"] == opened


async def waiting(client: httpx.AsyncClient, number: int) -> bool:
    queue = (await client.get("/health")).json()["queue"]
    return bool(queue["searching"] == (number > 0) and queue["waiting"] == number)


async def told_to_stop_it_finishes_what_it_began(
    client: httpx.AsyncClient, site: "Site", service: "subprocess.Popen[bytes]", eventually: Eventually
) -> None:
    site.xsite.set_modes(XSiteMode.HELD)
    search = asyncio.create_task(client.post("/search", json=_SEARCH))
    await eventually(site.xsite.search_reached.is_set, timeout=30)
    another = asyncio.create_task(client.post("/search", json=_SEARCH))
    await eventually(lambda: waiting(client, 1))
    service.send_signal(signal.SIGTERM)
    await eventually(lambda: refuses_connections(client))
    site.xsite.release_search()
    assert (await search).json()["videos"] == []
    assert (await another).json()["error"] == "transient"
    assert await asyncio.to_thread(service.wait, _START_SECONDS) == 0


async def refuses_connections(client: httpx.AsyncClient) -> bool:
    try:
        async with httpx.AsyncClient(base_url=client.base_url) as another:
            await another.get("/health")
    except httpx.TransportError:
        return True
    return False


def test_a_browser_profile_is_used_by_one_process(tmp_path: Path) -> None:
    with lock_data_dir(tmp_path / "own"):
        with pytest.raises(Conflict, match="another search service"), lock_data_dir(tmp_path / "own"):
            pytest.fail("owned twice")
        assert (tmp_path / "own").stat().st_mode & 0o077 == 0


def test_a_port_in_use_is_reported_in_plain_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings = XSearchSettings(port=taken.getsockname()[1], data_dir=tmp_path)
        with pytest.raises(ConfigError, match="cannot listen"):
            open_listening_socket(settings)
