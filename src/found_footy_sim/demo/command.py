"""`found-footy demo`"""

import asyncio
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from found_footy import app
from found_footy.cli import console, ingest
from found_footy.embedded.nats import NatsServer
from found_footy.embedded.supervisor import ALL_SERVERS, Supervisor
from found_footy.fixtures.settings import build_ingest_input
from found_footy.platform import logs
from found_footy.platform.errors import BadInput, ConfigError, Unavailable
from found_footy.platform.free_port import find_free_port
from found_footy.settings import Settings, load_settings, pipeline_pace
from found_footy_sim.demo import browser_search, disk_outage, outage_injector, scorecard_report, startup, vision_outage
from found_footy_sim.demo.chaos_injector import ChaosInjector
from found_footy_sim.demo.command_options import (
    BrowserOption,
    ChaosOption,
    DataDirOption,
    DemoSize,
    DrawFirstOption,
    FaultOption,
    FaultSecondsOption,
    ImagesOption,
    KeepOption,
    LimitOption,
    PortOption,
    ProofPart,
    RedditOption,
    ReportOption,
    ScenarioOption,
    SeedOption,
    ShareOption,
    SpeedOption,
    UploadsOption,
    WithoutOption,
    WorldOption,
    build_proof_settings,
)
from found_footy_sim.demo.cost_meter import CostMeter
from found_footy_sim.demo.day_progress import DayProgress, UnfinishedCheck, follow_day
from found_footy_sim.demo.display import print_summary
from found_footy_sim.demo.outage_injector import OutageInjector, OutageKind, ProductHandle, parse_outages
from found_footy_sim.demo.world import DemoWorld, choose_page_port
from found_footy_sim.scorecard import store
from found_footy_sim.uploads import run as uploads_run
from found_footy_sim.uploads.run import UploadsPlan
from found_footy_sim.uploads.true_labels import check_model
from found_footy_sim.world.shares import UnknownShare, parse_shares

_SCENARIO_SPEED = 45.0
# Match minutes per real minute, and the real seconds after which a day is abandoned.
_SPEED_BY_SIZE = {DemoSize.SMALL: 12.0, DemoSize.DEMO: 5.0, DemoSize.FULL: 60.0}
_TIME_LIMIT_BY_SIZE = {DemoSize.SMALL: 600, DemoSize.DEMO: 900, DemoSize.FULL: 3600}


@dataclass(frozen=True)
class DemoOptions:
    """Options of the command line, besides the world itself."""

    keep: bool
    keeps_data: bool
    chaos: bool
    draw_first: bool
    time_limit_seconds: int
    report_dir: Path
    search_plan: browser_search.SearchPlan
    outages: tuple[OutageKind, ...] = ()
    outage_seconds: float = 60.0
    uploads: UploadsPlan | None = None
    plays_matches: bool = True


def command(
    keep: KeepOption = False,
    world: WorldOption = None,
    seed: SeedOption = 1,
    share: ShareOption = None,
    speed: SpeedOption = 0,
    without: WithoutOption = None,
    chaos: ChaosOption = False,
    fault: FaultOption = "",
    fault_seconds: FaultSecondsOption = 60,
    reddit: RedditOption = False,
    draw_first: DrawFirstOption = False,
    report: ReportOption = None,
    browser: BrowserOption = None,
    scenario: ScenarioOption = "",
    port: PortOption = 0,
    data_dir: DataDirOption = None,
    uploads: UploadsOption = False,
    images: ImagesOption = 51,
    limit: LimitOption = 0,
) -> int:
    """Run a simulated match day on real servers and find clips of its goals. Needs no key."""
    outages, size, shares = parse_outages(fault), world or DemoSize.DEMO, _check_shares(share or ())
    plays_matches = not uploads or world is not None or bool(scenario)
    plan = _plan_uploads(seed, images, outages, chaos=chaos, plays_matches=plays_matches) if uploads else None
    folder = _choose_folder(data_dir, outages)
    match_speed = speed or (_SCENARIO_SPEED if scenario else _SPEED_BY_SIZE[size])
    search = browser_search.plan_search(os.environ, match_speed, wanted=False if scenario else browser)
    played = _build_world(
        scenario or size,
        match_speed,
        folder,
        port,
        None if scenario else seed,
        _build_settings(outages, plan, plays_matches, without or ()),
        with_browser=bool(search.browser),
        shares=shares,
        with_reddit=reddit,
    )
    try:
        options = DemoOptions(
            keep,
            data_dir is not None,
            chaos,
            draw_first,
            limit or _TIME_LIMIT_BY_SIZE[size],
            report or _default_report_dir(),
            search,
            outages,
            fault_seconds,
            plan,
            plays_matches,
        )
        return _execute_demo(played, options)
    finally:
        if data_dir is None:
            shutil.rmtree(folder, ignore_errors=True)


def _choose_folder(data_dir: Path | None, outages: Sequence[OutageKind]) -> Path:
    if OutageKind.FULL_DISK in outages:
        disk_outage.check_file_system((data_dir or Path(tempfile.gettempdir())).absolute())
    return data_dir or Path(tempfile.mkdtemp(prefix="found-footy-demo-"))


def _execute_demo(world: DemoWorld, options: DemoOptions) -> int:
    env = world.build_environment(os.environ)
    settings = load_settings(env).settings
    logs.configure_logging("ERROR" if console.is_interactive() else "WARNING", "pretty", "demo")
    return console.run_coroutine(lambda: run_demo(settings, world, env, options))


def _plan_uploads(
    seed: int, names: int, outages: Sequence[OutageKind], *, chaos: bool, plays_matches: bool
) -> UploadsPlan:
    if outages and not plays_matches:
        raise BadInput("--fault breaks a match day, and --uploads plays none; add --world")
    killed = uploads_run.KILLED_BESIDE_MATCHES if plays_matches else uploads_run.KILLED_PROGRAMS
    return UploadsPlan(seed, names, secrets.token_hex(16), killed if chaos else ())


def _build_settings(
    outages: Sequence[OutageKind], plan: UploadsPlan | None, plays_matches: bool, without: Sequence[ProofPart]
) -> dict[str, str]:
    return {
        **outage_injector.outage_environment(outages),
        **_uploads_settings(plan, plays_matches),
        **build_proof_settings(without),
    }


def _uploads_settings(plan: UploadsPlan | None, plays_matches: bool) -> dict[str, str]:
    """Without matches nothing is simulated, so no feed is polled."""
    return {**uploads_run.uploads_environment(plan), **({} if plays_matches else {"API_FOOTBALL_KEY": ""})}


def _build_world(
    name: str,
    speed: float,
    folder: Path,
    port: int,
    seed: int | None,
    extra_settings: Mapping[str, str],
    *,
    with_browser: bool,
    shares: tuple[str, ...],
    with_reddit: bool = False,
) -> DemoWorld:
    world = DemoWorld(
        name,
        speed,
        folder.absolute(),
        find_free_port(),
        port or choose_page_port(),
        seed=seed,
        site_port=find_free_port(),
        shares=shares,
        with_reddit=with_reddit,
    )
    if with_browser:
        world = browser_search.with_browser_search(world)
    return replace(world, extra_settings={**world.extra_settings, **extra_settings})


def _check_shares(shares: Sequence[str]) -> tuple[str, ...]:
    try:
        parse_shares(shares)
    except UnknownShare as error:
        raise ConfigError(str(error)) from error
    return tuple(shares)


def _default_report_dir() -> Path:
    return Path(tempfile.gettempdir()) / f"found-footy-report-{os.getpid()}"


async def run_demo(settings: Settings, world: DemoWorld, env: dict[str, str], options: DemoOptions) -> int:
    began = time.monotonic()
    servers = ALL_SERVERS if options.uploads else [kind for kind in ALL_SERVERS if kind is not NatsServer]
    console.out.print(f"[bold]Found Footy demo[/]: starting {', '.join(kind.name for kind in servers)} …")
    if options.uploads:
        check_model(settings)
    abrupt = not (options.keep or options.keeps_data)
    # The object store itself tells nothing: its notifications, and their loss, are part of what is played.
    async with Supervisor(world.data_dir, servers=servers, abrupt=abrupt) as supervisor:
        await startup.ensure_no_fixtures(load_settings(env).settings)
        await _start_programs(supervisor, settings, world, env, options)
        console.out.print(
            f"ready after {time.monotonic() - began:.0f} s. Watch it at [bold]http://127.0.0.1:{world.page_port}[/]\n",
            highlight=False,
        )
        now = load_settings(env).settings
        if options.plays_matches:
            code = await _run_match_day(now, supervisor, world, options, began)
        else:
            code = await _run_uploads(now, supervisor, options)
        if options.keep:
            console.out.print(f"\nRunning at http://127.0.0.1:{world.page_port} until Ctrl-C.", highlight=False)
            await supervisor.wait()
    return code


async def _start_programs(
    supervisor: Supervisor, settings: Settings, world: DemoWorld, env: dict[str, str], options: DemoOptions
) -> None:
    if not options.plays_matches:
        await startup.start_product(supervisor, settings, env)
        return
    console.out.print(options.search_plan.explanation, highlight=False, soft_wrap=True)
    await startup.start_programs(supervisor, settings, world, env, options.search_plan, render_all=options.draw_first)


async def _run_uploads(settings: Settings, supervisor: Supervisor, options: DemoOptions) -> int:
    """Play the afternoon alone, until its end or the time limit. Raises if the supervisor gave up a program."""
    async with app.open_app(settings) as opened:
        playing = asyncio.create_task(_play_uploads(opened, supervisor, options))
        over = asyncio.create_task(supervisor.wait())
        try:
            await asyncio.wait({playing, over}, timeout=options.time_limit_seconds, return_when=asyncio.FIRST_COMPLETED)
            if over.done():
                await over
            played = await playing if playing.done() else None
        finally:
            playing.cancel()
            over.cancel()
            await asyncio.gather(playing, over, return_exceptions=True)
    if played is None:
        console.out.print(f"The afternoon did not end within {options.time_limit_seconds} s.", style="red")
        return console.FAILED
    return uploads_run.publish_uploads_report(played, options.report_dir)


async def _play_uploads(
    opened: app.AppContext, supervisor: Supervisor, options: DemoOptions
) -> uploads_run.PlayedUploads | None:
    return await uploads_run.play_uploads(opened, supervisor, options.uploads) if options.uploads else None


async def _run_match_day(
    settings: Settings, supervisor: Supervisor, world: DemoWorld, options: DemoOptions, started_at: float
) -> int:
    """Ingest the fixtures, follow them until they are complete, and report the result."""
    course, measure = DayProgress(), CostMeter(supervisor.list_statuses, store.count_own_operations(), started_at)
    measure.set_baseline()
    async with app.open_app(settings) as opened:
        await ingest.run_ingest(opened, build_ingest_input(settings.fixtures, pipeline_pace(settings)))
        chaos = ChaosInjector(
            world, supervisor, course, bool(options.search_plan.browser), lambda: store.read_fixtures(opened.database)
        )
        outages = OutageInjector(
            _build_product_handle(opened, supervisor, world),
            options.outages,
            options.outage_seconds,
            course,
            chaos.started_at,
        )
        breaking: list[ChaosInjector | OutageInjector] = [chaos] if options.chaos else []
        breaking += [outages] if options.outages else []
        uploads = asyncio.create_task(_play_uploads(opened, supervisor, options))
        async with _inject_faults(breaking), _ended(uploads):
            await follow_day(
                opened,
                supervisor,
                course,
                options.time_limit_seconds,
                lambda: measure.take_sample(opened),
                _build_unfinished_check(opened, breaking),
            )
        faults = tuple(fault for one in breaking for fault in (*one.faults, *one.list_unfired_faults()))
        searches = "real browser" if options.search_plan.browser else "open search wire"
        played = scorecard_report.PlayedDay(world, searches, bool(breaking), faults)
        report = await scorecard_report.build_report(opened, played, measure, await uploads)
    watched = print_summary(course.match_views(settings), supervisor.list_statuses(), time.monotonic() - started_at)
    return watched if report is None else scorecard_report.publish_report(report, options.report_dir)


@asynccontextmanager
async def _ended(task: "asyncio.Task[Any]") -> AsyncIterator[None]:
    """Wait for the task after the block; cancel it if the block fails."""
    try:
        yield
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _build_product_handle(opened: app.AppContext, supervisor: Supervisor, world: DemoWorld) -> ProductHandle:
    return ProductHandle(
        supervisor,
        opened.settings.data_dir,
        read_fixtures=lambda: store.read_fixtures(opened.database),
        read_last_poll=lambda: store.read_last_poll(opened.database),
        count_workflows=lambda: store.count_workflows(opened.temporal),
        attempts=opened.settings.pace.attempts,
        simulator_url=f"http://{world.address}",
    )


def _build_unfinished_check(
    opened: app.AppContext, injectors: Sequence[ChaosInjector | OutageInjector]
) -> UnfinishedCheck | None:
    """Whether an injected fault is not over: the fault itself, or clips that could not be checked meanwhile."""

    async def unfinished() -> bool:
        try:
            waiting = vision_outage.find_pending_clips(await store.read_fixtures(opened.database))
        except Unavailable:
            return True
        return bool(waiting) or any(one.is_breaking for one in injectors)

    return unfinished if injectors else None


@asynccontextmanager
async def _inject_faults(injectors: Sequence[ChaosInjector | OutageInjector]) -> AsyncIterator[None]:
    """Inject faults while the block runs, one injector after the other; what has not been injected by its
    end never is.
    """

    async def one_after_the_other() -> None:
        for one in injectors:
            await one.run()

    task = asyncio.create_task(one_after_the_other())
    try:
        yield
        if task.done():
            task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
