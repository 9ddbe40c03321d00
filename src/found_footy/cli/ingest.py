"""`found-footy ingest`"""

import getpass
from datetime import date, datetime
from hashlib import sha256
from typing import Annotated

import typer
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import WorkflowAlreadyStartedError

from found_footy import app
from found_footy.archive.audit import AuditLog, Deed, Line, recorded
from found_footy.archive.keeping import new_id
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
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Fixtures of the tracked leagues and teams on this day."),
    ] = None,
) -> int:
    """Take in fixtures now, instead of waiting for the daily run. Without options: the tracked ones of three days.

    A fixture that is named by its id is taken in whether its league is tracked or not.
    """
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
        result = await audited_ingest(opened, wanted, getpass.getuser())
    console.out.print(described(result), highlight=False, markup=False, soft_wrap=True)
    return console.FAILED if fell_short(wanted, result) else console.OK


async def audited_ingest(opened: app.App, wanted: IngestInput, by: str) -> IngestResult:
    async with recorded(AuditLog(opened.database), audit_line(wanted, by, utc_now()), utc_now):
        return await run_ingest(opened, wanted)


async def run_ingest(opened: app.App, wanted: IngestInput) -> IngestResult:
    """Run IngestWorkflow to its end; where the same is being taken in already, that run is waited for instead."""
    name = workflow_id(wanted, utc_now().date())
    try:
        handle = await opened.temporal.start_workflow(
            IngestWorkflow.run,
            wanted,
            id=name,
            task_queue=opened.settings.queues.main,
            execution_timeout=opened.settings.fixtures.ingest_timeout,
        )
    except WorkflowAlreadyStartedError as running:
        handle = opened.temporal.get_workflow_handle_for(IngestWorkflow.run, name, run_id=running.run_id)
    try:
        return await handle.result()
    except WorkflowFailureError as failure:
        raise Unavailable("ingest", cause_of(failure)) from failure


def audit_line(wanted: IngestInput, by: str, now: datetime) -> Line:
    """What is taken in by hand: the fixtures that are named, or a day; without either, the tracked ones."""
    day = wanted.day.isoformat() if wanted.day else "tracked"
    about = tuple(map(str, sorted(set(wanted.fixture_ids)))) or (day,)
    return Line(new_id(), now, by, Deed.INGEST, about)


def workflow_id(wanted: IngestInput, today: date) -> str:
    """One per thing that can be wanted: who waits for another's run gets what was asked for."""
    if wanted.fixture_ids:
        asked = ",".join(map(str, sorted(set(wanted.fixture_ids))))
        return f"{ids.ingest_workflow_id(today)}-ids-{sha256(asked.encode()).hexdigest()[:16]}"
    return f"{ids.ingest_workflow_id(wanted.day)}-day" if wanted.day else ids.ingest_workflow_id(today)


def fell_short(wanted: IngestInput, result: IngestResult) -> bool:
    """Whether something is missing that was asked for. A day of the feed may hold what is no fixture and not ours."""
    return bool(result.failed_days or result.failures or (wanted.fixture_ids and result.rejected))


def described(result: IngestResult) -> str:
    parts = [
        f"{result.staging} to come", f"{result.active} in play", f"{result.completed} finished",
        f"{result.updated} updated", f"{result.skipped} known already",
    ]  # fmt: skip
    parts += [f"{result.revived} taken up again"] if result.revived else []
    parts += [f"{result.rejected} refused as no fixture"] if result.rejected else []
    parts += [f"{result.failures} could not be stored (see the worker's log)"] if result.failures else []
    parts += [f"could not fetch {', '.join(result.failed_days)}"] if result.failed_days else []
    parts += [f"not covered by the plan: {', '.join(result.refused_days)}"] if result.refused_days else []
    return "Fixtures: " + ", ".join(parts)
