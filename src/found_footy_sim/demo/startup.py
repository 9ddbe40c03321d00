"""From the servers to kickoff: the product's processes, the simulated world, and the clips of its first minutes."""

import asyncio
import sys
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from found_footy.cli import console, programs
from found_footy.cli.programs import build_http_probe
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.errors import Conflict
from found_footy.settings import Settings
from found_footy_sim.demo import browser_search
from found_footy_sim.demo.browser_search import SearchPlan
from found_footy_sim.demo.concurrency import gather_or_cancel
from found_footy_sim.demo.local_http import request_json
from found_footy_sim.demo.world import FAST_SPEED, DemoWorld
from found_footy_sim.scorecard import store

# Longer than rendering takes: of the first clips, and with `render_all` of all.
_RENDER_TIMEOUT_SECONDS, _RENDER_ALL_TIMEOUT_SECONDS = 180.0, 3600.0
_RENDER_POLL_SECONDS = 0.5
# Real seconds of the day whose clips are rendered before kickoff. The others are rendered during the day, faster than
# they are posted and with a lower priority. A fast day has no CPU to spare for that, so more of it is rendered before,
# for up to `_MAX_FAST_RENDER_WAIT_SECONDS`.
_RENDERED_AHEAD_SECONDS, _RENDERED_AHEAD_FAST_SECONDS = 30.0, 120.0
_MAX_FAST_RENDER_WAIT_SECONDS = 40.0


async def ensure_no_fixtures(settings: Settings) -> None:
    """Checked before anything is started: a day that is already stored would be taken for this one, and a user's own
    data must not be touched.
    """
    async with mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database:
        if await store.has_fixtures(database):
            raise Conflict(f"{settings.data_dir} already contains matches; choose an empty --data-dir")


async def start_programs(
    supervisor: Supervisor,
    settings: Settings,
    world: DemoWorld,
    env: dict[str, str],
    search: SearchPlan,
    *,
    render_all: bool,
) -> None:
    """Start all at once: most of a start is waiting. With `render_all`, every clip is rendered before this returns.

    The worker starts last. It polls the feed as soon as it starts, and the first poll starts the day.
    """
    starts = [
        start_simulator(supervisor, world, env, render_all=render_all),
        supervisor.run_program(programs.build_web_program(settings, env)),
    ]
    if search.browser:
        starts.append(supervisor.run_program(browser_search.build_search_program(world, search.browser, env)))
    await gather_or_cancel(starts)
    if search.browser:
        await browser_search.log_in(world)
    await supervisor.run_program(programs.build_worker_program(settings, supervisor.endpoints, env))


async def start_product(supervisor: Supervisor, settings: Settings, env: dict[str, str]) -> None:
    """Start page and worker without a simulated outside, which uploads do not need."""
    page = programs.build_web_program(settings, env)
    worker = programs.build_worker_program(settings, supervisor.endpoints, env)
    await gather_or_cancel([supervisor.run_program(page), supervisor.run_program(worker)])


async def start_simulator(
    supervisor: Supervisor, world: DemoWorld, env: Mapping[str, str], *, render_all: bool
) -> None:
    """Returns once the clips of the first minutes are rendered, with `render_all` every clip."""
    await supervisor.run_program(_build_simulator_program(world.port, world.simulator_arguments, env))
    began, announced = time.monotonic(), False
    deadline = began + (_RENDER_ALL_TIMEOUT_SECONDS if render_all else _RENDER_TIMEOUT_SECONDS)
    while left := count_clips_to_render(
        await _fetch_simulator_state(world), world.speed, time.monotonic() - began, render_all=render_all
    ):
        if not announced:
            console.out.print(f"rendering clips, once for this world; {left} left …", highlight=False)
            announced = True
        if time.monotonic() > deadline:
            console.out.print(f"continuing with {left} clips not rendered yet.", highlight=False)
            return
        await asyncio.sleep(_RENDER_POLL_SECONDS)


async def _fetch_simulator_state(world: DemoWorld) -> Any:
    return await request_json("GET", f"http://{world.address}/sim/state")


def count_clips_to_render(state: Any, speed: float, waited: float, *, render_all: bool) -> int:
    """Return how many clips are still to be rendered; 0 if the day can begin: all are there, or those of its first
    seconds.
    """
    until = state.get("drawn_until")
    ahead = (
        _RENDERED_AHEAD_FAST_SECONDS
        if speed > FAST_SPEED and waited < _MAX_FAST_RENDER_WAIT_SECONDS
        else _RENDERED_AHEAD_SECONDS
    )
    enough = until is None or until >= ahead * speed
    return 0 if enough and not render_all else int(state["clips_to_render"])


async def _never_fails() -> None:
    """Probe of a program that is not restarted for being slow."""


def _build_simulator_program(port: int, arguments: tuple[str, ...], env: Mapping[str, str]) -> ProgramSpec:
    base = f"http://127.0.0.1:{port}"
    return ProgramSpec(
        "simulator",
        (sys.executable, "-P", "-m", "found_footy_sim", "--port", str(port), *arguments),
        ready_probe=build_http_probe(f"{base}/x/health"),
        # A restart would restart the day, so it is never restarted for being slow.
        alive_probe=_never_fails,
        env=env,
        address=base,
        ready_timeout=timedelta(minutes=3),
    )
