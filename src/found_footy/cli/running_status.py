"""What `status` shows of a running installation: matches, goals, clips, sources, queues and the health of systems."""

from rich import box
from rich.table import Table

from found_footy import app, health
from found_footy.cli import console, match_table, source_table
from found_footy.cli.status import print_dependency
from found_footy.domain.messages import aliases_queue_name, images_queue_name
from found_footy.platform.clock import utc_now
from found_footy.platform.temporal import queues as temporal_queues
from found_footy.settings import Settings
from found_footy.views.counts import StoredCounts, count_stored
from found_footy.views.fixture_views import build_fixture_view, pick_current_copies
from found_footy.views.source_store import SourceStore
from found_footy.views.store import ReadStore

_MAX_FIXTURES_SHOWN = 20


async def print_running_status(settings: Settings) -> None:
    async with app.open_app(settings) as opened:
        store = ReadStore(opened.database)
        stored, shown = await store.list_all_for_counts(), await store.list_newest(None, _MAX_FIXTURES_SHOWN)
        sources = await SourceStore(opened.database).read_sources(utc_now())
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
    if sources:
        console.out.print(source_table.render_sources(sources))
    console.out.print(queues)
    for other in others:
        print_dependency(other)


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
