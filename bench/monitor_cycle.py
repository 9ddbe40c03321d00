"""What a monitor cycle costs when nothing has changed: database operations, Temporal history, time, and how they grow.

    python bench/monitor_cycle.py

Real MongoDB, Temporal and HTTP on this machine; every fixture has three settled goals. The peer is the same code with
one fixture per batch, which is one activity of each kind per fixture.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from temporalio.client import Client
from temporalio.worker import Worker

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.messages import PipelinePace, TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.supervisor import Supervisor
from found_footy.fixtures.activities import FixtureActivities, FixtureDependencies
from found_footy.fixtures.feed.client import create_api_football_client
from found_footy.fixtures.feed.schema import parse_fixture
from found_footy.fixtures.goals.changes import CreateGoal
from found_footy.fixtures.goals.decide import FixturePoll, decide_changes
from found_footy.fixtures.goals.documents import build_event_document, build_fixture_document
from found_footy.fixtures.goals.rows import parse_answer
from found_footy.fixtures.goals.snapshot import to_snapshot
from found_footy.fixtures.messages import MonitorInput, MonitorLimits, MonitorResult
from found_footy.fixtures.monitor_workflow import MonitorWorkflow
from found_footy.fixtures.store import INDEXES
from found_footy.platform import mongo
from found_footy.platform.mongo import Database, ensure_indexes
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import TypedErrorInterceptor, connect
from found_footy.worker import find_activities

SIZES = (50, 400, 2_000)
CYCLES = 5
# A quiet cycle of a busy Saturday, and of all matches of the world at once, within its interval of 30 s.
MOST_SECONDS = {400: 5.0, 2_000: 25.0}
MOST_OPERATIONS = 3.0
MOST_EVENTS = 2.0
KICKOFF = datetime.now(UTC) - timedelta(minutes=40)

Document = dict[str, Any]


def item(fixture_id: int) -> Document:
    """A match in play with three goals, as heavy as the feed sends them."""
    rows = [
        {
            "time": {"elapsed": minute, "extra": None},
            "team": {"id": 1, "name": "Home", "logo": "x" * 60},
            "player": {"id": fixture_id * 10 + minute, "name": f"Player {minute}"},
            "assist": {"id": None, "name": None},
            "type": "Goal",
            "detail": "Normal Goal",
            "comments": None,
        }
        for minute in (10, 20, 30)
    ]
    status = {"long": "First Half", "short": "1H", "elapsed": 40, "extra": None}
    return {
        "fixture": {"id": fixture_id, "timestamp": int(KICKOFF.timestamp()), "status": status},
        "league": {"id": 39, "name": "Premier League", "country": "England", "season": 2026},
        "teams": {"home": {"id": 1, "name": "Home"}, "away": {"id": 2, "name": "Away"}},
        "goals": {"home": 3, "away": 0},
        "score": {},
        "events": rows,
        "lineups": [{"startXI": ["p" * 40] * 22}],
        "statistics": [{"statistics": ["s" * 30] * 30}],
        "players": [{"players": ["s" * 400] * 40}],
    }


def watched(fixture_id: int) -> Document:
    fixture = parse_fixture(item(fixture_id))
    document = build_fixture_document(fixture, KICKOFF)
    poll = FixturePoll("before", KICKOFF, parse_answer(fixture, ("Goal",)), MonitorLimits(), 10)
    created = [each for each in decide_changes(to_snapshot(document), poll) if isinstance(each, CreateGoal)]
    settled = {"_monitor_complete": True, "_download_complete": True}
    return {**document, "events": [{**build_event_document(each), **settled} for each in created]}


@asynccontextmanager
async def feed() -> AsyncIterator[str]:
    bodies: dict[str, bytes] = {}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = (await reader.readuntil(b"\r\n\r\n")).decode().split(" ")[1]
        ids = parse_qs(urlsplit(target).query)["ids"][0]
        if ids not in bodies:
            items = [item(int(each)) for each in ids.split("-")]
            bodies[ids] = json.dumps({"errors": [], "paging": {"total": 1}, "response": items}).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(bodies[ids])}\r\nconnection: close\r\n\r\n"
        writer.write(head.encode() + bodies[ids])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@dataclass(frozen=True)
class Cost:
    """Of one cycle: seconds, operations and commands of the database, events and bytes of Temporal's history."""

    seconds: float
    operations: float
    commands: float
    events: float
    bytes: float


@dataclass
class Bench:
    database: Database
    temporal: Client
    queue: str

    async def measure(self, fixtures: int, batch_size: int) -> Cost:
        await self.database[FixtureCollection.ACTIVE].delete_many({})
        await self.database[FixtureCollection.ACTIVE].insert_many(
            [watched(1000 + number) for number in range(fixtures)]
        )
        await self._cycle(batch_size, fixtures)
        costs = [await self._cycle(batch_size, fixtures) for _ in range(CYCLES)]
        return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in Cost.__annotations__))

    async def _cycle(self, batch_size: int, fixtures: int) -> Cost:
        order = MonitorInput(MonitorLimits(batch_size=batch_size), PipelinePace(queues=TaskQueues(main=self.queue)))
        before, begun = await self._counters(), time.perf_counter()
        handle = await self.temporal.start_workflow(
            MonitorWorkflow.run, order, id=f"monitor-{uuid4().hex}", task_queue=self.queue
        )
        result: MonitorResult = await handle.result()
        seconds, after = time.perf_counter() - begun, await self._counters()
        assert (result.fixtures, result.unknown, result.written, result.failures) == (fixtures, 0, 0, 0), result
        history = (await handle.fetch_history()).events
        size = sum(event.ByteSize() for event in history)
        kinds = ("insert", "query", "update", "delete", "getmore")
        operations = sum(after[kind] - before[kind] for kind in kinds)
        return Cost(seconds, operations, after["command"] - before["command"], len(history), size)

    async def _counters(self) -> dict[str, int]:
        status = await self.database.client.admin.command("serverStatus")
        counters: dict[str, int] = status["opcounters"]
        return counters


@asynccontextmanager
async def opened(endpoints: PlatformEndpoints) -> AsyncIterator[Bench]:
    queue = "bench"
    objects = ObjectStore(endpoints.s3_endpoint, endpoints.s3_access_key, endpoints.s3_secret_key, "bench")
    async with (
        mongo.connect(endpoints.mongodb_uri, "bench") as database,
        connect(endpoints.temporal_address, "default") as temporal,
        feed() as url,
    ):
        await ensure_indexes(database, INDEXES)
        client = create_api_football_client("key", "direct", url, timedelta(seconds=30), 64 * 1024 * 1024)
        tools = FixtureDependencies(database, client, temporal, objects, lambda: datetime.now(UTC))
        worker = Worker(
            temporal,
            task_queue=queue,
            workflows=[MonitorWorkflow],
            interceptors=[TypedErrorInterceptor()],
            activities=find_activities(FixtureActivities(tools)),
            max_concurrent_activities=30,
            max_concurrent_workflow_tasks=10,
        )
        async with worker:
            yield Bench(database, temporal, queue)
        await client.aclose()


def row(name: str, fixtures: int, cost: Cost) -> None:
    print(
        f"{name:<22}{fixtures:>6}{cost.seconds:>9.2f}{cost.operations / fixtures:>12.2f}"
        f"{cost.events / fixtures:>12.2f}{cost.events:>9.0f}{cost.bytes / 1024:>9.0f}"
    )


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with Supervisor(Path(folder), abrupt=True) as platform, opened(platform.endpoints) as bench:
            print(f"{'':<22}{'fixtures':>6}{'seconds':>8}{'db ops/fix':>12}{'events/fix':>12}{'events':>9}{'KiB':>9}")
            ours = {size: await bench.measure(size, 20) for size in SIZES}
            for size, cost in ours.items():
                row("batches of 20", size, cost)
            peer = await bench.measure(SIZES[0], 1)
            row("one by one (peer)", SIZES[0], peer)
    report(ours, peer)
    await asyncio.sleep(0.2)


def ratios(one: Cost, other: Cost) -> str:
    named = {"time": "seconds", "operations": "operations", "events": "events", "bytes": "bytes"}
    return ", ".join(f"{name} x{getattr(one, of) / getattr(other, of):.1f}" for name, of in named.items())


def report(ours: dict[int, Cost], peer: Cost) -> None:
    small, large = ours[SIZES[0]], ours[SIZES[-1]]
    growth = SIZES[-1] / SIZES[0]
    print(f"\nfrom {SIZES[0]} to {SIZES[-1]} fixtures (x{growth:g}): {ratios(large, small)}")
    print(f"peer at {SIZES[0]} fixtures: {ratios(peer, small)}")
    verdicts = [
        *((f"seconds per cycle at {size}", ours[size].seconds, most) for size, most in MOST_SECONDS.items()),
        ("database operations per fixture", large.operations / SIZES[-1], MOST_OPERATIONS),
        ("history events per fixture", large.events / SIZES[-1], MOST_EVENTS),
        ("growth of time over growth of fixtures", large.seconds / small.seconds / growth, 1.0),
        ("growth of operations over growth of fixtures", large.operations / small.operations / growth, 1.0),
    ]
    for name, value, limit in verdicts:
        print(f"{'ok  ' if value <= limit else 'OVER'} {name}: {value:.2f} (limit {limit:g})")


if __name__ == "__main__":
    asyncio.run(main())
