"""What visitors of the page get while others hold connections for nothing and reload: answers and a live stream.

    python -m bench.page_load [--seconds 60] [--idle 1100] [--reloads 50] [--nginx]

The page as a process of its own with shipped settings and 1,024 open files, real MongoDB, 400 matches of three goals
with five clips each, one of which changes every second. With --nginx the same through an nginx as documented.
"""

import argparse
import asyncio
import contextlib
import itertools
import os
import resource
import shlex
import ssl
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.free_port import find_free_port
from found_footy.platform.mongo import Database
from tests.support.web import matchday, nginx

NAME = "footy.example"
TOKEN = uuid4().hex
OPEN_FILES = 1024
# Idle connections come from so many addresses, which together may have more of them than the page takes.
HOLDERS = 5
LONGEST = 60.0
_CHANGED = 1


@dataclass(frozen=True)
class Load:
    seconds: float
    idle: int
    reloads: float
    """Pages asked for in a second."""

    reopen: float = 1.0
    """Seconds after which a connection that was closed is opened again."""

    health: int = 0
    """Answers of /healthz that are waited for under the load when `seconds` are over: a crowded machine is slow."""


@dataclass(frozen=True)
class Door:
    """Where visitors come in."""

    port: int
    tls: ssl.SSLContext | None = None

    async def opened(self, came_from: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self.tls, server_hostname=NAME if self.tls else None, local_addr=(came_from, 0)
        )

    async def get(self, path: str, came_from: str = "127.0.0.1", **headers: str) -> tuple[int, bytes]:
        """One request on a connection of its own. OSError and TimeoutError if there is no whole answer."""
        async with asyncio.timeout(LONGEST):
            reader, writer = await self.opened(came_from)
            try:
                writer.write(_request(path, {"Connection": "close", **headers}))
                head = await reader.readuntil(b"\r\n\r\n")
                return int(head.split()[1]), await reader.read()
            except asyncio.IncompleteReadError as error:
                raise ConnectionError("no answer") from error
            finally:
                writer.close()


def _request(path: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: {NAME}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@dataclass
class Result:
    """Seconds of the answers that came, what went wrong with others, and how late changes were told."""

    health: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    reported: list[float] = field(default_factory=list)
    bytes: int = 0
    reopened: int = 0
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        rows = {"/healthz": self.health, "/": self.pages, "a change, until told": self.reported}
        return [f"{name:<22}{len(row):>7}{_at(row, 50):>10.3f}{_at(row, 99):>10.3f}" for name, row in rows.items()]


def _at(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else float("nan")


async def measure(door: Door, database: Database, load: Load) -> Result:
    """Put the load on the page and look how it is."""
    result, clock = Result(), asyncio.get_running_loop().time
    end = clock() + load.seconds

    def is_over() -> bool:
        return clock() >= end and (len(result.health) >= load.health or clock() >= end + LONGEST)

    places = [f"127.0.0.{2 + number % HOLDERS}" for number in range(load.idle)]
    holding = [asyncio.create_task(_hold(door, place, load.reopen, result)) for place in places]
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_health(door, result, is_over))
            group.create_task(_reload(door, result, is_over, load.reloads))
            group.create_task(_live(door, database, result, is_over))
    finally:
        for task in holding:
            task.cancel()
        await asyncio.gather(*holding, return_exceptions=True)
    return result


async def _hold(door: Door, came_from: str, pause: float, result: Result) -> None:
    """Keep a connection on which nothing is asked; open another when it is closed."""
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await door.opened(came_from)
            try:
                writer.write(b"GET / HTTP/1.1\r\n")
                await reader.read()
            finally:
                writer.close()
        result.reopened += 1
        await asyncio.sleep(pause)


async def _asked(door: Door, path: str, into: list[float], result: Result, came_from: str = "127.0.0.1") -> None:
    clock = asyncio.get_running_loop().time
    since = clock()
    try:
        status, body = await door.get(path, came_from, **{"Accept-Encoding": "gzip"})
    except (OSError, TimeoutError) as error:
        result.wrong.append(f"{path}: {error!r}")
        return
    if status == 200:
        into.append(clock() - since)
        result.bytes += len(body)
    else:
        result.wrong.append(f"{path}: {status}")


async def _health(door: Door, result: Result, is_over: Callable[[], bool]) -> None:
    while not is_over():
        await _asked(door, "/healthz", result.health, result)
        await asyncio.sleep(0.1)


async def _reload(door: Door, result: Result, is_over: Callable[[], bool], rate: float) -> None:
    """As many visitors, each at an address of its own."""
    clock = asyncio.get_running_loop().time
    due = clock()
    visitors = itertools.cycle(f"127.0.1.{number}" for number in range(1, 255))
    async with asyncio.TaskGroup() as group:
        while not is_over():
            group.create_task(_asked(door, "/", result.pages, result, next(visitors)))
            due += 1 / rate
            await asyncio.sleep(max(0.0, due - clock()))


async def _live(door: Door, database: Database, result: Result, is_over: Callable[[], bool]) -> None:
    """Follow the stream, change a match every second, and note when the change is told."""
    clock = asyncio.get_running_loop().time
    reader, writer = await door.opened()
    writer.write(_request("/events", {}))
    try:
        async with asyncio.timeout(LONGEST):
            await reader.readuntil(b": following")
        while not is_over():
            since = clock()
            change = {"$set": {"fixture.status.elapsed": len(result.reported) % 90}}
            await database[FixtureCollection.ACTIVE].update_one({"_id": _CHANGED}, change)
            async with asyncio.timeout(LONGEST):
                await reader.readuntil(f'data: {{"id": {_CHANGED}}}'.encode())
            result.reported.append(clock() - since)
            await asyncio.sleep(1)
    except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        result.wrong.append(f"/events: {error!r}")
    finally:
        writer.close()


async def seed(database: Database, matches: int, goals: int = 3, clips: int = 5) -> None:
    """Matches of today in all three collections, a third of them in play."""
    now = datetime.now(UTC)
    collections = {
        FixtureCollection.ACTIVE: ("2H", -1),
        FixtureCollection.COMPLETED: ("FT", -6),
        FixtureCollection.STAGING: ("NS", 5),
    }
    for number in range(1, matches + 1):
        collection, (status, hours) = list(collections.items())[(number - 1) % 3]
        events = (
            [_goal(number, player, clips) for player in range(goals)]
            if collection is not FixtureCollection.STAGING
            else []
        )
        kickoff = now + timedelta(hours=hours, seconds=number)
        await database[collection].insert_one(matchday.fixture(number, status=status, kickoff=kickoff, events=events))


def _goal(fixture_id: int, player: int, clips: int) -> matchday.Document:
    goal = matchday.goal(fixture_id, player=player, minute=10 * player + 5)
    found = [matchday.clip(goal["_event_id"], f"{clip:x}" * 32, rank=clip + 1) for clip in range(clips)]
    return goal | {"_s3_videos": found}


@asynccontextmanager
async def page_process(
    endpoints: PlatformEndpoints, database: str, folder: Path, **settings: str
) -> AsyncIterator[Door]:
    """`found-footy web` as shipped, on a port of its own, where few files may be opened."""
    door = Door(find_free_port())
    prefixes = ("FOOTY_", "MONGODB", "S3_", "TEMPORAL", "NATS")
    env = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)} | {
        "MONGODB_URI": endpoints.mongodb_uri,
        "MONGODB_DATABASE": database,
        "TEMPORAL_ADDRESS": endpoints.temporal_address,
        "S3_ENDPOINT": endpoints.s3_endpoint,
        "S3_ACCESS_KEY": endpoints.s3_access_key,
        "S3_SECRET_KEY": endpoints.s3_secret_key,
        "S3_BUCKET": f"bench-{uuid4().hex}",
        "FOOTY_DATA_DIR": str(folder),
        "FOOTY_WEB__PORT": str(door.port),
        "FOOTY_WEB__ADMIN_TOKEN": TOKEN,
        **settings,
    }
    limited = f"ulimit -n {OPEN_FILES}; exec {shlex.quote(sys.executable)} -m found_footy.cli web"
    with (folder / "web.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec("sh", "-c", limited, env=env, stdout=log, stderr=log)
    try:
        await _ready(door, process, folder / "web.log")
        yield door
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _ready(door: Door, process: asyncio.subprocess.Process, log: Path) -> None:
    async with asyncio.timeout(3 * LONGEST):
        while True:
            with contextlib.suppress(OSError):
                await door.get("/healthz")
                return
            if process.returncode is not None:
                raise RuntimeError(f"the page ended; {log} says why")
            await asyncio.sleep(0.1)


async def renders(door: Door) -> int:
    """How many pages the process has written so far."""
    _, figures = await door.get("/metrics", Authorization=f"Bearer {TOKEN}")
    rows = (line.split() for line in figures.decode().splitlines())
    return int(float(next(row[1] for row in rows if row[:1] == ["found_footy_web_render_seconds_count"])))


def may_open(files: int) -> None:
    """Our own end of so many connections needs files too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--idle", type=int, default=1100)
    parser.add_argument("--reloads", type=float, default=50)
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--nginx", action="store_true")
    wishes = parser.parse_args()
    may_open(wishes.idle + 500)
    load = Load(wishes.seconds, wishes.idle, wishes.reloads)
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        async with Supervisor(Path(place), abrupt=True) as platform:
            await run(platform.endpoints, Path(place), load, wishes.matches, through_nginx=wishes.nginx)


async def run(endpoints: PlatformEndpoints, folder: Path, load: Load, matches: int, *, through_nginx: bool) -> None:
    trust = {"FOOTY_WEB__TRUSTED_PROXIES": "127.0.0.1"} if through_nginx else {}
    async with (
        mongo.connect(endpoints.mongodb_uri, "bench_page") as database,
        page_process(endpoints, "bench_page", folder, **trust) as page,
    ):
        await seed(database, matches)
        quiet = await measure(page, database, Load(min(10.0, load.seconds), 0, 1))
        before = await renders(page)
        if through_nginx:
            async with nginx.as_documented(folder, f"http://127.0.0.1:{page.port}") as (_, port, tls):
                busy = await measure(Door(port, tls), database, load)
        else:
            busy = await measure(page, database, load)
        made = await renders(page) - before
    print(f"{'seconds':<22}{'count':>7}{'p50':>10}{'p99':>10}")
    print("quiet", *quiet.lines(), sep="\n")
    print(f"{load.idle} idle connections, {load.reloads:g} reloads a second", *busy.lines(), sep="\n")
    print(f"{made} pages written, {busy.bytes / 1e6:.0f} MB sent, idle connections opened again {busy.reopened} times")
    print(f"{len(busy.wrong)} went wrong", *sorted(set(busy.wrong))[:5], sep="\n  ")


if __name__ == "__main__":
    asyncio.run(main())
