"""`found-footy demo`"""

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from found_footy import app
from found_footy.cli import console, demo_blinding, demo_disk, demo_faults, demo_report, demo_search, demo_start, ingest
from found_footy.cli.demo_chaos import Chaos
from found_footy.cli.demo_display import summarize
from found_footy.cli.demo_faults import Outage, Outages, Product, parse_outages
from found_footy.cli.demo_measure import Measure
from found_footy.cli.demo_watch import Course, Unfinished, follow
from found_footy.cli.demo_world import World, free_port, page_port
from found_footy.embedded.supervisor import NEEDED, Supervisor
from found_footy.fixtures.settings import ingest_input
from found_footy.platform import logs
from found_footy.platform.errors import Unavailable
from found_footy.scorecard import store
from found_footy.settings import Settings, load_settings, pace

_SCENARIO_SPEED = 45.0


class Size(StrEnum):
    SMALL = "small"
    DEMO = "demo"
    FULL = "full"


# Match minutes per real minute, and how many seconds of real time a day may take before it is given up.
_SPEEDS = {Size.SMALL: 12.0, Size.DEMO: 5.0, Size.FULL: 60.0}
_LIMITS = {Size.SMALL: 600, Size.DEMO: 900, Size.FULL: 3600}


@dataclass(frozen=True)
class Wishes:
    """What was asked for on the command line, besides the world itself."""

    keep: bool
    data_kept: bool
    chaos: bool
    draw_first: bool
    limit: int
    report: Path
    search: demo_search.SearchPlan
    outages: tuple[Outage, ...] = ()
    outage_seconds: float = 60.0


def command(
    keep: Annotated[bool, typer.Option("--keep", help="Stay up afterwards, until Ctrl-C.")] = False,
    world: Annotated[Size, typer.Option(help="How large a simulated match day to play.")] = Size.DEMO,
    seed: Annotated[int, typer.Option(help="Which match day of that size.", min=0)] = 1,
    speed: Annotated[float, typer.Option(help="Match minutes per real minute; 0 takes the world's own.", min=0)] = 0,
    chaos: Annotated[bool, typer.Option("--chaos", help="Kill servers and end sessions in between.")] = False,
    fault: Annotated[str, typer.Option(help=f"Longer outages, by name and in this order: {', '.join(Outage)}.")] = "",
    fault_seconds: Annotated[float, typer.Option(help="How long such an outage lasts, in real seconds.", min=1)] = 60,
    draw_first: Annotated[
        bool, typer.Option("--draw-first", help="Draw every clip before kick-off: figures without that work in them.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Where the scorecard goes; by default a new folder.")] = None,
    browser: Annotated[
        bool | None,
        typer.Option("--browser/--no-browser", help="Search through a real browser; by default if it can keep up."),
    ] = None,
    scenario: Annotated[str, typer.Option(help="Play this scripted match day instead of a world.")] = "",
    port: Annotated[int, typer.Option(help="Port of the page; by default 8000, or a free one if that is taken.")] = 0,
    data_dir: Annotated[
        Path | None, typer.Option(help="Keep data here, where no matches are yet, not in a temporary directory.")
    ] = None,
    limit: Annotated[int, typer.Option(help="Give up after so many seconds; 0 takes the world's own.", min=0)] = 0,
) -> int:
    """Play a simulated match day on real servers and watch its goals turn into clips. Needs no key."""
    outages = parse_outages(fault)
    if Outage.FULL_DISK in outages:
        demo_disk.refuse_unsuitable((data_dir or Path(tempfile.gettempdir())).absolute())
    folder = data_dir or Path(tempfile.mkdtemp(prefix="found-footy-demo-"))
    pace_of_time = speed or (_SCENARIO_SPEED if scenario else _SPEEDS[world])
    search = demo_search.plan(os.environ, pace_of_time, wanted=False if scenario else browser)
    played = World(
        scenario or world,
        pace_of_time,
        folder.absolute(),
        free_port(),
        port or page_port(),
        seed=None if scenario else seed,
        site_port=free_port(),
    )
    if search.browser:
        played = demo_search.with_browser(played)
    played = replace(played, extra={**played.extra, **demo_faults.environment(outages)})
    patience = limit or _LIMITS[world]
    try:
        wishes = Wishes(
            keep, data_dir is not None, chaos, draw_first, patience, report or _report_folder(), search,
            outages, fault_seconds,
        )  # fmt: skip
        env = played.environment(os.environ)
        settings = load_settings(env).settings
        logs.configure("ERROR" if console.interactive() else "WARNING", "pretty", "demo")
        return console.run(lambda: play(settings, played, env, wishes))
    finally:
        if data_dir is None:
            shutil.rmtree(folder, ignore_errors=True)


def _report_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"found-footy-report-{os.getpid()}"


async def play(settings: Settings, world: World, env: dict[str, str], wishes: Wishes) -> int:
    began = time.monotonic()
    console.out.print("[bold]Found Footy demo[/]: starting MongoDB, Temporal and the object store …")
    abrupt = not (wishes.keep or wishes.data_kept)
    async with Supervisor(world.data_dir, servers=NEEDED, abrupt=abrupt) as supervisor:
        await demo_start.refuse_played(load_settings(env).settings)
        console.out.print(wishes.search.why, highlight=False, soft_wrap=True)
        await demo_start.programs_of(supervisor, settings, world, env, wishes.search, whole=wishes.draw_first)
        console.out.print(f"ready after {time.monotonic() - began:.0f} s. Watch it at "
                          f"[bold]http://127.0.0.1:{world.page_port}[/]\n", highlight=False)  # fmt: skip
        code = await _play_the_day(load_settings(env).settings, supervisor, world, wishes, began)
        if wishes.keep:
            console.out.print(f"\nStaying up at http://127.0.0.1:{world.page_port} until Ctrl-C.", highlight=False)
            await supervisor.wait()
    return code


async def _play_the_day(settings: Settings, supervisor: Supervisor, world: World, wishes: Wishes, began: float) -> int:
    """Take the fixtures in, follow them to their end, and say how it went."""
    course, measure = Course(), Measure(supervisor.status, began)
    measure.begin()
    async with app.opened(settings) as opened:
        await ingest.run_ingest(opened, ingest_input(settings.fixtures, pace(settings)))
        chaos = Chaos(
            world, supervisor, course, bool(wishes.search.browser), lambda: store.whole_fixtures(opened.database)
        )
        outages = Outages(_product(opened, supervisor), wishes.outages, wishes.outage_seconds, course, chaos.began)
        breaking: list[Chaos | Outages] = [chaos] if wishes.chaos else []
        breaking += [outages] if wishes.outages else []
        async with _broken(breaking):
            await follow(
                opened, supervisor, course, wishes.limit, lambda: measure.look(opened), _unfinished(opened, breaking)
            )
        faults = tuple(fault for one in breaking for fault in (*one.faults, *one.not_fired()))
        searches = "real browser" if wishes.search.browser else "open search wire"
        played = demo_report.Played(world, searches, bool(breaking), faults)
        report = await demo_report.make(opened, played, measure)
    watched = summarize(course.views(settings), supervisor.status(), time.monotonic() - began)
    return watched if report is None else demo_report.publish(report, wishes.report)


def _product(opened: app.App, supervisor: Supervisor) -> Product:
    return Product(
        supervisor,
        opened.settings.data_dir,
        documents=lambda: store.whole_fixtures(opened.database),
        last_poll=lambda: store.last_poll(opened.database),
        count_workflows=lambda: store.count_workflows(opened.temporal),
        attempts=opened.settings.pace.attempts,
    )


def _unfinished(opened: app.App, breaking: Sequence[Chaos | Outages]) -> Unfinished | None:
    """Whether what was broken is still coming back: the fault itself, or clips that nobody could look at meanwhile."""

    async def unfinished() -> bool:
        try:
            waiting = demo_blinding.awaited(await store.whole_fixtures(opened.database))
        except Unavailable:
            return True
        return bool(waiting) or any(one.is_breaking for one in breaking)

    return unfinished if breaking else None


@asynccontextmanager
async def _broken(breaking: Sequence[Chaos | Outages]) -> AsyncIterator[None]:
    """Things break while the block runs, one kind after the other; what has not fired by its end never does."""

    async def one_after_the_other() -> None:
        for one in breaking:
            await one.run()

    task = asyncio.create_task(one_after_the_other())
    try:
        yield
        if task.done():
            task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
