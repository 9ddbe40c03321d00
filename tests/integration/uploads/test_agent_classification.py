"""One image, one workflow: from the event to the label on the row, and what goes wrong on the way."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import classification_workflow_id, compute_event_id, upload_preview_key
from found_footy.platform.errors import Conflict, Denied, NotFound
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.settings import Settings, TaskQueueSettings
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.messages import ClassificationProgress, ObjectEventResult, PersistOutcome, WorkflowStep
from found_footy.uploads.settings import UploadSettings
from found_footy.uploads_factory import build_upload_activities
from tests.support.histories import record
from tests.support.pipeline.services import until
from tests.support.uploads.agent_services import (
    MODEL_SHA256,
    UploadServices,
    open_uploads,
    paint,
    running_uploads_worker,
    temporary_folder,
)


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


async def test_an_image_is_classified_and_its_row_has_the_fields_of_the_specification(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        outcome = await uploads.upload("hero.png", "red")
        row = await uploads.settled("hero.png")
        handle = uploads.temporal.get_workflow_handle(outcome.workflow_id, result_type=PersistOutcome)
        assert await handle.result() is PersistOutcome.CLASSIFIED
        await record(handle, "organization-classified")
    key = uploads.key("hero.png")
    event_id = compute_event_id(key, row["etag"])
    assert outcome.result is ObjectEventResult.QUEUED
    assert (row["eventId"], row["workflowId"]) == (event_id, f"imgcls_{event_id}")
    assert (row["classificationLabel"], row["classificationScore"]) == ("red", 0.9)
    assert [one["label"] for one in row["classifications"]] == ["red", "other"]
    assert (row["modelName"], row["modelSha256"]) == ("colors", MODEL_SHA256)
    assert (row["width"], row["height"], row["contentType"]) == (8, 8, "image/png")
    assert row["error"] is None
    assert row["completedAt"] is not None
    assert [entry["what"] for entry in row["history"]] == ["stored", "started", "classified"]
    preview = await uploads.objects.head(upload_preview_key(event_id))
    assert preview is not None
    assert (preview.key, preview.content_type) == (row["previewKey"], "image/jpeg")
    assert [found.key async for found in uploads.objects.list(".prepared/")] == []


async def test_the_progress_of_a_classification_can_be_queried(uploads: UploadServices) -> None:
    uploads.classifier.gates["red"] = asyncio.Event()
    async with running_uploads_worker(uploads):
        outcome = await uploads.upload("hero.png", "red")
        handle = uploads.temporal.get_workflow_handle(outcome.workflow_id)

        async def progress() -> ClassificationProgress:
            found: ClassificationProgress = await handle.query("progress", result_type=ClassificationProgress)
            return found

        async def is_classifying() -> bool:
            return (await progress()).step == "classify-image"

        await until(is_classifying)
        assert (await progress()).status == "running"
        uploads.classifier.gates["red"].set()
        await handle.result()
        assert await progress() == ClassificationProgress("classified", WorkflowStep.PERSIST, "red")


async def test_an_image_that_cannot_be_decoded_fails_with_a_sentence_and_a_retry_classifies_what_is_stored_then(
    uploads: UploadServices,
) -> None:
    async with running_uploads_worker(uploads):
        etag = await uploads.put("hero.png", b"this is no image")
        outcome = await uploads.tell(uploads.created("hero.png", etag))
        row = await uploads.settled("hero.png", "failed")
        handle = uploads.temporal.get_workflow_handle(outcome.workflow_id)
        await handle.result()
        await record(handle, "organization-refused")
        assert "not a picture" in str(row["error"])
        assert row["errorKind"] == "image"
        assert (await uploads.agent().retry("hero.png")).result is ObjectEventResult.QUEUED
        await uploads.settled("hero.png", "failed")
        await handle.result()
        assert await uploads.run_count(outcome.workflow_id, 2) == 2
        await uploads.put("hero.png", paint("green"))
        await uploads.agent().retry("hero.png")
        assert (await uploads.settled("hero.png"))["classificationLabel"] == "green"


async def test_only_a_failed_image_can_be_retried(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        await uploads.upload("hero.png", "red")
        await uploads.settled("hero.png")
    with pytest.raises(Conflict):
        await uploads.agent().retry("hero.png")
    for name in ("other.png", "a/b", ""):
        with pytest.raises(NotFound):
            await uploads.agent().retry(name)
    await uploads.agent().delete("hero.png")
    with pytest.raises(NotFound):
        await uploads.agent().retry("hero.png")


async def test_a_fault_of_ours_is_no_verdict_on_the_image(uploads: UploadServices) -> None:
    """An error that no retry helps against ends the run, says nothing about the image, and is tried again later."""
    uploads.classifier.errors.append(Denied("classifier", "http://10.0.0.7:99 rejects the token"))
    async with running_uploads_worker(uploads):
        await uploads.upload("hero.png", "red")
        row = await uploads.settled("hero.png", "failed")
        assert row["errorKind"] == "system"
        assert "10.0.0.7" not in str(row["error"])
        await uploads.agent().restart(row)
        assert (await uploads.settled("hero.png"))["classificationLabel"] == "red"


async def test_a_deleted_image_leaves_a_tombstone_that_no_late_event_revives(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        etag = await uploads.put("hero.png", paint("red"))
        late = uploads.created("hero.png", etag)
        await uploads.tell(late)
        await uploads.settled("hero.png")
        assert await uploads.agent().delete("hero.png")
        assert (await uploads.tell(late)).result is ObjectEventResult.STALE
        assert (await uploads.tell(uploads.removed("hero.png"))).result is ObjectEventResult.UNCHANGED
        assert (await uploads.row("hero.png"))["deletedAt"] is not None
        assert await uploads.agent().get_uploads() == []
        assert not await uploads.agent().delete("hero.png")
        await uploads.upload("hero.png", "red")  # the same bytes: the same workflow id, another run
        row = await uploads.settled("hero.png")
    assert row["deletedAt"] is None
    assert row["classificationLabel"] == "red"
    assert await uploads.objects.head(str(row["previewKey"])) is not None
    assert await uploads.run_count(row["workflowId"], 2) == 2


async def test_an_object_that_is_gone_before_it_is_read_is_superseded_and_not_failed(uploads: UploadServices) -> None:
    await uploads.upload("hero.png", "red")
    await uploads.upload("other.png", "red")
    await uploads.objects.delete(uploads.key("hero.png"))
    await uploads.put("other.png", paint("blue"))
    async with running_uploads_worker(uploads):

        async def is_deleted() -> bool:
            return (await uploads.row("hero.png"))["deletedAt"] is not None

        await until(is_deleted)
        other = await uploads.settled("other.png")
    assert other["classificationLabel"] == "blue"  # although nothing told about it
    assert (await uploads.row("hero.png"))["error"] is None
    assert uploads.classifier.asked == ["blue"]


async def test_an_image_that_is_too_large_is_refused_without_being_read(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> None:
    async with open_uploads(database, objects, temporal, queues, max_bytes=10**6) as uploads:
        etag = await uploads.put("huge.png", bytes(10**6 + 1))
        async with running_uploads_worker(uploads):
            await uploads.tell(uploads.created("huge.png", etag))
            row = await uploads.settled("huge.png", "failed")
    assert row["error"] == "The file is larger than 1 MB."


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ({"max_bytes": 50}, "The file is larger than 5e-05 MB."),
        ({"max_pixels": 63}, "The picture has more than 6.3e-05 megapixels."),
    ],
)
async def test_the_worker_decodes_within_the_limits_of_its_settings(
    uploads: UploadServices, limit: dict[str, int], sentence: str
) -> None:
    settings = Settings(
        uploads=UploadSettings.model_validate(limit),
        queues=TaskQueueSettings(main=uploads.queues.main, media=uploads.queues.media, vision=uploads.queues.vision),
    )
    activities = build_upload_activities(
        settings, uploads.database, uploads.temporal, uploads.objects, uploads.classifier, temporary_folder
    )
    async with running_uploads_worker(replace(uploads, activities=activities)):
        await uploads.upload("hero.png", "red")
        row = await uploads.settled("hero.png", "failed")
    assert row["error"] == sentence


async def test_a_key_that_is_not_the_organizations_is_ignored(uploads: UploadServices) -> None:
    event = uploads.created("hero.png", "0" * 32, organization_id="other")
    outcome = await uploads.agent().ingest_upload_event("hero.png", event.key, event.etag, event)
    assert outcome.result is ObjectEventResult.IGNORED
    assert await uploads.store.list_organizations() == []


async def is_taken(uploads: UploadServices, event: ObjectEvent) -> bool:
    return (await uploads.tell(event)).result is not ObjectEventResult.POSTPONED


async def test_no_more_classifications_start_than_allowed_and_the_rest_is_postponed(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> None:
    async with open_uploads(database, objects, temporal, queues, in_flight=3, in_flight_per_organization=2) as uploads:
        names = [f"{number}.png" for number in range(5)]
        results = [(await uploads.upload(name, "red")).result for name in names]
        assert results == [ObjectEventResult.QUEUED] * 2 + [ObjectEventResult.POSTPONED] * 3
        assert {row["status"] for row in await uploads.agent().get_uploads()} == {"queued", "running"}
        other = f"b{uuid4().hex}"
        etag = await uploads.put("a.png", paint("red"), other)
        event = uploads.created("a.png", etag, organization_id=other)
        assert (await uploads.tell(event)).result is ObjectEventResult.QUEUED  # one organization does not stop another
        etag = await uploads.put("b.png", paint("red"), other)
        event = uploads.created("b.png", etag, organization_id=other)
        assert (await uploads.tell(event)).result is ObjectEventResult.POSTPONED
        async with running_uploads_worker(uploads):
            for name in names:
                event = uploads.created(name, (await uploads.row(name))["etag"])

                await until(partial(is_taken, uploads, event))
            for name in names:
                await uploads.settled(name)


async def test_rows_are_listed_by_name_in_pages_and_by_label(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        for name, color in (("c", "red"), ("a", "blue"), ("b", "red")):
            await uploads.upload(name, color)
        for name in "abc":
            await uploads.settled(name)
    agent = uploads.agent()
    assert [row["name"] for row in await agent.get_uploads()] == ["a", "b", "c"]
    assert [row["name"] for row in await agent.get_uploads(after="a", limit=1)] == ["b"]
    assert [row["name"] for row in await agent.get_uploads(label="red")] == ["b", "c"]
    assert await agent.get_uploads(status="failed") == []
    assert await uploads.agent("other").get_uploads() == []
    found = await agent.get_upload("a")
    assert found is not None
    assert found["workflowId"] == classification_workflow_id(found["eventId"])
