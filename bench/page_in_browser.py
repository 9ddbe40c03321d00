"""What somebody at a browser notices: the weight and first paint of the page on a slow line, how soon a change of the
database is in the page, and how fast a clip comes through the page.

    python -m bench.page_in_browser [--changes 30] [--rounds 9]

The page as a process of its own, real MongoDB and object store, 60 matches and 200 goals, Debian's Chromium. Slow is
1.6 Mbit/s with 150 ms and a processor four times as slow.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, CDPSession, Page, async_playwright

from bench.page_process import insert_match_day, run_server
from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from found_footy.web.settings import WebSettings
from tests.support.web import matchday
from tests.support.web.browser import CHROMIUM, FLAGS
from tests.support.web.page import report_all_ok

_DATABASE = "bench_browser"
_BUCKET = "bench-browser"
_CHANGED = 1
_CLIP_BYTES = 16 * 1024 * 1024
_SLOW_LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
_SLOW_PROCESSOR = 4
_OBSERVE = """
window.paint = { largest: 0, shift: 0 };
new PerformanceObserver((list) => { for (const e of list.getEntries()) window.paint.largest = e.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) window.paint.shift += e.value;
}).observe({ type: "layout-shift", buffered: true });
"""
_WATCH = """
window.seen = {};
new MutationObserver(() => {
  const text = document.querySelector("#match-1 .clock")?.textContent;
  if (text && !(text in window.seen)) window.seen[text] = Date.now();
}).observe(document.getElementById("matches"), { subtree: true, childList: true, characterData: true });
"""


def serve_with_objects(port: int, endpoints: PlatformEndpoints) -> None:
    async def serve() -> None:
        settings = WebSettings(port=port)
        async with mongo.connect(endpoints.mongodb_uri, _DATABASE) as database:
            deps = WebDeps(
                database, open_store(endpoints), report_all_ok, clock=lambda: matchday.NOW, settings=settings
            )
            async with serve_app(create_app(deps), settings):
                await asyncio.Event().wait()

    asyncio.run(serve())


def open_store(endpoints: PlatformEndpoints) -> ObjectStore:
    return ObjectStore(endpoints.s3_endpoint, endpoints.s3_access_key, endpoints.s3_secret_key, _BUCKET)


async def store_clip(database: Database, objects: ObjectStore) -> str:
    """Give the first goal a file that is as large as a long clip; returns its key."""
    match = await database[FixtureCollection.ACTIVE].find_one({"_id": _CHANGED})
    assert match is not None
    key = str(match["events"][0]["_s3_videos"][0]["_s3_key"])
    await objects.ensure_bucket()
    await objects.put_bytes(key, os.urandom(_CLIP_BYTES), content_type="video/mp4")
    return key


async def weigh_page(session: CDPSession, page: Page, address: str) -> dict[str, int]:
    """Bytes that come over the line for the first page, by kind; pictures and clips stand apart."""
    kinds: dict[str, str] = {}
    weights: dict[str, int] = defaultdict(int)
    session.on("Network.responseReceived", lambda event: kinds.update({event["requestId"]: event["type"]}))

    def add(event: dict[str, Any]) -> None:
        weights[kinds.get(event["requestId"], "Other")] += int(event["encodedDataLength"])

    session.on("Network.loadingFinished", add)
    await page.goto(address, wait_until="load")
    await page.wait_for_timeout(2000)
    return dict(weights)


async def measure_first_page(browser: Browser, address: str) -> None:
    context = await browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    await session.send("Network.enable")
    await session.send("Network.emulateNetworkConditions", _SLOW_LINE)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": _SLOW_PROCESSOR})
    await page.add_init_script(_OBSERVE)
    weights = await weigh_page(session, page, address)
    paint = await page.evaluate("window.paint")
    needed = sum(size for kind, size in weights.items() if kind not in ("Image", "Media"))
    print(f"first page without pictures and clips: {needed / 1000:.1f} kB {weights}")
    print(f"slow line: largest paint {paint['largest'] / 1000:.2f} s, layout shift {paint['shift']:.3f}")
    await context.close()


async def measure_changes(browser: Browser, address: str, database: Database, changes: int) -> None:
    """Seconds from before a write to the mutation of the page that shows it."""
    page = await browser.new_page(viewport={"width": 1280, "height": 860})
    await page.goto(address)
    await page.wait_for_selector("#live[data-state='on']")
    await page.evaluate(_WATCH)
    took = []
    for number in range(changes):
        since = time.time()
        change = {"$set": {"fixture.status.elapsed": number + 1}}
        await database[FixtureCollection.ACTIVE].update_one({"_id": _CHANGED}, change)
        text = f"{number + 1}'"
        await page.wait_for_function("text => text in window.seen", arg=text, polling=50)
        took.append(await page.evaluate("text => window.seen[text]", text) / 1000 - since)
        # A poll of the feed comes every 30 s: what is measured is a change after a quiet time.
        await asyncio.sleep(1.2)
    cuts = statistics.quantiles(took, n=100, method="inclusive")
    print(f"write to DOM: p50 {cuts[49] * 1000:.0f} ms, p90 {cuts[89] * 1000:.0f} ms, of {changes}")
    await page.close()


async def measure_clip(address: str, objects: ObjectStore, key: str, rounds: int) -> None:
    """The same bytes by the same client through the page and straight from the store, in turn."""
    places = {"page": f"{address}/media/{key}", "store": objects.presign_get(key, timedelta(hours=1))}
    seconds: dict[str, list[float]] = {name: [] for name in places}
    async with httpx.AsyncClient(timeout=120) as client:
        for _ in range(rounds):
            for name, url in places.items():
                since = time.perf_counter()
                async with client.stream("GET", url) as answer:
                    assert answer.status_code == 200, answer.status_code
                    received = sum([len(chunk) async for chunk in answer.aiter_raw()])
                assert received == _CLIP_BYTES
                seconds[name].append(time.perf_counter() - since)
    through, straight = (_CLIP_BYTES / 1e6 / statistics.median(seconds[name]) for name in places)
    print(f"clip: {through:.0f} MB/s through the page, {straight:.0f} from the store, ratio {through / straight:.2f}")


async def run(endpoints: PlatformEndpoints, changes: int, rounds: int) -> None:
    objects = open_store(endpoints)
    async with mongo.connect(endpoints.mongodb_uri, _DATABASE) as database:
        await insert_match_day(database)
        key = await store_clip(database, objects)
        async with run_server(serve_with_objects, endpoints) as server, async_playwright() as playwright:
            address = f"http://127.0.0.1:{server.port}"
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            await measure_first_page(browser, address)
            await measure_changes(browser, address, database, changes)
            await browser.close()
            await measure_clip(address, objects, key, rounds)
    await objects.aclose()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=9)
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        async with Supervisor(Path(place), abrupt=True) as platform:
            await run(platform.endpoints, wishes.changes, wishes.rounds)


if __name__ == "__main__":
    asyncio.run(main())
