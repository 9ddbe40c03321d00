"""The run of the cluster test: start, play, kill, compare."""

import asyncio
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from found_footy import app
from found_footy.cli import console, ingest
from found_footy.embedded.supervisor import Supervisor
from found_footy.embedded.temporal import TemporalServer
from found_footy.fixtures.settings import build_ingest_input
from found_footy.platform import logs
from found_footy.platform.errors import Unavailable
from found_footy.platform.free_port import find_free_port
from found_footy.settings import Settings, load_settings, pipeline_pace
from found_footy_sim.cluster import failover_report, product
from found_footy_sim.cluster.availability import Watch
from found_footy_sim.cluster.failovers import FailoverInjector
from found_footy_sim.cluster.members import ClusterMembers
from found_footy_sim.cluster.proxy import find_nginx
from found_footy_sim.cluster.servers import ClusterServers
from found_footy_sim.cluster.watched_store import WatchedServers, open_watched_servers
from found_footy_sim.demo import scorecard_report, startup, vision_outage
from found_footy_sim.demo.concurrency import gather_or_cancel
from found_footy_sim.demo.cost_meter import CostMeter
from found_footy_sim.demo.day_progress import DayProgress, follow_day
from found_footy_sim.demo.polling import wait_until_answered
from found_footy_sim.demo.world import DemoWorld
from found_footy_sim.scorecard import store, uploads_store
from found_footy_sim.uploads import run as uploads_run
from found_footy_sim.uploads.run import PlayedUploads, UploadsPlan
from found_footy_sim.uploads.true_labels import check_model

_UPLOADED_BEFORE_KILL = 5
_START_TIMEOUT_SECONDS = 300.0


@dataclass(frozen=True)
class ClusterOptions:
    """`kills` is false for the same run without faults, to compare with."""

    size: str
    speed: float
    seed: int
    images: int
    time_limit_seconds: int
    report_dir: Path
    kills: bool = True


def run_cluster_test(options: ClusterOptions) -> int:
    """Return 1 if a hard target of the scorecard is missed, a failover is not recovered from, or an acknowledged write
    is missing; 2 if this machine lacks something.
    """
    folder = Path(tempfile.mkdtemp(prefix="found-footy-cluster-"))
    logs.configure_logging("ERROR", "pretty", "cluster")
    try:
        return console.run_coroutine(lambda: _run(folder, options))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _run(folder: Path, options: ClusterOptions) -> int:
    find_nginx()
    began, servers = time.monotonic(), ClusterServers(folder)
    plan = UploadsPlan(options.seed, options.images, secrets.token_hex(16))
    world = DemoWorld(
        options.size,
        options.speed,
        folder,
        find_free_port(),
        servers.proxy_port,
        seed=options.seed,
        site_port=find_free_port(),
        extra_settings=uploads_run.uploads_environment(plan),
    )
    check_model(load_settings(world.build_environment(os.environ)).settings)
    console.out.print(
        "[bold]Found Footy on a cluster[/]: 3 mongod, 3 NATS, SeaweedFS (3 masters, 3 volume servers, filer), "
        "Temporal's dev server …",
        highlight=False,
        soft_wrap=True,
    )
    async with Supervisor(folder, external=servers.endpoints, servers=(TemporalServer,), abrupt=True) as supervisor:
        await servers.start(supervisor)
        console.out.print(f"servers ready after {time.monotonic() - began:.0f} s", highlight=False)
        given = servers.build_settings(supervisor.endpoints.temporal_address)
        env = {**world.build_environment(os.environ), **given}
        settings = load_settings({**env, "FOOTY_DATA_DIR": str(folder / "observer")}).settings
        await _start_product(supervisor, servers, world, env)
        console.out.print(
            f"two processes of the page, four workers and the simulated day ready after "
            f"{time.monotonic() - began:.0f} s. Watch it at [bold]http://127.0.0.1:{world.page_port}[/]\n",
            highlight=False,
            soft_wrap=True,
        )
        run = _ClusterRun(supervisor, servers, world, settings, options, plan, began)
        return await run.play()


async def _start_product(
    supervisor: Supervisor, servers: ClusterServers, world: DemoWorld, env: Mapping[str, str]
) -> None:
    """The workers start last: the first poll of the feed starts the day."""
    await gather_or_cancel(
        [
            startup.start_simulator(supervisor, world, env, render_all=False),
            product.start_web_processes(supervisor, servers, world.data_dir, env),
        ]
    )
    await product.start_workers(supervisor, world.data_dir, env)


@dataclass
class _ClusterRun:
    supervisor: Supervisor
    servers: ClusterServers
    world: DemoWorld
    settings: Settings
    options: ClusterOptions
    plan: UploadsPlan
    began: float
    progress: DayProgress = field(default_factory=DayProgress)
    _uploads: "asyncio.Task[PlayedUploads] | None" = None

    async def play(self) -> int:
        page_url = f"http://127.0.0.1:{self.world.page_port}"
        async with app.open_app(self.settings) as opened, open_watched_servers(self.settings, page_url) as watched:
            members = ClusterMembers(self.servers, opened, watched.queue)
            await self._wait_for_workers(members)
            watches = watched.build_watches()
            injector = FailoverInjector(
                self.supervisor, members, watches, self.progress, lambda: self._start_uploads(opened)
            )
            try:
                async with _run_beside([watch.run() for watch in watches]):
                    report = await self._play_day(opened, injector)
            except Exception:  # what was measured until then says more than the error alone
                await self._report_failovers(injector, watched, watches)
                raise
            code = console.OK if report is None else scorecard_report.publish_report(report, self.options.report_dir)
            return max(code, await self._report_failovers(injector, watched, watches))

    async def _play_day(self, opened: app.AppContext, injector: FailoverInjector) -> scorecard_report.DemoReport | None:
        measure = CostMeter(self.supervisor.list_statuses, store.count_own_operations(), self.began)
        measure.set_baseline()
        await ingest.run_ingest(opened, build_ingest_input(self.settings.fixtures, pipeline_pace(self.settings)))

        async def is_unfinished() -> bool:
            try:
                waiting = vision_outage.find_pending_clips(await store.read_fixtures(opened.database))
            except Unavailable:
                return True
            return bool(waiting) or not kills.done()

        kills = asyncio.create_task(self._kill_members(opened, injector))
        try:
            await follow_day(
                opened,
                self.supervisor,
                self.progress,
                self.options.time_limit_seconds,
                lambda: measure.take_sample(opened),
                is_unfinished,
            )
            if kills.done():
                await kills
            uploads = await self._uploads if self._uploads else None
        finally:
            tasks = [kills, *([self._uploads] if self._uploads else [])]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        faults = (*injector.faults, *injector.list_unfired_faults()) if self.options.kills else ()
        played = scorecard_report.PlayedDay(self.world, "open search wire", self.options.kills, faults)
        return await scorecard_report.build_report(opened, played, measure, uploads)

    async def _kill_members(self, opened: app.AppContext, injector: FailoverInjector) -> None:
        if self.options.kills:
            await injector.run()
        else:
            await self._start_uploads(opened)

    async def _start_uploads(self, opened: app.AppContext) -> None:
        """Returns once some images are stored: whatever is killed then meets images in every stage."""
        self._uploads = asyncio.create_task(uploads_run.play_uploads(opened, self.supervisor, self.plan))

        async def has_begun() -> bool:
            rows = await uploads_store.read_rows(opened.database, uploads_run.ORGANIZATION)
            return len(rows) >= _UPLOADED_BEFORE_KILL

        await wait_until_answered(has_begun, _START_TIMEOUT_SECONDS)

    async def _wait_for_workers(self, members: ClusterMembers) -> None:
        async def do_all_poll() -> bool:
            pids = {status.pid for status in self.supervisor.list_statuses() if status.name in product.WORKERS}
            return pids <= await members.list_polling_pids()

        if not await wait_until_answered(do_all_poll, _START_TIMEOUT_SECONDS):
            raise Unavailable("workers", f"not all of them poll after {_START_TIMEOUT_SECONDS:.0f} s")

    async def _report_failovers(
        self, injector: FailoverInjector, watched: WatchedServers, watches: tuple[Watch, ...]
    ) -> int:
        lost = await watched.count_lost(watches)
        figures = failover_report.compute_figures(injector.failovers, watches, injector.started_at, time.monotonic())
        table, folder = failover_report.render_table(figures, lost), self.options.report_dir
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "failovers.md").write_text(f"{table}\n", encoding="utf-8")
        (folder / "failovers.json").write_text(failover_report.render_json(figures, lost), encoding="utf-8")
        console.out.print(
            f"\n{table}\n\nFailovers: {folder / 'failovers.md'}", highlight=False, markup=False, soft_wrap=True
        )
        wanted = len(injector.list_unfired_faults()) + len(injector.failovers) if self.options.kills else 0
        failures = failover_report.list_failures(injector.failovers, lost, wanted)
        for failure in failures:
            console.out.print(failure, style="red", highlight=False, markup=False)
        console.out.print(f"took {time.monotonic() - self.began:.0f} s", highlight=False)
        return console.FAILED if failures else console.OK


@asynccontextmanager
async def _run_beside(coroutines: Iterable[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Run them while the block runs. Raises what one of them raised meanwhile."""
    tasks = [asyncio.create_task(each) for each in coroutines]
    try:
        yield
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
