"""The five invariants and the five acceptance criteria of organization uploads, each by its name."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import classification_workflow_id, compute_event_id
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.intake.consumer import IntakeConsumer
from found_footy.uploads.intake.message_handler import MessageHandler
from found_footy.uploads.messages import ObjectEventResult, PersistOutcome
from tests.support.histories import record
from tests.support.pipeline.services import until
from tests.support.uploads.agent_services import UploadServices, open_uploads, paint, running_uploads_worker
from tests.support.uploads.histories import assert_transitions_are_sound
from tests.support.uploads.intake import QUICK_LIMITS, QUICK_RULES, Intake, open_intake

DUPLICATES = 100


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


@pytest.fixture
async def intake(platform: PlatformEndpoints, database: Database) -> AsyncIterator[Intake]:
    async with open_intake(platform.nats_url, database) as opened:
        yield opened


@asynccontextmanager
async def consuming(intake: Intake, uploads: UploadServices) -> AsyncIterator[None]:
    """The consumer with the agents of the product."""
    handler = MessageHandler(
        uploads.agents, intake.notifications, intake.streams.notification_subject, intake.letters, QUICK_RULES
    )
    limits = replace(QUICK_LIMITS, ingests=32)
    task = asyncio.create_task(IntakeConsumer(intake.connection, intake.streams, handler, limits).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_invariant_1_and_criterion_1_a_hundred_concurrent_duplicates_start_one_workflow(
    uploads: UploadServices, intake: Intake
) -> None:
    """Through JetStream, where each duplicate is a message of its own, and beside it straight to the agent."""
    etag = await uploads.put("hero.png", paint("red"))
    event = uploads.created("hero.png", etag)
    for number in range(DUPLICATES):
        await intake.publisher.publish_again(event, f"{uploads.organization_id}-{number}")
    async with running_uploads_worker(uploads), consuming(intake, uploads):
        await asyncio.gather(*(uploads.tell(event) for _ in range(DUPLICATES)))
        row = await uploads.settled("hero.png")
        await intake.wait_until_empty()
        await uploads.temporal.get_workflow_handle(row["workflowId"]).result()
    assert await uploads.row("hero.png") == row
    assert await uploads.run_count(row["workflowId"], 1) == 1
    assert uploads.classifier.asked == ["red"]
    assert await intake.letters.count() == 0


async def test_invariant_2_a_duplicate_changes_nothing(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        etag = await uploads.put("hero.png", paint("red"))
        event = uploads.created("hero.png", etag)
        await uploads.tell(event)
        row = await uploads.settled("hero.png")
        assert (await uploads.tell(event)).result is ObjectEventResult.UNCHANGED
    assert await uploads.row("hero.png") == row


async def test_invariant_3_and_criterion_2_the_newest_version_replaces_object_and_classification(
    uploads: UploadServices,
) -> None:
    async with running_uploads_worker(uploads):
        first = await uploads.upload("hero.png", "red")
        await uploads.settled("hero.png")
        second = await uploads.upload("hero.png", "green")
        await until(lambda: has_label(uploads, "hero.png", "green"))
    row = await uploads.row("hero.png")
    assert first.event_id != second.event_id == row["eventId"]
    assert first.workflow_id != second.workflow_id == row["workflowId"]
    superseded = next(entry for entry in row["history"] if entry["what"] == "superseded")
    assert (superseded["eventId"], superseded["supersededBy"], superseded["label"]) == (
        first.event_id,
        second.event_id,
        "red",
    )


async def test_invariant_4_and_criterion_3_an_old_result_does_not_overwrite_a_newer_row(
    uploads: UploadServices,
) -> None:
    uploads.classifier.gates["red"] = asyncio.Event()
    async with running_uploads_worker(uploads):
        old = await uploads.upload("hero.png", "red")
        await until(lambda: has_asked(uploads, "red"))
        await uploads.upload("hero.png", "green")
        newest = await uploads.settled("hero.png")
        uploads.classifier.gates["red"].set()
        handle = uploads.temporal.get_workflow_handle(old.workflow_id, result_type=PersistOutcome)
        assert await handle.result() is PersistOutcome.STALE
        await record(handle, "organization-stale")
    assert await uploads.row("hero.png") == newest
    assert newest["classificationLabel"] == "green"


async def test_invariant_5_a_message_is_acknowledged_only_after_its_workflow_is_started(
    uploads: UploadServices, intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Temporal refuses, the row is queued and the message stays; then the redelivery starts the workflow."""
    start_workflow, refusals = uploads.temporal.start_workflow, 0

    async def refuse(*args: object, **options: object) -> object:
        nonlocal refusals
        refusals += 1
        if refusals <= 2:
            raise RPCError("refused", RPCStatusCode.UNAVAILABLE, b"")
        return await start_workflow(*args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(uploads.temporal, "start_workflow", refuse)
    etag = await uploads.put("hero.png", paint("red"))
    event = uploads.created("hero.png", etag)
    with pytest.raises(Unavailable):
        await uploads.tell(event)
    assert (await uploads.row("hero.png"))["status"] == "queued"
    await intake.publisher.publish(event)
    async with running_uploads_worker(uploads), consuming(intake, uploads):
        await intake.wait_until_empty()
        assert refusals == 3
        await uploads.settled("hero.png")


async def test_criterion_5_transitions_are_queued_running_classified_or_failed(uploads: UploadServices) -> None:
    """The run may be over before the ingest that started it has marked the row: the first step of the run does it."""
    async with running_uploads_worker(uploads):
        for number, data in enumerate((paint("red"), b"no image", paint("green"))):
            etag = await uploads.put("hero.png", data)
            await uploads.tell(uploads.created("hero.png", etag))
            await uploads.settled("hero.png", "failed" if number == 1 else "classified")
    row = await uploads.row("hero.png")
    assert_transitions_are_sound(row)
    assert [entry["what"] for entry in row["history"]] == [
        *("stored", "started", "classified", "superseded"),
        *("stored", "started", "failed", "superseded"),
        *("stored", "started", "classified"),
    ]


async def test_a_b_a_ends_on_the_label_of_a_by_a_second_run_of_the_same_id(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        first = await uploads.upload("hero.png", "red")
        await uploads.settled("hero.png")
        await uploads.upload("hero.png", "green")
        await until(lambda: has_label(uploads, "hero.png", "green"))
        again = await uploads.upload("hero.png", "red")
        await until(lambda: has_label(uploads, "hero.png", "red"))
    assert again == first
    assert await uploads.run_count(first.workflow_id, 2) == 2
    assert uploads.classifier.asked == ["red", "green", "red"]


async def test_a_b_a_while_the_first_run_of_a_goes_on_is_served_by_that_run(uploads: UploadServices) -> None:
    """The first run of A must not end without having seen that A is wanted again."""
    uploads.classifier.gates["red"] = asyncio.Event()
    async with running_uploads_worker(uploads):
        first = await uploads.upload("hero.png", "red")
        await until(lambda: has_asked(uploads, "red"))
        await uploads.upload("hero.png", "green")
        await uploads.settled("hero.png")
        await uploads.upload("hero.png", "red")
        uploads.classifier.gates["red"].set()
        row = await uploads.settled("hero.png")
        await uploads.temporal.get_workflow_handle(first.workflow_id).result()
        await record(uploads.temporal.get_workflow_handle(first.workflow_id), "organization-asked-again")
    assert row["classificationLabel"] == "red"
    assert await uploads.run_count(first.workflow_id, 1) == 1


async def test_a_late_event_about_an_overwritten_version_is_stale_and_leaves_the_row_alone(
    uploads: UploadServices,
) -> None:
    async with running_uploads_worker(uploads):
        old = await uploads.put("hero.png", paint("red"))
        await uploads.upload("hero.png", "green")
        row = await uploads.settled("hero.png")
        assert (await uploads.tell(uploads.created("hero.png", old))).result is ObjectEventResult.STALE
        assert (await uploads.tell(uploads.removed("hero.png"))).result is ObjectEventResult.STALE
    assert await uploads.row("hero.png") == row
    never = classification_workflow_id(compute_event_id(uploads.key("hero.png"), old))
    assert await uploads.runs(never) == []


async def test_the_image_of_a_failed_classification_stored_again_is_classified_again(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        etag = await uploads.put("hero.png", b"no image")
        event = uploads.created("hero.png", etag)
        await uploads.tell(event)
        await uploads.settled("hero.png", "failed")
        assert (await uploads.tell(event)).result is ObjectEventResult.UNCHANGED
        later = uploads.created("hero.png", etag)
        assert (await uploads.tell(later)).result is ObjectEventResult.QUEUED
        await uploads.settled("hero.png", "failed")
    assert [entry["what"] for entry in (await uploads.row("hero.png"))["history"]][-3:] == [
        *("retried", "started", "failed"),
    ]


async def has_label(uploads: UploadServices, name: str, label: str) -> bool:
    return (await uploads.row(name))["classificationLabel"] == label


async def has_asked(uploads: UploadServices, color: str) -> bool:
    return color in uploads.classifier.asked
