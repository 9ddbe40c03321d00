"""A thousand browsers that follow one process: memory of each, and how soon each is told of a change.

    python -m bench.live_clients [--clients 1000] [--changes 20]

The page as a process of its own, real MongoDB with 60 matches and 200 goals. Every client reads the live stream over a
connection of its own; a match is changed in the database, and the time until each client has its message is taken.
"""

import argparse
import asyncio
import itertools
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.page_load import may_open
from bench.page_process import insert_match_day, run_server, serve_page
from bench.process_figures import read_cpu_seconds, read_resident_bytes
from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.mongo import Database
from found_footy.web.server import raise_open_file_limit
from found_footy.web.settings import WebSettings

_ROOM = 100
_LONGEST_SECONDS = 300.0
_WARM_UP_SECONDS = 5.0
_CHANGED = 1


def serve_followers(port: int, mongo_uri: str, database: str, clients: int) -> None:
    """Serve the page with limits that let so many clients in, all from one address."""
    raise_open_file_limit()
    room = clients + _ROOM
    settings = WebSettings(
        port=port, live_clients=room, live_clients_per_peer=room, connections=room, connections_per_peer=room
    )
    serve_page(settings, mongo_uri, database)


@dataclass(frozen=True)
class LiveFollower:
    """The writer is kept: a connection whose writer is forgotten is closed."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def open_follower(port: int) -> LiveFollower:
    """Open the live stream and read its beginning."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    head = await reader.readuntil(b": following")
    assert head.startswith(b"HTTP/1.1 200"), head
    return LiveFollower(reader, writer)


async def wait_until_followed(follower: LiveFollower, database: Database) -> None:
    """Change a match until the client hears of it: the process then follows the database."""
    for number in itertools.count():
        await database[FixtureCollection.ACTIVE].update_one({"_id": _CHANGED}, {"$set": {"warm_up": number}})
        try:
            async with asyncio.timeout(_WARM_UP_SECONDS):
                await follower.reader.readuntil(f'data: {{"id": {_CHANGED}}}'.encode())
                return
        except TimeoutError:
            continue


async def measure_delivery(followers: list[LiveFollower], database: Database, changes: int) -> list[float]:
    """Seconds until a client has the message of a change, for every change and client."""
    took: list[float] = []

    async def receive(follower: LiveFollower, since: float) -> None:
        await follower.reader.readuntil(f'data: {{"id": {_CHANGED}}}'.encode())
        took.append(time.perf_counter() - since)

    for number in range(changes):
        since = time.perf_counter()
        change = {"$set": {"fixture.status.elapsed": number + 1}}
        await database[FixtureCollection.ACTIVE].update_one({"_id": _CHANGED}, change)
        async with asyncio.timeout(_LONGEST_SECONDS):
            await asyncio.gather(*(receive(follower, since) for follower in followers))
    return took


async def run(mongo_uri: str, name: str, clients: int, changes: int) -> None:
    may_open(2 * clients + _ROOM)
    async with mongo.connect(mongo_uri, name) as database:
        await insert_match_day(database)
        async with asyncio.timeout(_LONGEST_SECONDS) as starting:
            async with run_server(serve_followers, mongo_uri, name, clients) as server:
                followers = [await open_follower(server.port)]
                await wait_until_followed(followers[0], database)
                before = read_resident_bytes(server.process)
                followers += [await open_follower(server.port) for _ in range(clients - 1)]
                starting.reschedule(None)
                each = (read_resident_bytes(server.process) - before) / (clients - 1)
                cpu = read_cpu_seconds(server.process)
                took = await measure_delivery(followers, database, changes)
                spent = (read_cpu_seconds(server.process) - cpu) / changes
    cuts = statistics.quantiles(took, n=100, method="inclusive")
    print(f"{clients} clients: {each / 1024:.1f} KiB each; a change costs {spent * 1000:.0f} ms of the processor")
    print(f"a change reaches a client after {cuts[49] * 1000:.0f} ms (p50), {cuts[98] * 1000:.0f} ms (p99)")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with Supervisor(Path(folder), abrupt=True) as platform:
            await run(platform.endpoints.mongodb_uri, "bench_live", given.clients, given.changes)


if __name__ == "__main__":
    asyncio.run(main())
