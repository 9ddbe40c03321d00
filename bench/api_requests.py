"""Requests per second of the day page and the API of matches, beside a bare Starlette route in the same run.

    python -m bench.api_requests [--seconds 5] [--connections 8]

One process per server, each with uvicorn as shipped, real MongoDB with 60 matches of one day and 200 goals with three
clips each. The load comes from a third process over connections that are kept open, first to the bare route, then to
each address, then to the bare route again. A ratio is that of the bare route's processor time per request, the mean of
both runs, to that of the address: on a crowded machine the requests per second say little.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bench.page_process import BenchServer, insert_match_day, run_server, serve_page
from bench.process_figures import read_cpu_seconds
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.web.settings import WebSettings
from tests.support.web import matchday

_DATABASE = "bench_requests"
_DAY = matchday.NOW.date()
PATHS = ("/", f"/api/v1/days/{_DAY}", "/api/v1/matches?limit=60", "/api/v1/search?q=wirtz", "/api/v1/stats")


@dataclass(frozen=True)
class Figure:
    path: str
    per_second: float
    cpu_ms: float
    p50: float
    p99: float
    size: int


def serve_bare_route(port: int) -> None:
    async def answer(_: Request) -> PlainTextResponse:
        return PlainTextResponse("ok")

    uvicorn.run(Starlette(routes=[Route("/", answer)]), port=port, log_level="error", access_log=False)


def serve_product(port: int, mongo_uri: str, database: str) -> None:
    serve_page(WebSettings(port=port), mongo_uri, database)


async def measure(server: BenchServer, path: str, seconds: float, connections: int) -> Figure:
    """Requests one after the other on each connection, with gzip allowed as browsers do."""
    port = server.port
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    end = time.perf_counter() + seconds
    took: list[float] = []
    sizes: list[int] = []

    async def visit() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while not took or time.perf_counter() < end:
            since = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            took.append(time.perf_counter() - since)
            sizes.append(length)
        writer.close()

    before = read_cpu_seconds(server.process)
    await asyncio.gather(*(visit() for _ in range(connections)))
    spent = read_cpu_seconds(server.process) - before
    cuts = statistics.quantiles([*took, took[-1]], n=100, method="inclusive")
    return Figure(path, len(took) / max(seconds, 1e-9), 1000 * spent / len(took), cuts[49], cuts[98], max(sizes))


async def run(mongo_uri: str, seconds: float, connections: int) -> None:
    async with mongo.connect(mongo_uri, _DATABASE) as database:
        await insert_match_day(database)
    async with run_server(serve_bare_route) as bare_server, run_server(serve_product, mongo_uri, _DATABASE) as server:
        for path in PATHS:  # rendered once, as for the first visitor after a change
            await measure(server, path, 0, 1)
        bare = [await measure(bare_server, "/", seconds, connections)]
        figures = [await measure(server, path, seconds, connections) for path in PATHS]
        bare.append(await measure(bare_server, "/", seconds, connections))
    base = statistics.mean(one.cpu_ms for one in bare)
    print(f"{'':<28}{'requests/s':>11}{'CPU ms':>8}{'ratio':>7}{'p50 ms':>8}{'p99 ms':>8}{'bytes':>8}")
    for name, one in (*(("bare route", one) for one in bare), *((one.path, one) for one in figures)):
        print(
            f"{name:<28}{one.per_second:>11.0f}{one.cpu_ms:>8.2f}{base / one.cpu_ms:>7.2f}"
            f"{one.p50 * 1000:>8.1f}{one.p99 * 1000:>8.1f}{one.size:>8}"
        )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with Supervisor(Path(folder), abrupt=True) as platform:
            await run(platform.endpoints.mongodb_uri, given.seconds, given.connections)


if __name__ == "__main__":
    asyncio.run(main())
