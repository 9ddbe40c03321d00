"""Health of everything that the product depends on: probed by real operations, described for people."""

import asyncio
import os
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from found_footy.app import AppContext, disk_floor_rule, disk_paths
from found_footy.discovery.sources.health import TOKEN_REFUSED, UNREACHABLE, SearchPoolReport, ServiceInstanceReport
from found_footy.discovery.sources.reddit.health import describe_reddit
from found_footy.discovery.sources.reddit.store import RedditStore
from found_footy.domain import ids
from found_footy.fixtures.feed.report import build_feed_report
from found_footy.fixtures.lifecycle.run_heartbeats import RunHeartbeatStore
from found_footy.fixtures.lifecycle.run_report import RunReport, build_ingest_report, build_monitor_report
from found_footy.fixtures.messages import INGEST_RUN, MONITOR_RUN
from found_footy.fixtures.store import FixtureStore
from found_footy.platform import queue
from found_footy.platform.clock import utc_now
from found_footy.platform.disk import DiskFloorRule, FileSystem, assess_level, describe_level, measure_file_systems
from found_footy.platform.errors import ExternalSystemError, FoundFootyError
from found_footy.platform.process import sandbox
from found_footy.platform.settings.groups import list_variables
from found_footy.platform.temporal import queues as temporal_queues
from found_footy.platform.temporal.schedules import ScheduleState, fetch_schedule_state
from found_footy.scaler.report import build_scaler_report
from found_footy.scaler.store import ScalerStore
from found_footy.settings import Settings, read_external_servers
from found_footy.source_factory import fetch_search_report
from found_footy.source_health import SOURCES, SourceChecker
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore
from found_footy.uploads.intake.report import IntakeReport
from found_footy.uploads_factory import build_streams
from found_footy.vision.reader_report import check_reader
from found_footy.vision_factory import resolve_vision_settings
from found_footy.web.deps import DependencyStatus

FEED = "football feed"
SEARCH = "search"
REDDIT = "reddit"
VISION = "reader of clips"
DECODER = "decoder"
WORKER = "worker"
MONITOR = "monitor"
INGEST = "ingest"
DISK = "disk"
UPLOADS = "uploads"
SCALER = "scaler"

_FEED_KEY_VARIABLE = "API_FOOTBALL_KEY"
_VISION_KEY_VARIABLE = "LLAMA_API_KEY"
_SET_FEED_KEY_REMEDY = f"set {_FEED_KEY_VARIABLE}"
_CHECK_TIMEOUT = timedelta(seconds=6)
# Shorter than that: the time of the last run is reported even if Temporal hangs.
_SCHEDULE_TIMEOUT = timedelta(seconds=3)


async def check_outside_systems(app: AppContext, sources: SourceChecker | None = None) -> list[DependencyStatus]:
    """Check the outside systems that new clips depend on. None of them is required to show existing clips. `sources` is
    given by who checks often.
    """
    return list(
        await asyncio.gather(
            _check_with_timeout(FEED, check_feed(app)),
            _check_with_timeout(SEARCH, check_search(app.settings)),
            _check_with_timeout(VISION, check_vision(app.settings)),
            _check_with_timeout(DISK, check_disk(app.settings)),
            check_decoder(),
            *_list_source_checks(app, sources),
        )
    )


async def check_source_rows(app: AppContext) -> list[DependencyStatus]:
    """Check the sources of candidates by what is stored about them."""
    return list(await asyncio.gather(*_list_source_checks(app)))


def _list_source_checks(
    app: AppContext, sources: SourceChecker | None = None
) -> list[Coroutine[Any, Any, DependencyStatus]]:
    checker = sources or SourceChecker(app.database)
    reddit = [_check_with_timeout(REDDIT, check_reddit(app))] if REDDIT in app.settings.discovery.sources else []
    return [*reddit, _check_with_timeout(SOURCES, checker.check())]


async def check_processes(app: AppContext) -> list[DependencyStatus]:
    """Check the workers, and the runs that the schedules start."""
    return list(
        await asyncio.gather(
            _check_with_timeout(WORKER, _check_worker(app)),
            _check_with_timeout(MONITOR, _check_monitor(app)),
            _check_with_timeout(INGEST, _check_ingest(app)),
            *([] if app.settings.scaler.driver == "none" else [_check_with_timeout(SCALER, _check_scaler(app))]),
        )
    )


async def check_disk(settings: Settings) -> DependencyStatus:
    """Check the disks of this machine by the rule that workers use."""
    measured = await asyncio.to_thread(measure_file_systems, disk_paths(settings))
    return disk_dependency(measured, disk_floor_rule(settings), elsewhere=bool(read_external_servers(os.environ)))


def disk_dependency(measured: Sequence[FileSystem], rule: DiskFloorRule, *, elsewhere: bool) -> DependencyStatus:
    """`elsewhere`: a server is configured by address, so its disk is not among the measured ones."""
    levels = [assess_level(at, rule, was_paused=False) for at in measured]
    low = [one for one in levels if one.is_paused]
    words = [describe_level(one) for one in low or levels] or ["free space is unknown"]
    words += ["the disks of servers elsewhere are not checked"] if elsewhere else []
    remedy = f"free space on the disk of {low[0].file_system.name}; downloads resume by themselves" if low else ""
    return DependencyStatus(DISK, not low, "; ".join(words), remedy, required=False, vital=True)


async def check_decoder() -> DependencyStatus:
    """Report how well this machine can sandbox the decoder. Clips are processed in any case."""
    detail, remedy = sandbox.describe_sandbox(sandbox.detect_sandbox_support())
    return DependencyStatus(DECODER, True, detail, remedy, required=False)


async def check_vision(settings: Settings) -> DependencyStatus:
    """Check the vision reader."""
    key_elsewhere = _is_key_elsewhere(settings, _VISION_KEY_VARIABLE)
    report = await check_reader(resolve_vision_settings(settings), settings.data_dir, is_key_elsewhere=key_elsewhere)
    return DependencyStatus(VISION, report.ok, report.detail, report.remedy, required=False, vital=True)


async def check_feed(app: AppContext) -> DependencyStatus:
    """Check the feed by what the last polls recorded: a request would cost part of the daily quota."""
    if not has_feed_access(app.settings):
        return missing_key_dependency()
    try:
        state = await FixtureStore(app.database).read_feed_state()
    except FoundFootyError as error:
        return _unknown_dependency(FEED, error)
    report = build_feed_report(state, utc_now())
    return DependencyStatus(FEED, report.ok, report.text, report.remedy, required=False, vital=True)


def has_feed_access(settings: Settings) -> bool:
    """Whether a key is set, here or at the worker, or a feed URL that may need none."""
    fixtures = settings.fixtures
    return (
        bool(fixtures.feed_key.get_secret_value())
        or fixtures.feed_url is not None
        or _is_key_elsewhere(settings, _FEED_KEY_VARIABLE)
    )


def _is_key_elsewhere(settings: Settings, variable: str) -> bool:
    """Whether the key, under any of its names, is set for another process only."""
    names = next(names for names in list_variables(Settings) if variable in names)
    return any(name in settings.keys_elsewhere for name in names)


def missing_key_dependency() -> DependencyStatus:
    return DependencyStatus(
        FEED, False, "no key, so no fixtures are ingested", _SET_FEED_KEY_REMEDY, required=False, vital=True
    )


async def check_search(settings: Settings) -> DependencyStatus:
    if "x" not in settings.discovery.sources:
        return DependencyStatus(SEARCH, True, "X is not searched", required=False)
    report = await fetch_search_report(settings)
    healthy = _count_healthy(report)
    remedy = "" if healthy else suggest_search_remedy(report)
    return DependencyStatus(SEARCH, healthy > 0, _describe_search(report), remedy, required=False, vital=True)


async def check_reddit(app: AppContext) -> DependencyStatus:
    """What the last poll of r/soccer found. Nothing is called: Reddit's limits leave no room for probes."""
    state = await RedditStore(app.database).read_state()
    health = describe_reddit(state, has_key=bool(app.settings.discovery.reddit_client_id))
    return DependencyStatus(REDDIT, health.healthy, health.text, health.remedy, required=False)


def suggest_search_remedy(report: SearchPoolReport) -> str:
    """Suggest what to do if no search service is healthy: a running one need not be started, and a spent budget
    refills.
    """
    running = [one for one in report.instances if one.health != UNREACHABLE and not one.is_unrecognized]
    if not running:
        return "start `found-footy xsearch` and log in, or set TWITTER_SERVICE_URL"
    if all(one.health == TOKEN_REFUSED for one in running):
        return "set X_SEARCH_TOKEN to the token of the search service"
    if all(one.health.is_budget_spent for one in running):
        return "nothing to do: searches resume when the window of the budget is over"
    return f"open {' and '.join(one.base for one in running)}, and log in if it asks for it"


def _count_healthy(report: SearchPoolReport) -> int:
    return report.healthy_count - sum(one.is_unrecognized and not one.cooling_down for one in report.instances)


def _describe_search(report: SearchPoolReport) -> str:
    parts = [f"{_count_healthy(report)} of {len(report.instances)} search services healthy"]
    if report.budget_limit:
        parts.append(f"{report.budget_left} of {report.budget_limit} searches left in this window")
    parts += [_describe_unhealthy(one) for one in report.instances if one.health.healthy is False]
    parts += [
        f"{one.base}: the server there is not a search service" for one in report.instances if one.is_unrecognized
    ]
    return "; ".join(parts)


def _describe_unhealthy(one: ServiceInstanceReport) -> str:
    detail = f" ({one.health.detail})" if one.health.detail else ""
    return f"{one.base}: {one.health.state}{detail}"


async def _check_worker(app: AppContext) -> DependencyStatus:
    """Check that every task queue is polled."""
    queues = app.settings.queues
    names = (queues.main, queues.media, queues.vision)
    depths = await asyncio.gather(*(temporal_queues.fetch_backlog(app.temporal, name) for name in names))
    idle_queues = find_unserved_queues(dict(zip(names, depths, strict=True)), queues.main)
    if not idle_queues:
        return DependencyStatus(WORKER, True, f"polls {', '.join(names)}", required=False, vital=True)
    remedy = "start `found-footy worker`, or read its log"
    return DependencyStatus(
        WORKER, False, f"no worker polls {', '.join(idle_queues)}", remedy, required=False, vital=True
    )


def find_unserved_queues(depths: Mapping[str, temporal_queues.TaskQueueBacklog], main: str) -> list[str]:
    """Return the queues that no worker serves.

    A download or a clip check may take minutes, and a worker whose slots are all taken does not poll. So while the main
    queue is polled, a worker that Temporal lists for another queue counts as busy.
    """
    serves_main = bool(depths[main].activity.pollers or depths[main].workflow.pollers)
    return [
        name
        for name, depth in depths.items()
        if not (
            serves_main if name == main else depth.activity.pollers or (serves_main and depth.activity.listed_pollers)
        )
    ]


async def _check_monitor(app: AppContext) -> DependencyStatus:
    last, schedule = await _read_run_state(app, MONITOR_RUN, ids.MONITOR_SCHEDULE_ID)
    interval = app.settings.fixtures.monitor_interval
    return _to_dependency(MONITOR, build_monitor_report(last, schedule, interval, utc_now()))


async def _check_ingest(app: AppContext) -> DependencyStatus:
    last, schedule = await _read_run_state(app, INGEST_RUN, ids.INGEST_SCHEDULE_ID)
    report = build_ingest_report(last, schedule, utc_now())
    if not report.ok and not has_feed_access(app.settings):
        return _to_dependency(
            INGEST,
            replace(report, text=f"{report.text.partition(';')[0]}; it needs a key", remedy=_SET_FEED_KEY_REMEDY),
        )
    return _to_dependency(INGEST, report)


async def _check_scaler(app: AppContext) -> DependencyStatus:
    """Report the last decisions. Clips arrive without the scaler, only later."""
    pools = await ScalerStore(app.database).list_pools()
    report = build_scaler_report(pools, app.settings.scaler.check_interval, utc_now())
    return DependencyStatus(SCALER, report.ok, report.text, report.remedy, required=False)


async def check_uploads(app: AppContext) -> DependencyStatus:
    """Check that events about uploads are taken from the queue. Clips do not depend on it."""
    return await _check_with_timeout(UPLOADS, _check_intake(app))


async def _check_intake(app: AppContext) -> DependencyStatus:
    if not app.settings.uploads.enabled:
        return DependencyStatus(UPLOADS, True, "off", required=False)
    report, now = await _read_intake(app), utc_now()
    remedies = []
    if not report.is_connected:
        remedies.append("start NATS or set NATS_URL; until then images are found by the reconciliation")
    elif not report.is_ok(now):
        remedies.append("read the log of `found-footy worker`")
    if report.dead_letters:
        remedies.append("read `found-footy uploads dead-letters`")
    return DependencyStatus(UPLOADS, report.is_ok(now), report.describe(now), "; ".join(remedies), required=False)


async def _read_intake(app: AppContext) -> IntakeReport:
    dead = await DeadLetterStore(app.database).count()
    try:
        async with queue.connect(app.settings.nats.url, timeout=_SCHEDULE_TIMEOUT) as connection:
            backlog = await connection.read_backlog(build_streams(app.settings).name)
    except ExternalSystemError as error:
        return IntakeReport(False, None, None, dead, error.message)
    return IntakeReport(True, backlog.messages, backlog.oldest, dead)


async def _read_run_state(app: AppContext, name: str, schedule: str) -> tuple[datetime | None, ScheduleState | None]:
    """Return when a run last completed, and the state of its schedule, None if Temporal does not answer in time."""
    recorded = await RunHeartbeatStore(app.database).read_last_run(name)
    try:
        async with asyncio.timeout(_SCHEDULE_TIMEOUT.total_seconds()):
            return recorded.completed_at, await fetch_schedule_state(app.temporal, schedule)
    except (FoundFootyError, TimeoutError):
        return recorded.completed_at, None


def _to_dependency(name: str, report: RunReport) -> DependencyStatus:
    return DependencyStatus(name, report.ok, report.text, report.remedy, required=False, vital=True)


async def _check_with_timeout(name: str, question: Awaitable[DependencyStatus]) -> DependencyStatus:
    """Limit one check, so that a server that accepts and never answers affects only its own row."""
    try:
        async with asyncio.timeout(_CHECK_TIMEOUT.total_seconds()):
            return await question
    except FoundFootyError as error:
        return _unknown_dependency(name, error)
    except TimeoutError:
        return _unknown_dependency(name, f"no answer within {_CHECK_TIMEOUT.total_seconds():.0f} s")


def _unknown_dependency(name: str, why: object) -> DependencyStatus:
    return DependencyStatus(name, False, f"unknown: {why}", required=False, vital=name not in (REDDIT, SOURCES))
