"""Requests per second of the day page and the API of matches, beside a bare Starlette route in the same run.

    python -m bench.api_requests [--seconds 5] [--connections 8]

One process per server, each with uvicorn as shipped, real MongoDB with 60 matches of one day and 200 goals with three
clips each. The load comes from a third process over connections that are kept open, first to the bare route, then to
each address, then to the bare route again; a ratio is that of the address to the mean of both bare runs.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from found_footy.app import INDEXES
from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.free_port import find_free_port
from found_footy.platform.objects import ObjectStore
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from found_footy.web.settings import WebSettings
from tests.support.web import matchday
from tests.support.web.page import report_all_ok

_FIXTURES, _GOALS, _CLIPS = 60, 200, 3
_DAY = matchday.NOW.date()
PATHS = ("/", f"/api/v1/days/{_DAY}", "/api/v1/matches?limit=60", "/api/v1/search?q=wirtz", "/api/v1/stats")


@dataclass(frozen=True)
class Figure:
    path: str
    per_second: float
    p50: float
    p99: float
    size: int


def build_match_day() -> list[matchday.Document]:
    """60 matches that kicked off today, with 200 goals among them."""
    documents = []
    for number in range(1, _FIXTURES + 1):
        goals = _GOALS // _FIXTURES + (number <= _GOALS % _FIXTURES)
        events = []
        for player in range(1, goals + 1):
            goal = matchday.goal(number, player, minute=player * 10)
            event = goal["_event_id"]
            clips = [matchday.clip(event, f"{number:016x}{player:08x}{rank:08x}", rank=rank) for rank in range(_CLIPS)]
            events.append(goal | {"_s3_videos": clips})
        kickoff = matchday.NOW - timedelta(minutes=number)
        home, away = ({"id": number * 2 + place, "name": f"Team {number * 2 + place}"} for place in (0, 1))
        documents.append(matchday.fixture(number, kickoff=kickoff, events=events, teams={"home": home, "away": away}))
    return documents


def serve_bare_route(port: int) -> None:
    async def answer(_: Request) -> PlainTextResponse:
        return PlainTextResponse("ok")

    uvicorn.run(Starlette(routes=[Route("/", answer)]), port=port, log_level="error", access_log=False)


def serve_product(port: int, mongo_uri: str, database: str) -> None:
    async def serve() -> None:
        async with mongo.connect(mongo_uri, database) as connected:
            objects = ObjectStore("http://127.0.0.1:9", "none", "none", "none")
            settings = WebSettings(port=port)
            deps = WebDeps(connected, objects, report_all_ok, clock=lambda: matchday.NOW, settings=settings)
            async with serve_app(create_app(deps), settings):
                await asyncio.Event().wait()

    asyncio.run(serve())


async def measure(port: int, path: str, seconds: float, connections: int) -> Figure:
    """Requests one after the other on each connection, with gzip allowed as browsers do."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    end = time.perf_counter() + seconds
    took: list[float] = []
    sizes: list[int] = []

    async def visit() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            since = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            took.append(time.perf_counter() - since)
            sizes.append(length)
        writer.close()

    await asyncio.gather(*(visit() for _ in range(connections)))
    cuts = statistics.quantiles(took, n=100, method="inclusive")
    return Figure(path, len(took) / seconds, cuts[49], cuts[98], max(sizes))


async def _wait_for_port(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return


@asynccontextmanager
async def run_servers(folder: Path) -> AsyncIterator[tuple[int, int]]:
    """The ports of the bare route and of the product, over a MongoDB that has the match day."""
    async with Supervisor(folder, abrupt=True) as platform:
        uri = platform.endpoints.mongodb_uri
        async with mongo.connect(uri, "bench") as database:
            await mongo.ensure_indexes(database, INDEXES)
            await database[FixtureCollection.ACTIVE].insert_many(build_match_day())
        ports = find_free_port(), find_free_port()
        context = multiprocessing.get_context("spawn")
        processes = [
            context.Process(target=serve_bare_route, args=(ports[0],), daemon=True),
            context.Process(target=serve_product, args=(ports[1], uri, "bench"), daemon=True),
        ]
        for process in processes:
            process.start()
        try:
            for port in ports:
                await _wait_for_port(port)
            yield ports
        finally:
            for process in processes:
                process.terminate()
                process.join()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with run_servers(Path(folder)) as (bare_port, port):
            bare = [await measure(bare_port, "/", given.seconds, given.connections)]
            figures = [await measure(port, path, given.seconds, given.connections) for path in PATHS]
            bare.append(await measure(bare_port, "/", given.seconds, given.connections))
    base = statistics.mean(one.per_second for one in bare)
    print(f"{'':<28}{'requests/s':>11}{'ratio':>7}{'p50 ms':>8}{'p99 ms':>8}{'bytes':>8}")
    for name, one in (*(("bare route", one) for one in bare), *((one.path, one) for one in figures)):
        print(
            f"{name:<28}{one.per_second:>11.0f}{one.per_second / base:>7.2f}"
            f"{one.p50 * 1000:>8.1f}{one.p99 * 1000:>8.1f}{one.size:>8}"
        )


if __name__ == "__main__":
    asyncio.run(main())
