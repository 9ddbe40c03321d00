"""`found-footy ingest`: one run per thing that is wanted, and what was missed is told."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.app import AppContext
from found_footy.archive.moderation.audit_log import AUDIT, AuditLog
from found_footy.cli import ingest
from found_footy.cli.ingest import describe_result, ingest_run_id, is_incomplete, run_audited_ingest, run_ingest
from found_footy.domain.messages import TaskQueues
from found_footy.fixtures.messages import IngestInput, IngestResult
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database
from found_footy.settings import Settings, TaskQueueSettings

TODAY = date(2026, 11, 15)


@workflow.defn(name="IngestWorkflow")
class Waiting:
    """Takes in as many fixtures as it is told of; none is a failure."""

    def __init__(self) -> None:
        self._found: int | None = None

    @workflow.signal
    def find(self, found: int) -> None:
        self._found = found

    @workflow.run
    async def run(self, order: IngestInput) -> IngestResult:
        del order
        await workflow.wait_condition(lambda: self._found is not None)
        if not self._found:
            raise ApplicationError("the feed answered nothing")
        return IngestResult(staging=self._found)


@pytest.fixture
async def opened(temporal: Client, queues: TaskQueues, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AppContext]:
    monkeypatch.setattr(ingest, "utc_now", lambda: datetime(TODAY.year, TODAY.month, TODAY.day, 12, tzinfo=UTC))
    nothing: Any = None
    runner = UnsandboxedWorkflowRunner()
    async with Worker(temporal, task_queue=queues.main, workflows=[Waiting], workflow_runner=runner):
        yield AppContext(Settings(queues=TaskQueueSettings(main=queues.main)), nothing, nothing, temporal)


async def a_second_time(opened: AppContext, found: int, monkeypatch: pytest.MonkeyPatch) -> IngestResult:
    """What the second of two gets that want the same at once."""
    wanted, joined = IngestInput(fixture_ids=(uuid4().int % 10**12,)), asyncio.Event()
    join = opened.temporal.get_workflow_handle_for

    def joining(*args: Any, **options: Any) -> Any:
        joined.set()
        return join(*args, **options)

    first = await opened.temporal.start_workflow(
        Waiting.run, wanted, id=ingest_run_id(wanted, TODAY), task_queue=opened.settings.queues.main
    )
    monkeypatch.setattr(opened.temporal, "get_workflow_handle_for", joining)
    second = asyncio.create_task(run_ingest(opened, wanted))
    waiting = asyncio.create_task(joined.wait())
    await asyncio.wait({second, waiting}, return_when=asyncio.FIRST_COMPLETED)
    await first.signal(Waiting.find, found)
    return await second


async def test_the_second_of_two_at_once_waits_for_the_first(
    opened: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await a_second_time(opened, 3, monkeypatch) == IngestResult(staging=3)


async def test_the_second_of_two_at_once_fails_with_the_first_in_readable_words(
    opened: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Unavailable, match="the feed answered nothing"):
        await a_second_time(opened, 0, monkeypatch)


@pytest.mark.parametrize(("found", "state"), [(3, "done"), (0, "failed")])
async def test_the_audit_entry_of_an_ingest_is_written_first(
    opened: AppContext, database: Database, found: int, state: str
) -> None:
    wanted = IngestInput(fixture_ids=(uuid4().int % 10**12, 7))
    taking = asyncio.create_task(run_audited_ingest(replace(opened, database=database), wanted, "Ann"))
    handle = opened.temporal.get_workflow_handle(ingest_run_id(wanted, TODAY))
    while True:
        try:
            await handle.signal(Waiting.find, found)
            break
        except RPCError:
            assert not taking.done()
    begun = await database[AUDIT].find_one()
    await asyncio.wait({taking})
    assert (taking.exception() is None) == bool(found)
    line = await database[AUDIT].find_one()
    assert begun is not None
    assert line is not None
    assert (line["by"], line["what"], line["state"]) == ("Ann", "ingest", state)
    assert line["clips"] == sorted(map(str, wanted.fixture_ids), key=int)
    assert await AuditLog(database).find_unfinished() == []


def test_an_ingest_of_something_else_does_not_wait() -> None:
    wanted = [
        IngestInput(),
        IngestInput(day=TODAY),
        IngestInput(day=date(2026, 11, 16)),
        IngestInput(fixture_ids=(1,)),
        IngestInput(fixture_ids=(12, 3)),
        IngestInput(fixture_ids=(1, 23)),
    ]
    names = [ingest_run_id(one, TODAY) for one in wanted]
    assert names[0] == "ingest-15_11_2026"
    assert len(set(names)) == len(names)
    assert all(name.startswith(("ingest-15_11_2026", "ingest-16_11_2026")) for name in names)
    assert ingest_run_id(IngestInput(fixture_ids=(3, 12, 3)), TODAY) == names[4]


@pytest.mark.parametrize(
    ("result", "by_id", "short", "words"),
    [
        (IngestResult(staging=2), False, False, "2 upcoming"),
        (
            IngestResult(failed_days=("2026-11-16: Unavailable",)),
            False,
            True,
            "could not fetch 2026-11-16: Unavailable",
        ),
        (IngestResult(failures=2), False, True, "2 could not be stored"),
        (IngestResult(rejected=1), False, False, "1 rejected as no fixture"),
        (IngestResult(rejected=1), True, True, "1 rejected as no fixture"),
        (IngestResult(revived=1), False, False, "1 reopened"),
    ],
)
def test_missing_fixtures_are_reported_and_fail_an_ingest_that_names_them(
    result: IngestResult, by_id: bool, short: bool, words: str
) -> None:
    assert words in describe_result(result)
    assert is_incomplete(IngestInput(fixture_ids=(1,) if by_id else ()), result) == short
