"""The product's processes on the cluster: two of the page behind nginx, four workers in two roles.

Each has a data directory of its own, as on a machine of its own: what it shares with the others is in the servers.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from found_footy.cli.program_environment import WEB_SCOPE, WORKER_SCOPE, filter_environment
from found_footy.cli.programs import build_http_probe
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.supervisor import Supervisor
from found_footy.worker_roles import WorkerRole
from found_footy_sim.cluster.proxy import build_proxy_program
from found_footy_sim.cluster.servers import PAGE_PORTS, ClusterServers
from found_footy_sim.cluster.timing import READY_TIMEOUT
from found_footy_sim.demo.concurrency import gather_or_cancel

# `main` runs workflows and everything that only waits; `all` decodes and checks clips as well.
WORKERS = {
    "worker-main-1": WorkerRole.MAIN,
    "worker-main-2": WorkerRole.MAIN,
    "worker-all-1": WorkerRole.ALL,
    "worker-all-2": WorkerRole.ALL,
}
WEB_PROCESSES = PAGE_PORTS


def build_web_program(name: str, port: int, data_dir: Path, env: Mapping[str, str]) -> ProgramSpec:
    own = {
        "FOOTY_DATA_DIR": str(data_dir / name),
        "FOOTY_WEB__PORT": str(port),
        "FOOTY_WEB__TRUSTED_PROXIES": "127.0.0.1",
        "FOOTY_METRICS__PORT": "0",
    }
    base = f"http://127.0.0.1:{port}"
    return ProgramSpec(
        name,
        _build_command("web", "--no-admin-link"),
        ready_probe=build_http_probe(f"{base}/healthz"),
        env={**filter_environment(env, WEB_SCOPE), **own},
        address=base,
        ready_timeout=READY_TIMEOUT,
    )


def build_worker_program(name: str, role: WorkerRole, data_dir: Path, env: Mapping[str, str]) -> ProgramSpec:
    own = {"FOOTY_DATA_DIR": str(data_dir / name), "FOOTY_METRICS__PORT": "0"}
    return ProgramSpec(
        name, _build_command("worker", "--role", role.value), env={**filter_environment(env, WORKER_SCOPE), **own}
    )


async def start_web_processes(
    supervisor: Supervisor, servers: ClusterServers, data_dir: Path, env: Mapping[str, str]
) -> None:
    """Start the page's processes, and nginx in front of them."""
    pages = {name: servers.ports[name] for name in WEB_PROCESSES}
    await gather_or_cancel(
        supervisor.run_program(build_web_program(name, port, data_dir, env)) for name, port in pages.items()
    )
    await supervisor.run_program(build_proxy_program(data_dir / "nginx", servers.proxy_port, list(pages.values())))


async def start_workers(supervisor: Supervisor, data_dir: Path, env: Mapping[str, str]) -> None:
    for name, role in WORKERS.items():
        await supervisor.run_program(build_worker_program(name, role, data_dir, env))


def _build_command(*arguments: str) -> tuple[str, ...]:
    """-P: keep the working directory off the module path."""
    return (sys.executable, "-P", "-m", "found_footy.cli", *arguments)
