"""`found-footy ingest`"""

from datetime import datetime
from typing import Annotated

import typer
from temporalio.client import WorkflowFailureError

from found_footy import app
from found_footy.cli import console
from found_footy.fixtures.ingest_workflow import IngestWorkflow
from found_footy.fixtures.messages import IngestInput, IngestResult
from found_footy.fixtures.settings import ingest_input
from found_footy.model import ids
from found_footy.platform.errors import Unavailable
from found_footy.platform.temporal import cause_of
from found_footy.settings import Settings, load_settings, pace
from found_footy.web.deps import utc_now


def command(
    fixture_id: Annotated[
        list[int] | None, typer.Option(help="A fixture of the feed, by its id; may be given several times.")
    ] = None,
    date: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="All fixtures of this day.")] = None,
) -> int:
    """Take in fixtures now, instead of waiting for the daily run. Without options: the tracked ones of three days."""
    settings = load_settings().settings
    wanted = ingest_input(
        settings.fixtures,
        pace(settings),
        fixture_ids=tuple(fixture_id or ()),
        day=date.date() if date else None,
    )
    return console.run(lambda: take_in(settings, wanted))


async def take_in(settings: Settings, wanted: IngestInput) -> int:
    async with app.opened(settings) as opened:
        result = await run_ingest(opened, wanted)
    console.out.print(described(result), highlight=False)
    return console.OK


async def run_ingest(opened: app.App, wanted: IngestInput) -> IngestResult:
    """Run IngestWorkflow to its end; one that runs already today is waited for instead."""
    handle = await opened.temporal.start_workflow(
        IngestWorkflow.run,
        wanted,
        id=ids.ingest_workflow_id(wanted.day or utc_now().date()),
        task_queue=opened.settings.queues.main,
    )
    try:
        return await handle.result()
    except WorkflowFailureError as failure:
        raise Unavailable("ingest", cause_of(failure)) from failure


def described(result: IngestResult) -> str:
    parts = [
        f"{result.staging} to come", f"{result.active} in play", f"{result.completed} finished",
        f"{result.updated} updated", f"{result.skipped} known already",
    ]  # fmt: skip
    if result.failed_days:
        parts.append(f"could not fetch {', '.join(result.failed_days)}")
    return "Fixtures: " + ", ".join(parts)
