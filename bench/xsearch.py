"""The search service: what it costs to have it, and what a search costs beyond the page's own waiting.

    python bench/xsearch.py [--idle 60] [--searches 15]

Everything runs on this machine: a simulated site in this process, the service with its Chromium in another. The peer
is a bare Playwright script that opens the same page and waits for the same answer, in a browser of its own. The limit
is the page itself: the time from its request reaching the site to the site's last answer leaving it.
"""

import argparse
import asyncio
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from playwright.async_api import async_playwright
from starlette.types import ASGIApp, Receive, Scope, Send

from found_footy_sim.x import InMemoryPosts, VideoRendition, XPost, XSite, XVideo, make_snowflake

CHROMIUM = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium") or "chromium"
SERVE = Path(__file__).resolve().parents[1] / "tests" / "support" / "xsearch" / "serve.py"
TICKS = os.sysconf("SC_CLK_TCK")
TARGET_IDLE = 2.0
PAUSE = 0.5  # searches are never back to back; what is left behind by one is done before the next
QUERY = {"query": "Saka", "max_age_minutes": 3, "limit": 50, "exclude": []}


class Stopwatch:
    """When the last search page was asked for, and when its last answer left."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.asked = self.answered = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if path == "/search":
            self.asked = time.perf_counter()
        await self._app(scope, receive, send)
        if path.endswith("/SearchTimeline"):
            self.answered = time.perf_counter()

    @property
    def waiting(self) -> float:
        return self.answered - self.asked


def posts() -> InMemoryPosts:
    now = datetime.now(UTC)
    fresh = [_post(now - timedelta(seconds=2 * n), n) for n in range(10)]
    return InMemoryPosts(fresh + [_post(now - timedelta(minutes=30, seconds=n), 10 + n) for n in range(60)])


def _post(at: datetime, number: int) -> XPost:
    video = XVideo(str(2 * 10**18 + number), (VideoRendition(f"http://127.0.0.1:9/{number}.mp4", 1, 1280, 720),))
    return XPost(make_snowflake(at, number), f"fan{number}", "GOAL Saka Arsenal", at, (video,))


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@contextmanager
def service(site: str, folder: Path) -> Iterator[tuple[str, int]]:
    """A running service: its address and its process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "site": site,
        "port": port,
        "data_dir": str(folder),
        "browser": CHROMIUM,
        "hosts": [],
        "sandbox": os.geteuid() != 0,
        "spacing": "0s",
        "canary_every": "0s",
    }
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen([sys.executable, str(SERVE), json.dumps(settings)], stderr=log)
    try:
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(30)


def family(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (stat := _read(folder / "stat")):
            parent = int(stat.rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(folder.name))
    found, queue = [], [root]
    while queue:
        found.append(queue.pop())
        queue += parents.get(found[-1], [])
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def cpu_seconds(pids: list[int]) -> float:
    ticks = 0
    for pid in pids:
        if stat := _read(Path(f"/proc/{pid}/stat")):
            user, system = stat.rpartition(")")[2].split()[11:13]
            ticks += int(user) + int(system)
    return ticks / TICKS


def memory_mib(pids: list[int]) -> float:
    """Proportional set size: shared pages are counted once, over all who share them."""
    lines = (line for pid in pids for line in _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines())
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


async def until_ready(client: httpx.AsyncClient) -> None:
    for _ in range(600):
        try:
            if (await client.get("/health")).json()["browser"]["state"] == "running":
                return
        except httpx.TransportError:
            await asyncio.sleep(0.1)
            continue
        await asyncio.sleep(0.1)
    raise TimeoutError("the service did not start")


async def idle(pid: int, seconds: float) -> float:
    """Per cent of one core that the service and its browser use while nobody asks for anything."""
    before, started = cpu_seconds(family(pid)), time.monotonic()
    await asyncio.sleep(seconds)
    return 100 * (cpu_seconds(family(pid)) - before) / (time.monotonic() - started)


async def ours(client: httpx.AsyncClient, watch: Stopwatch, times: int) -> list[tuple[float, float]]:
    """(request to answer, the page's own waiting) of each search."""
    rows = []
    for _ in range(times):
        started = time.perf_counter()
        answer = await client.post("/search", json=QUERY)
        took = time.perf_counter() - started
        assert len(answer.json()["videos"]) == 10, answer.text
        rows.append((took, watch.waiting))
        await asyncio.sleep(PAUSE)
    return rows


async def bare_script(
    site: str, cookies: list[dict[str, Any]], watch: Stopwatch, times: int
) -> list[tuple[float, float]]:
    """The least a Playwright user can write: a warm browser, a page, one expected answer."""
    rows = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=os.geteuid() != 0)
        context = await browser.new_context()
        await context.add_cookies(cookies)  # type: ignore[arg-type]
        page = await context.new_page()
        for _ in range(times):
            started = time.perf_counter()
            async with page.expect_response(lambda r: "/SearchTimeline" in r.url) as waiting:
                await page.goto(f"{site}/search?q=Saka%20filter%3Avideos&f=live", wait_until="commit")
            await (await waiting.value).json()
            rows.append((time.perf_counter() - started, watch.waiting))
            await page.goto("about:blank")
            await asyncio.sleep(PAUSE)
        await browser.close()
    return rows


def shown(name: str, rows: list[tuple[float, float]]) -> None:
    warm = rows[1:]
    total, page = (1000 * statistics.median(column) for column in zip(*warm, strict=True))
    beyond = 1000 * statistics.median(took - waiting for took, waiting in warm)
    print(f"{name:<28}{total:8.0f} ms {page:8.0f} ms {beyond:8.0f} ms")


async def main(idle_seconds: float, searches: int) -> None:
    site = XSite(posts(), limit=10_000)
    watch = Stopwatch(site.app)
    session = site.accounts.open_session("footy")
    jar = [
        {"name": n, "value": v, "domain": "127.0.0.1", "path": "/"}
        for n, v in (("auth_token", session.token), ("ct0", session.csrf))
    ]
    with serving(watch) as address, tempfile.TemporaryDirectory() as folder:
        with service(address, Path(folder)) as (base, pid):
            async with httpx.AsyncClient(base_url=base, timeout=60) as client:
                await until_ready(client)
                assert (await client.post("/session", json=jar)).json()["state"] == "authenticated"
                measured = await ours(client, watch, searches)
                await asyncio.sleep(3)
                pids = family(pid)
                print(
                    f"memory of service, driver and browser  {memory_mib(pids):6.0f} MiB (PSS, {len(pids)} processes)"
                )
                used = await idle(pid, idle_seconds)
                print(
                    f"idle over {idle_seconds:.0f} s after searching  {used:.2f} % of a core (target < {TARGET_IDLE:g})"
                )
        peer = await bare_script(address, jar, watch, searches)
    print(f"{'one search, median':<28}{'in all':>11}{'page itself':>12}{'beyond':>12}")
    shown("ours, over HTTP", measured)
    shown("bare Playwright script", peer)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idle", type=float, default=60)
    parser.add_argument("--searches", type=int, default=15)
    chosen = parser.parse_args()
    asyncio.run(main(chosen.idle, chosen.searches))
