"""`found-footy doctor`"""

import os

from found_footy import app, health
from found_footy.cli import console
from found_footy.cli.status import is_down, tell, tell_to_start
from found_footy.health import disk, probe_everything, vision
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.probes import ProbeResult
from found_footy.settings import Settings, load_settings
from found_footy.web.deps import Dependency


def command() -> int:
    """Ask all that a clip needs, servers by a real write, read and delete; say what is wrong and how to mend it."""
    settings = load_settings().settings
    return console.run(lambda: examine(settings))


async def examine(settings: Settings) -> int:
    if is_down(settings, os.environ):
        return await _before_start(settings)
    results = await probe_everything(settings)
    for result in results:
        _show(result)
    broken = [result.system for result in results if not result.ok]
    others = [await disk(settings), await health.decoder(), await vision(settings), *await beyond(settings, broken)]
    for other in others:
        tell(other)
    return _conclude(broken + [other.name for other in others if not other.ok], len(results) + len(others))


async def _before_start(settings: Settings) -> int:
    """Nothing runs here: what can be told all the same, and how to begin."""
    known = [await disk(settings), await health.decoder(), await vision(settings)] + (
        [] if health.has_feed(settings) else [health.without_key()]
    )
    for other in known:
        tell(other)
    tell_to_start(settings)
    return console.FAILED


async def beyond(settings: Settings, broken: list[str]) -> list[Dependency]:
    """What is asked through the servers, and the search services. Servers that are `broken` are not asked again."""
    searching = [await health.search(settings)]
    if broken:
        why = f"not asked: {' and '.join(broken)} must work first"
        unasked = (health.WORKER, health.MONITOR, health.INGEST)
        feed = [] if health.has_feed(settings) else [health.without_key()]
        return feed + searching + [Dependency(name, False, why, required=False) for name in unasked]
    try:
        async with app.opened(settings) as opened:
            feed_row = await health.feed(opened)
            return [feed_row, *searching, *await health.processes(opened)]
    except FoundFootyError as error:
        return [*searching, Dependency(health.WORKER, False, f"not known: {error}", required=False)]


def _conclude(broken: list[str], asked: int) -> int:
    if broken:
        console.err.print(f"\n{len(broken)} of {asked} not working: {', '.join(broken)}", style="red")
        return console.FAILED
    console.out.print("\nEverything works.", style="green")
    return console.OK


def _show(result: ProbeResult) -> None:
    mark = "[green]✓[/]" if result.ok else "[red]✗[/]"
    console.out.print(f"{mark} [bold]{result.system}[/]  {result.milliseconds:.0f} ms", highlight=False)
    console.out.print(f"  {result.detail}", markup=False, highlight=False, soft_wrap=True)
    if not result.ok:
        console.out.print(f"  → {result.remedy}", style="yellow", markup=False, highlight=False, soft_wrap=True)
