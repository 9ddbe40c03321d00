"""`found-footy doctor`"""

import os

from found_footy import app, health
from found_footy.cli import console
from found_footy.cli.status import is_down, print_dependency, print_start_hint
from found_footy.health import check_disk, check_vision
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.probes import ProbeResult
from found_footy.server_probes import probe_servers
from found_footy.settings import Settings, load_settings
from found_footy.web.deps import DependencyStatus


def command() -> int:
    """Check every service that clips depend on, the servers by a real write, read and delete; print remedies."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: run_checks(settings))


async def run_checks(settings: Settings) -> int:
    if is_down(settings, os.environ):
        return await _check_before_start(settings)
    results = await probe_servers(settings)
    for result in results:
        _print_probe_result(result)
    broken = [result.system for result in results if not result.ok]
    others = [
        await check_disk(settings),
        await health.check_decoder(),
        await check_vision(settings),
        *await check_services(settings, broken),
    ]
    for other in others:
        print_dependency(other)
    return _print_conclusion(broken + [other.name for other in others if not other.ok], len(results) + len(others))


async def _check_before_start(settings: Settings) -> int:
    """No servers run here: check what can be checked without them, and say how to start."""
    known = [await check_disk(settings), await health.check_decoder(), await check_vision(settings)] + (
        [] if health.has_feed_access(settings) else [health.missing_key_dependency()]
    )
    for other in known:
        print_dependency(other)
    print_start_hint(settings)
    return console.FAILED


async def check_services(settings: Settings, broken_servers: list[str]) -> list[DependencyStatus]:
    """Check the systems behind the servers, and the search services. With `broken_servers`, the former are skipped."""
    searching = [await health.check_search(settings)]
    if broken_servers:
        why = f"not checked: {' and '.join(broken_servers)} must work first"
        unasked = (health.WORKER, health.MONITOR, health.INGEST)
        feed = [] if health.has_feed_access(settings) else [health.missing_key_dependency()]
        return feed + searching + [DependencyStatus(name, False, why, required=False) for name in unasked]
    try:
        async with app.open_app(settings) as opened:
            feed_row = await health.check_feed(opened)
            sources = await health.check_source_rows(opened)
            return [feed_row, *searching, *sources, *await health.check_processes(opened)]
    except FoundFootyError as error:
        return [*searching, DependencyStatus(health.WORKER, False, f"unknown: {error}", required=False)]


def _print_conclusion(broken: list[str], asked: int) -> int:
    if broken:
        console.err.print(f"\n{len(broken)} of {asked} not working: {', '.join(broken)}", style="red")
        return console.FAILED
    console.out.print("\nEverything works.", style="green")
    return console.OK


def _print_probe_result(result: ProbeResult) -> None:
    mark = "[green]✓[/]" if result.ok else "[red]✗[/]"
    console.out.print(f"{mark} [bold]{result.system}[/]  {result.milliseconds:.0f} ms", highlight=False)
    console.out.print(f"  {result.detail}", markup=False, highlight=False, soft_wrap=True)
    if not result.ok:
        console.out.print(f"  → {result.remedy}", style="yellow", markup=False, highlight=False, soft_wrap=True)
