"""`found-footy status`"""

import os
from collections.abc import Mapping

from rich import box
from rich.table import Table

from found_footy import app, health
from found_footy.cli import console, scoreboard
from found_footy.embedded.endpoints import find_running
from found_footy.model.handoff import aliases_queue
from found_footy.platform import temporal
from found_footy.platform.errors import NotFound
from found_footy.settings import Settings, external_servers, load_settings
from found_footy.web.deps import Dependency
from found_footy.web.store import ReadStore
from found_footy.web.tally import Tally, tally
from found_footy.web.views import match_view, settle

_MATCHES_SHOWN = 20


def command() -> int:
    """Show fixtures, goals, clips and queues."""
    settings = load_settings().settings
    return console.run(lambda: show(settings))


def is_down(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether this machine should run the servers itself, and does not."""
    if external_servers(environ):
        return False
    try:
        find_running(settings.data_dir)
    except NotFound:
        return True
    return False


def tell_to_start(settings: Settings) -> None:
    console.err.print(
        f"\nFound Footy is not running here (data directory {settings.data_dir}): run `found-footy up` (`make up`)",
        style="red", markup=False, highlight=False, soft_wrap=True,
    )  # fmt: skip


async def show(settings: Settings) -> int:
    if is_down(settings, os.environ):
        tell_to_start(settings)
        return console.FAILED
    async with app.opened(settings) as opened:
        store = ReadStore(opened.database)
        stored, shown = await store.everything(), await store.page(None, _MATCHES_SHOWN)
        queues, others = await _queues(opened), [*await health.processes(opened), *await health.outside(opened)]
    matches = [match_view(one, attempts_wanted=settings.pace.attempts) for one in settle(shown)]
    with_goals = [match for match in matches if match.goals]
    console.out.print(scoreboard.of_matches(with_goals))
    console.out.print(_counts(tally(stored)))
    console.out.print(queues)
    for other in others:
        tell(other)
    return console.OK


def tell(other: Dependency) -> None:
    mark = "[green]✓[/]" if other.ok else "[red]✗[/]"
    console.out.print(f"{mark} [bold]{other.name}[/]", highlight=False)
    console.out.print(f"  {other.detail}", markup=False, highlight=False, soft_wrap=True)
    if other.remedy:
        console.out.print(f"  → {other.remedy}", style="yellow", markup=False, highlight=False, soft_wrap=True)


def _counts(found: Tally) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("what")
    table.add_column("how many", justify="right")
    for name, count in found.collections.items():
        table.add_row(name.replace("_", " "), str(count))
    for status, count in found.goals.items():
        table.add_row(f"goals {status.value}", str(count))
    table.add_row("clips", str(found.clips))
    return table


async def _queues(opened: app.App) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("task queue", "waiting", "oldest", "workers"):
        table.add_column(column, justify="left" if column == "task queue" else "right")
    names = opened.settings.queues
    for name in (names.main, aliases_queue(names.main), names.media, names.vision):
        depth = await temporal.backlog(opened.temporal, name)
        waiting = depth.workflow.backlog + depth.activity.backlog
        oldest = max(depth.workflow.age, depth.activity.age)
        table.add_row(name, str(waiting), f"{oldest.total_seconds():.0f} s", str(depth.activity.pollers))
    return table
