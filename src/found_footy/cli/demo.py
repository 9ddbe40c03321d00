"""`found-footy demo`"""

import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from found_footy import app
from found_footy.cli import console, ingest, programs
from found_footy.cli.demo_display import Display, summarize
from found_footy.cli.demo_world import World, free_port, page_port
from found_footy.embedded.supervisor import Supervisor
from found_footy.fixtures.settings import ingest_input
from found_footy.model.fixture import Room
from found_footy.platform import logs
from found_footy.platform.errors import Unavailable
from found_footy.settings import Settings, load_settings, pace
from found_footy.web.store import ReadStore
from found_footy.web.views import Match, Stored, match_view, settle

_REFRESH_SECONDS = 1.0
_MOST_MATCHES = 100


def command(
    keep: Annotated[bool, typer.Option("--keep", help="Stay up afterwards, until Ctrl-C.")] = False,
    scenario: Annotated[str, typer.Option(help="Which simulated match day to play.")] = "demo",
    speed: Annotated[float, typer.Option(help="Match minutes per real minute.")] = 45,
    port: Annotated[int, typer.Option(help="Port of the page; by default 8000, or a free one if that is taken.")] = 0,
    data_dir: Annotated[Path | None, typer.Option(help="Keep data here, not in a temporary directory.")] = None,
    limit: Annotated[int, typer.Option(help="Give up after this many seconds.")] = 600,
) -> int:
    """Play a simulated match day on real servers and watch its goals turn into clips. Needs no key."""
    folder = data_dir or Path(tempfile.mkdtemp(prefix="found-footy-demo-"))
    world = World(scenario, speed, folder.absolute(), free_port(), port or page_port())
    try:
        env = world.environment(os.environ)
        settings = load_settings(env).settings
        logs.configure("ERROR" if console.interactive() else "WARNING", "pretty", "demo")
        return console.run(lambda: play(settings, world, env, keep=keep, limit=limit))
    finally:
        if data_dir is None:
            shutil.rmtree(folder, ignore_errors=True)


async def play(settings: Settings, world: World, env: dict[str, str], *, keep: bool, limit: int) -> int:
    began = time.monotonic()
    console.out.print("[bold]Found Footy demo[/]: starting MongoDB, Temporal, the object store and NATS …")
    async with Supervisor(world.data_dir, abrupt=not keep) as supervisor:
        await supervisor.run_program(programs.simulator(world.port, world.arguments, env))
        await supervisor.run_program(programs.worker(settings, supervisor.endpoints, env))
        await supervisor.run_program(programs.web(settings, env))
        console.out.print(f"ready after {time.monotonic() - began:.0f} s. Watch it at "
                          f"[bold]http://127.0.0.1:{world.page_port}[/]\n", highlight=False)  # fmt: skip
        running = load_settings(env).settings
        matches = await _watched(running, supervisor, limit)
        code = summarize(matches, supervisor.status(), time.monotonic() - began)
        if keep:
            console.out.print(f"\nStaying up at http://127.0.0.1:{world.page_port} until Ctrl-C.", highlight=False)
            await supervisor.wait()
    return code


async def _watched(settings: Settings, supervisor: Supervisor, limit: int) -> list[Match]:
    """Take the fixtures in and follow them until every match is archived, or the time is up."""
    async with app.opened(settings) as opened:
        await ingest.run_ingest(opened, ingest_input(settings.fixtures, pace(settings)))
        over = asyncio.create_task(supervisor.wait())
        deadline = time.monotonic() + limit
        store, stored = ReadStore(opened.database), list[Stored]()
        with Display(supervisor.status) as display:
            while not _archived(stored) and time.monotonic() < deadline and not over.done():
                stored = await _read(store, stored)
                display.show(_views(stored, settings))
                await asyncio.wait({over}, timeout=_REFRESH_SECONDS)
        if over.done():
            await over
        over.cancel()
        return _views(stored, settings)


async def _read(store: ReadStore, before: list[Stored]) -> list[Stored]:
    """The fixtures as they are now, or as they were if the database is just being restarted."""
    try:
        return settle(await store.page(None, _MOST_MATCHES))
    except Unavailable:
        return before


def _views(stored: list[Stored], settings: Settings) -> list[Match]:
    return [match_view(one, attempts_wanted=settings.pace.attempts) for one in stored]


def _archived(stored: list[Stored]) -> bool:
    return bool(stored) and all(one.room is Room.COMPLETED for one in stored)
