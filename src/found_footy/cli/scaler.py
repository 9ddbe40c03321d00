"""`found-footy scaler`"""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

from found_footy.app import AppContext
from found_footy.cli import app_connection, console, programs
from found_footy.cli.program_environment import build_environment
from found_footy.embedded.program_pool import ProgramPool
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import metrics
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import ConfigError
from found_footy.platform.temporal.metrics import build_sdk_runtime
from found_footy.scaler.docker_pool import ComposeService, DockerPool
from found_footy.scaler.load import measure_active_goals, measure_queues
from found_footy.scaler.pool import InstancePool, ScaledPool
from found_footy.scaler.scaler import InstanceScaler
from found_footy.scaler.store import ScalerStore
from found_footy.settings import Settings, load_settings
from found_footy.worker_roles import WorkerRole, queue_limits

# A worker closes its connections after it has drained.
_EXIT_ALLOWANCE = timedelta(seconds=2)
_DIRECTORY = "scaler"


def command() -> int:
    """Start and stop workers and searchers by load (docs/scaling.md). Stops on Ctrl-C or SIGTERM."""
    settings = load_settings().settings
    console.start_logs(settings, "scaler")
    if settings.scaler.driver == "none":
        raise ConfigError("FOOTY_SCALER__DRIVER is none: nothing to scale; set it to local or docker")
    return console.run_coroutine(lambda: run_scaler(settings))


async def run_scaler(settings: Settings) -> int:
    figures = metrics.serve_metrics(settings.metrics.host, settings.metrics.port)
    try:
        runtime = build_sdk_runtime(with_metrics=bool(figures))
        async with app_connection.open_app_when_ready(runtime) as app, _open_pools(app) as pools:
            await _build_scaler(app, pools).run()
    finally:
        if figures:
            figures.close()
    return console.OK


async def scale_local_workers(supervisor: Supervisor, env: Mapping[str, str]) -> None:
    """Scale the workers of `up` until cancelled. Its first worker belongs to the pool and is never stopped."""
    async with app_connection.open_app_when_ready() as app:
        pool = _build_local_pool(app, supervisor, env)
        await _build_scaler(app, [pool]).run()


def count_usable_cores() -> int:
    """A worker process uses one core at most, so more of them than cores gain nothing."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _build_scaler(app: AppContext, pools: list[ScaledPool]) -> InstanceScaler:
    return InstanceScaler(pools, app.settings.scaler.rules, ScalerStore(app.database), utc_now)


@asynccontextmanager
async def _open_pools(app: AppContext) -> AsyncIterator[list[ScaledPool]]:
    if app.settings.scaler.driver == "local":
        # In a directory of its own, so that it can run beside `up`; the workers find the servers by their settings.
        place = app.settings.data_dir / _DIRECTORY
        async with Supervisor(place, servers=(), external=_list_servers(app.settings)) as supervisor:
            yield [_build_local_pool(app, supervisor, build_environment(app.settings))]
    else:
        async with AsyncExitStack() as stack:
            yield _build_docker_pools(app, stack)


def _list_servers(settings: Settings) -> dict[str, str]:
    """Without the keys of the object store: the supervisor's programs do not read them here."""
    addresses = (settings.mongo.uri, settings.temporal.address, settings.objects.endpoint)
    named = dict(zip(("mongodb_uri", "temporal_address", "s3_endpoint"), addresses, strict=True))
    return {**named, "s3_access_key": "", "s3_secret_key": ""}


def _build_local_pool(app: AppContext, supervisor: Supervisor, env: Mapping[str, str]) -> ScaledPool:
    instances = ProgramPool(
        supervisor,
        lambda number: programs.build_worker_program(app.settings, supervisor.endpoints, env, number, is_scaled=True),
        count_usable_cores(),
    )
    return _build_worker_pool(app, instances, WorkerRole.ALL)


def _build_worker_pool(app: AppContext, instances: InstancePool, role: WorkerRole) -> ScaledPool:
    name = "worker" if role is WorkerRole.ALL else f"worker-{role.value}"
    meter = measure_queues(app.temporal, list(queue_limits(role, app.settings)))
    return ScaledPool(name, "pending tasks", instances, meter)


def _build_docker_pools(app: AppContext, stack: AsyncExitStack) -> list[ScaledPool]:
    settings = app.settings.scaler

    def open_service(name: str, stop_grace: timedelta) -> DockerPool:
        if settings.docker_url is None:
            raise ConfigError("FOOTY_SCALER__DOCKER_URL is not set")
        pool = DockerPool(settings.docker_url, ComposeService(settings.docker_project, name, stop_grace))
        stack.push_async_callback(pool.aclose)
        return pool

    pools = []
    for role in map(WorkerRole, settings.roles):
        suffix = "" if role is WorkerRole.ALL else f"-{role.value}"
        service = open_service(settings.docker_worker_service + suffix, app.settings.worker.grace + _EXIT_ALLOWANCE)
        pools.append(_build_worker_pool(app, service, role))
    searchers = open_service(settings.docker_search_service, app.settings.xsearch.drain + _EXIT_ALLOWANCE)
    return [*pools, ScaledPool("search", "active goals", searchers, measure_active_goals(app.database))]
