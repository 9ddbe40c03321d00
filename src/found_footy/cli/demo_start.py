"""From the servers to kick-off: the product's processes, the simulated world, and the clips of its first minutes."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from found_footy.cli import console, demo_search, programs
from found_footy.cli.demo_local import ask
from found_footy.cli.demo_search import SearchPlan
from found_footy.cli.demo_world import HURRIED, World
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.errors import Conflict
from found_footy.scorecard import store
from found_footy.settings import Settings

# Longer than the first clips ever take; whoever asked for all of them has more patience.
_DRAWING_SECONDS, _DRAWING_ALL_SECONDS = 180.0, 3600.0
_DRAWING_POLL_SECONDS = 0.5
# Real seconds of the day whose clips are there at kick-off. The others are drawn beside it, faster than they are
# posted and with a lower priority. A hurried day has no time to spare for that, so more of it is drawn before, as
# long as whoever waits for it has patience.
_AHEAD_SECONDS, _AHEAD_HURRIED_SECONDS = 30.0, 120.0
_PATIENCE_SECONDS = 40.0


async def refuse_played(settings: Settings) -> None:
    """Before anything else is started: a day that is there already would be taken for this one, and what is somebody's
    own must not be played into.
    """
    async with mongo.connected(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database:
        if await store.has_fixtures(database):
            raise Conflict(f"{settings.data_dir} holds matches already; choose an empty --data-dir")


async def programs_of(
    supervisor: Supervisor, settings: Settings, world: World, env: dict[str, str], search: SearchPlan, *, whole: bool
) -> None:
    """All at once: most of a start is waiting. With `whole`, every clip is drawn before this returns.

    The worker comes last. It asks the feed as soon as it starts, and with the first question the day begins.
    """
    starts = [_world(supervisor, world, env, whole=whole), supervisor.run_program(programs.web(settings, env))]
    if search.browser:
        starts.append(supervisor.run_program(demo_search.service(world, search.browser, env)))
    await _together(starts)
    if search.browser:
        await demo_search.log_in(world)
    await supervisor.run_program(programs.worker(settings, supervisor.endpoints, env))


async def _together(starts: list[Coroutine[Any, Any, None]]) -> None:
    """The first that fails ends the others."""
    tasks = [asyncio.create_task(start) for start in starts]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _world(supervisor: Supervisor, world: World, env: dict[str, str], *, whole: bool) -> None:
    await supervisor.run_program(programs.simulator(world.port, world.arguments, env))
    began, told = time.monotonic(), False
    deadline = began + (_DRAWING_ALL_SECONDS if whole else _DRAWING_SECONDS)
    while left := to_wait_for(await _state(world), world.speed, time.monotonic() - began, whole=whole):
        if not told:
            console.out.print(f"drawing clips, once for this world; {left} to go …", highlight=False)
            told = True
        if time.monotonic() > deadline:
            console.out.print(f"going on with {left} clips still to be drawn.", highlight=False)
            return
        await asyncio.sleep(_DRAWING_POLL_SECONDS)


async def _state(world: World) -> Any:
    return await ask("GET", f"http://{world.place}/sim/state")


def to_wait_for(state: Any, speed: float, waited: float, *, whole: bool) -> int:
    """How many clips are still to be drawn, 0 if the day can begin: all are there, or those of its first seconds."""
    until = state.get("drawn_until")
    ahead = _AHEAD_HURRIED_SECONDS if speed > HURRIED and waited < _PATIENCE_SECONDS else _AHEAD_SECONDS
    enough = until is None or until >= ahead * speed
    return 0 if enough and not whole else int(state["clips_to_render"])
