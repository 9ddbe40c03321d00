"""`found-footy ingest`"""

import getpass
from datetime import date, datetime
from hashlib import sha256
from typing import Annotated

import typer
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import WorkflowAlreadyStartedError

from found_footy import app
from found_footy.archive.maintenance.services import new_audit_id
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditLog, record_action
from found_footy.cli import console
from found_footy.domain import ids
from found_footy.fixtures.ingest_workflow import IngestWorkflow
from found_footy.fixtures.messages import IngestInput, IngestResult
from found_footy.fixtures.settings import build_ingest_input
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Unavailable
from found_footy.platform.temporal.client import describe_root_cause
from found_footy.settings import Settings, load_settings, pipeline_pace


def command(
    fixture_id: Annotated[
        list[int] | None, typer.Option(help="A fixture of the feed, by its id; may be given several times.")
    ] = None,
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Fixtures of the tracked leagues and teams on this day."),
    ] = None,
) -> int:
    """Ingest fixtures now, instead of waiting for the daily run. Without options: the tracked ones of three days.

    A fixture that is named by its id is taken in whether its league is tracked or not.
    """
    settings = load_settings().settings
    wanted = build_ingest_input(
        settings.fixtures,
        pipeline_pace(settings),
        fixture_ids=tuple(fixture_id or ()),
        day=date.date() if date else None,
    )
    return console.run_coroutine(lambda: ingest_fixtures(settings, wanted))


async def ingest_fixtures(settings: Settings, wanted: IngestInput) -> int:
    async with app.open_app(settings) as opened:
        result = await run_audited_ingest(opened, wanted, getpass.getuser())
    console.out.print(describe_result(result), highlight=False, markup=False, soft_wrap=True)
    return console.FAILED if is_incomplete(wanted, result) else console.OK


async def run_audited_ingest(opened: app.AppContext, wanted: IngestInput, by: str) -> IngestResult:
    async with record_action(AuditLog(opened.database), build_audit_entry(wanted, by, utc_now()), utc_now):
        return await run_ingest(opened, wanted)


async def run_ingest(opened: app.AppContext, wanted: IngestInput) -> IngestResult:
    """Run IngestWorkflow to its end; if the same ingest is already running, wait for that run."""
    name = ingest_run_id(wanted, utc_now().date())
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
        raise Unavailable("ingest", describe_root_cause(failure)) from failure


def build_audit_entry(wanted: IngestInput, by: str, now: datetime) -> AuditEntry:
    """Build the entry of a manual ingest: its target is the given fixtures or the day; without either, the tracked
    fixtures.
    """
    day = wanted.day.isoformat() if wanted.day else "tracked"
    about = tuple(map(str, sorted(set(wanted.fixture_ids)))) or (day,)
    return AuditEntry(new_audit_id(), now, by, AuditAction.INGEST, about)


def ingest_run_id(wanted: IngestInput, today: date) -> str:
    """One workflow id per distinct input: whoever waits for another caller's run gets the same result."""
    if wanted.fixture_ids:
        asked = ",".join(map(str, sorted(set(wanted.fixture_ids))))
        return f"{ids.ingest_workflow_id(today)}-ids-{sha256(asked.encode()).hexdigest()[:16]}"
    return f"{ids.ingest_workflow_id(wanted.day)}-day" if wanted.day else ids.ingest_workflow_id(today)


def is_incomplete(wanted: IngestInput, result: IngestResult) -> bool:
    """Whether something requested is missing. A day of the feed may contain rows that are no fixture or not tracked."""
    return bool(result.failed_days or result.failures or (wanted.fixture_ids and result.rejected))


def describe_result(result: IngestResult) -> str:
    parts = [
        f"{result.staging} upcoming",
        f"{result.active} in play",
        f"{result.completed} finished",
        f"{result.updated} updated",
        f"{result.skipped} known already",
    ]
    parts += [f"{result.revived} reopened"] if result.revived else []
    parts += [f"{result.rejected} rejected as no fixture"] if result.rejected else []
    parts += [f"{result.failures} could not be stored (see the worker's log)"] if result.failures else []
    parts += [f"could not fetch {', '.join(result.failed_days)}"] if result.failed_days else []
    parts += [f"not covered by the plan: {', '.join(result.refused_days)}"] if result.refused_days else []
    return "Fixtures: " + ", ".join(parts)
