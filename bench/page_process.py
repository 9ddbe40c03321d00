"""The page as a process of its own over real MongoDB, and the match day that it shows."""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.process import BaseProcess
from typing import Any

from found_footy.app import INDEXES
from found_footy.domain.collections import FixtureCollection
from found_footy.platform import mongo
from found_footy.platform.free_port import find_free_port
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from found_footy.web.settings import WebSettings
from tests.support.web import matchday
from tests.support.web.page import report_all_ok

_FIXTURES, _GOALS, _CLIPS = 60, 200, 3


@dataclass(frozen=True)
class BenchServer:
    port: int
    process: BaseProcess


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


async def insert_match_day(database: Database) -> None:
    await mongo.ensure_indexes(database, INDEXES)
    await database[FixtureCollection.ACTIVE].delete_many({})
    await database[FixtureCollection.ACTIVE].insert_many(build_match_day())


def serve_page(settings: WebSettings, mongo_uri: str, database: str) -> None:
    """Serve the page until the process is ended. It has no object store: no clip is asked for."""

    async def serve() -> None:
        async with mongo.connect(mongo_uri, database) as connected:
            objects = ObjectStore("http://127.0.0.1:9", "none", "none", "none")
            deps = WebDeps(connected, objects, report_all_ok, clock=lambda: matchday.NOW, settings=settings)
            async with serve_app(create_app(deps), settings):
                await asyncio.Event().wait()

    asyncio.run(serve())


@asynccontextmanager
async def run_server(serve: Callable[..., None], *args: Any) -> AsyncIterator[BenchServer]:
    """Call `serve(port, *args)` in a process of its own and yield when the port is open."""
    port = find_free_port()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(port, *args), daemon=True)
    process.start()
    try:
        await _wait_for_port(port)
        yield BenchServer(port, process)
    finally:
        process.terminate()
        process.join()


async def _wait_for_port(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
