"""`found-footy status`"""

import os
from collections.abc import Mapping

from rich import box
from rich.table import Table

from found_footy import app, health
from found_footy.cli import console, match_table
from found_footy.domain.messages import aliases_queue_name, images_queue_name
from found_footy.embedded.endpoints import find_running_endpoints
from found_footy.platform import temporal_queues
from found_footy.platform.errors import NotFound
from found_footy.settings import Settings, load_settings, read_external_servers
from found_footy.views.counts import StoredCounts, count_stored
from found_footy.views.fixture_views import build_fixture_view, pick_current_copies
from found_footy.views.store import ReadStore
from found_footy.web.deps import DependencyStatus

_MAX_FIXTURES_SHOWN = 20


def command() -> int:
    """Show fixtures, goals, clips and queues."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: show_status(settings))


def is_down(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether this machine should run the servers itself, and does not."""
    if read_external_servers(environ):
        return False
    try:
        find_running_endpoints(settings.data_dir)
    except NotFound:
        return True
    return False


def print_start_hint(settings: Settings) -> None:
    console.err.print(
        f"\nFound Footy is not running here (data directory {settings.data_dir}): run `found-footy up` (`make up`)",
        style="red",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


async def show_status(settings: Settings) -> int:
    if is_down(settings, os.environ):
        print_start_hint(settings)
        return console.FAILED
    async with app.open_app(settings) as opened:
        store = ReadStore(opened.database)
        stored, shown = await store.list_all_for_counts(), await store.list_newest(None, _MAX_FIXTURES_SHOWN)
        queues, others = (
            await _build_queues_table(opened),
            [
                *await health.check_processes(opened),
                await health.check_uploads(opened),
                *await health.check_outside_systems(opened),
            ],
        )
    matches = [build_fixture_view(one, attempts_wanted=settings.pace.attempts) for one in pick_current_copies(shown)]
    with_goals = [match for match in matches if match.goals]
    console.out.print(match_table.render_matches(with_goals))
    console.out.print(_build_counts_table(count_stored(stored)))
    console.out.print(queues)
    for other in others:
        print_dependency(other)
    return console.OK


def print_dependency(dependency: DependencyStatus) -> None:
    mark = "[green]✓[/]" if dependency.ok else "[red]✗[/]"
    console.out.print(f"{mark} [bold]{dependency.name}[/]", highlight=False)
    console.out.print(f"  {dependency.detail}", markup=False, highlight=False, soft_wrap=True)
    if dependency.remedy:
        console.out.print(f"  → {dependency.remedy}", style="yellow", markup=False, highlight=False, soft_wrap=True)


def _build_counts_table(counts: StoredCounts) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("what")
    table.add_column("how many", justify="right")
    for name, count in counts.collections.items():
        table.add_row(name.replace("_", " "), str(count))
    for status, count in counts.goals.items():
        table.add_row(f"goals {status.value}", str(count))
    table.add_row("clips", str(counts.clips))
    return table


async def _build_queues_table(opened: app.AppContext) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("task queue", "waiting", "oldest", "workers"):
        table.add_column(column, justify="left" if column == "task queue" else "right")
    names = opened.settings.queues
    every = (names.main, aliases_queue_name(names.main), names.media, images_queue_name(names.media), names.vision)
    for name in every:
        depth = await temporal_queues.fetch_backlog(opened.temporal, name)
        waiting = depth.workflow.backlog + depth.activity.backlog
        oldest = max(depth.workflow.backlog_age, depth.activity.backlog_age)
        table.add_row(name, str(waiting), f"{oldest.total_seconds():.0f} s", str(depth.activity.pollers))
    return table
