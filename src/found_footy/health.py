"""How everything that the product stands on is doing: asked by a real operation, told for people."""

import asyncio
import os
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from found_footy.app import App, disk_paths, floor_rule, search_report, vision_settings
from found_footy.discovery.standing import REFUSED, UNREACHABLE, InstanceReport, PoolReport
from found_footy.fixtures.feed_report import feed_report
from found_footy.fixtures.heartbeats import Heartbeats
from found_footy.fixtures.messages import INGEST_RUN, MONITOR_RUN
from found_footy.fixtures.run_report import RunReport, ingest_report, monitor_report
from found_footy.fixtures.store import FixtureStore
from found_footy.model import ids
from found_footy.platform import confinement, probes, temporal
from found_footy.platform.disk import FileSystem, FloorRule, described, file_systems, level
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.probes import ProbeResult
from found_footy.platform.schedules import ScheduleState, schedule_state
from found_footy.platform.settings import variables
from found_footy.platform.version import build
from found_footy.settings import Settings, external_servers
from found_footy.vision.report import reader_report
from found_footy.web.deps import AddClip, Dependency, WebDeps, utc_now

FEED = "football feed"
SEARCH = "search"
VISION = "reader of clips"
DECODER = "decoder"
WORKER = "worker"
MONITOR = "monitor"
INGEST = "ingest"
DISK = "disk"

_KEY = "API_FOOTBALL_KEY"
_VISION_KEY = "LLAMA_API_KEY"
_SET_KEY = f"set {_KEY}"
# Together with what a probe does in two steps, less than the page waits for all of them.
_PAGE_PROBE = timedelta(seconds=3)
_LONGEST_QUESTION = timedelta(seconds=6)
# Less than that: when the last run was is told though Temporal hangs.
_SCHEDULE_QUESTION = timedelta(seconds=3)


async def probe_everything(settings: Settings, timeout: timedelta = probes.TIMEOUT) -> Sequence[ProbeResult]:  # noqa: ASYNC109
    """The platform's servers, asked all at once."""
    return await asyncio.gather(
        probes.probe_mongo(settings.mongo, timeout=timeout),
        probes.probe_temporal(settings.temporal, timeout=timeout),
        probes.probe_objects(settings.objects, timeout=timeout),
    )


async def outside(app: App) -> list[Dependency]:
    """The outside systems that clips depend on. None of them is needed to show what is there already."""
    return list(
        await asyncio.gather(
            _bounded(FEED, feed(app)),
            _bounded(SEARCH, search(app.settings)),
            _bounded(VISION, vision(app.settings)),
            _bounded(DISK, disk(app.settings)),
            decoder(),
        )
    )


async def processes(app: App) -> list[Dependency]:
    """Whether somebody works: workers, and the runs that the schedules start."""
    return list(
        await asyncio.gather(
            _bounded(WORKER, _worker(app)), _bounded(MONITOR, _monitor(app)), _bounded(INGEST, _ingest(app))
        )
    )


async def disk(settings: Settings) -> Dependency:
    """The disks of this machine, which workers measure the same way."""
    measured = await asyncio.to_thread(file_systems, disk_paths(settings))
    return disk_row(measured, floor_rule(settings), elsewhere=bool(external_servers(os.environ)))


def disk_row(measured: Sequence[FileSystem], rule: FloorRule, *, elsewhere: bool) -> Dependency:
    """`elsewhere`: a server is named by address, so that its disk is not among those that were measured."""
    levels = [level(at, rule, was_paused=False) for at in measured]
    low = [one for one in levels if one.paused]
    words = [described(one) for one in low or levels] or ["free space is not known"]
    words += ["the disks of servers that are named by address are not watched from here"] if elsewhere else []
    remedy = f"free space on the disk of {low[0].at.name}; downloads go on by themselves" if low else ""
    return Dependency(DISK, not low, "; ".join(words), remedy, required=False, vital=True)


async def decoder() -> Dependency:
    """How well this machine can shut in the programs that open files from strangers. Clips come in any case."""
    detail, remedy = confinement.told(confinement.walls())
    return Dependency(DECODER, True, detail, remedy, required=False)


async def vision(settings: Settings) -> Dependency:
    """Who looks at clips, and whether they can."""
    key_elsewhere = _is_elsewhere(settings, _VISION_KEY)
    report = await reader_report(vision_settings(settings), settings.data_dir, key_elsewhere=key_elsewhere)
    return Dependency(VISION, report.ok, report.detail, report.remedy, required=False, vital=True)


async def feed(app: App) -> Dependency:
    """By what the last polls left behind: asking again would cost a call of the day's allowance."""
    if not has_feed(app.settings):
        return without_key()
    try:
        state = await FixtureStore(app.database).feed_state()
    except FoundFootyError as error:
        return _unknown(FEED, error)
    report = feed_report(state, utc_now())
    return Dependency(FEED, report.ok, report.text, report.remedy, required=False, vital=True)


def has_feed(settings: Settings) -> bool:
    """Whether there is a key, here or at the worker, or a feed that may need none."""
    fixtures = settings.fixtures
    return bool(fixtures.feed_key.get_secret_value()) or fixtures.feed_url is not None or _is_elsewhere(settings, _KEY)


def _is_elsewhere(settings: Settings, variable: str) -> bool:
    """Whether a key is set that only another process was given, by whichever of its names."""
    names = next(names for names in variables(Settings) if variable in names)
    return any(name in settings.keys_elsewhere for name in names)


def without_key() -> Dependency:
    return Dependency(FEED, False, "no key, so no fixture comes in", _SET_KEY, required=False, vital=True)


async def search(settings: Settings) -> Dependency:
    if "x" not in settings.discovery.sources:
        return Dependency(SEARCH, True, "X is not searched", required=False)
    report = await search_report(settings)
    fit = _fit(report)
    remedy = "" if fit else search_remedy(report)
    return Dependency(SEARCH, fit > 0, _described(report), remedy, required=False, vital=True)


def search_remedy(report: PoolReport) -> str:
    """What to do where none is fit: one that runs is not started again, and a budget that is used up comes back."""
    running = [one for one in report.instances if one.standing != UNREACHABLE and not one.untold]
    if not running:
        return "start `found-footy xsearch` and log in, or set TWITTER_SERVICE_URL"
    if all(one.standing == REFUSED for one in running):
        return "set X_SEARCH_TOKEN to the token of the search service"
    if all(one.standing.spent_out for one in running):
        return "nothing to do: searches go on when the window of the budget is over"
    return f"look at {' and '.join(one.base for one in running)}, and log in if it asks for it"


def _fit(report: PoolReport) -> int:
    return report.fit - sum(one.untold and not one.resting for one in report.instances)


def _described(report: PoolReport) -> str:
    parts = [f"{_fit(report)} of {len(report.instances)} search services fit"]
    if report.limit:
        parts.append(f"{report.left} of {report.limit} searches left in this window")
    parts += [_unfit(one) for one in report.instances if one.standing.fit is False]
    parts += [f"{one.base}: what answers there is no search service" for one in report.instances if one.untold]
    return "; ".join(parts)


def _unfit(one: InstanceReport) -> str:
    detail = f" ({one.standing.detail})" if one.standing.detail else ""
    return f"{one.base}: {one.standing.state}{detail}"


async def _worker(app: App) -> Dependency:
    """Every task queue has somebody who asks for work."""
    queues = app.settings.queues
    names = (queues.main, queues.media, queues.vision)
    depths = await asyncio.gather(*(temporal.backlog(app.temporal, name) for name in names))
    idle = unserved(dict(zip(names, depths, strict=True)), queues.main)
    if not idle:
        return Dependency(WORKER, True, f"takes work from {', '.join(names)}", required=False, vital=True)
    remedy = "start `found-footy worker`, or look at its log"
    return Dependency(WORKER, False, f"nobody takes work from {', '.join(idle)}", remedy, required=False, vital=True)


def unserved(depths: Mapping[str, temporal.Backlog], main: str) -> list[str]:
    """The queues that nobody takes work from.

    A fetch or a look at a clip may take minutes, and a worker that has all its slots taken does not ask for more. As
    long as the main queue is served, somebody whom Temporal lists for another queue is therefore taken for busy.
    """
    serves_main = bool(depths[main].activity.pollers or depths[main].workflow.pollers)
    return [
        name
        for name, depth in depths.items()
        if not (serves_main if name == main else depth.activity.pollers or (serves_main and depth.activity.listed))
    ]


async def _monitor(app: App) -> Dependency:
    last, schedule = await _run(app, MONITOR_RUN, ids.MONITOR_SCHEDULE)
    interval = app.settings.fixtures.monitor_interval
    return _row(MONITOR, monitor_report(last, schedule, interval, utc_now()))


async def _ingest(app: App) -> Dependency:
    last, schedule = await _run(app, INGEST_RUN, ids.INGEST_SCHEDULE)
    report = ingest_report(last, schedule, utc_now())
    if not report.ok and not has_feed(app.settings):
        return _row(INGEST, replace(report, text=f"{report.text.partition(';')[0]}; it needs a key", remedy=_SET_KEY))
    return _row(INGEST, report)


async def _run(app: App, name: str, schedule: str) -> tuple[datetime | None, ScheduleState | None]:
    """When a run last came to its end, and how its schedule is doing, None if Temporal does not say in time."""
    recorded = await Heartbeats(app.database).last(name)
    try:
        async with asyncio.timeout(_SCHEDULE_QUESTION.total_seconds()):
            return recorded.completed_at, await schedule_state(app.temporal, schedule)
    except (FoundFootyError, TimeoutError):
        return recorded.completed_at, None


def _row(name: str, report: RunReport) -> Dependency:
    return Dependency(name, report.ok, report.text, report.remedy, required=False, vital=True)


async def _bounded(name: str, question: Awaitable[Dependency]) -> Dependency:
    """A server that accepts and never answers costs this row and not the others."""
    try:
        async with asyncio.timeout(_LONGEST_QUESTION.total_seconds()):
            return await question
    except FoundFootyError as error:
        return _unknown(name, error)
    except TimeoutError:
        return _unknown(name, f"no answer within {_LONGEST_QUESTION.total_seconds():.0f} s")


def _unknown(name: str, why: object) -> Dependency:
    return Dependency(name, False, f"not known: {why}", required=False, vital=True)


def _server(found: ProbeResult) -> Dependency:
    """Temporal is not needed to show what is there: while it is away, the page stays ready and says so."""
    required = found.system != probes.TEMPORAL
    return Dependency(found.system, found.ok, found.detail, found.remedy, required=required, vital=True)


def web_deps(app: App, add_clip: AddClip | None = None) -> WebDeps:
    settings = app.settings

    async def dependencies() -> Sequence[Dependency]:
        servers, others, ours = await asyncio.gather(
            probe_everything(settings, _PAGE_PROBE), outside(app), processes(app)
        )
        return [_server(result) for result in servers] + ours + others

    return WebDeps(
        database=app.database,
        objects=app.objects,
        probes=dependencies,
        version=build().version,
        commit=build().commit,
        simulated=settings.simulated,
        attempts_wanted=settings.pace.attempts,
        settings=settings.web,
        add_clip=add_clip,
    )
