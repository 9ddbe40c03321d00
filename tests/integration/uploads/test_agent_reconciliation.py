"""What no notification told about is found by comparing bucket and rows; previews live as long as their rows."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import upload_preview_key
from found_footy.platform.errors import Denied, Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectInfo, ObjectStore
from found_footy.uploads.messages import ObjectEventResult, PreviewsSwept, ReconcileReport, ReconcileUploads
from found_footy.uploads.preview_sweep import PreviewSweeper
from found_footy.uploads.reconcile_workflow import ReconcileUploadsWorkflow
from found_footy.uploads.store import UPLOADS
from found_footy.vision.errors import ModelMissing
from tests.support.histories import record
from tests.support.pipeline.services import until
from tests.support.uploads.agent_services import UploadServices, open_uploads, paint, running_uploads_worker

AT_ONCE = ReconcileUploads(open_for=timedelta(0), preview_grace=timedelta(0))
PATIENT = ReconcileUploads()


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


async def test_images_that_nothing_told_about_are_found(uploads: UploadServices) -> None:
    """Notifications were off: an image is new, one was overwritten, one deleted; one is as it was."""
    other = f"org-{uuid4().hex}"
    async with running_uploads_worker(uploads):
        for name in ("changed.png", "removed.png", "same.png"):
            await uploads.upload(name, "red")
        for name in ("changed.png", "removed.png", "same.png"):
            await uploads.settled(name)
        same = await uploads.row("same.png")
        await uploads.put("new.png", paint("green"))
        await uploads.put("changed.png", paint("blue"))
        await uploads.objects.delete(uploads.key("removed.png"))
        await uploads.put("new.png", paint("grey"), other)
        await uploads.objects.put_bytes("no-organization.png", b"", content_type="image/png")
        handle = await uploads.temporal.start_workflow(
            ReconcileUploadsWorkflow.run,
            PATIENT,
            id=f"reconcile-{uuid4().hex}",
            task_queue=uploads.queues.main,
        )
        report = await handle.result()
        await record(handle, "reconcile-uploads")
        assert (await uploads.settled("new.png"))["classificationLabel"] == "green"
        await until(lambda: has_label(uploads, "changed.png", "blue"))
        await until(lambda: is_classified(uploads, other, "new.png"))
    assert report == ReconcileReport(listed=4, missing=2, changed=1, removed=1)
    assert (await uploads.row("removed.png"))["deletedAt"] is not None
    assert await uploads.row("same.png") == same
    assert await uploads.reconciler.reconcile(PATIENT) == ReconcileReport(listed=4)


async def test_the_rows_of_an_organization_without_any_object_are_compared_too(uploads: UploadServices) -> None:
    await uploads.upload("hero.png", "red")
    await uploads.objects.delete(uploads.key("hero.png"))
    assert await uploads.reconciler.reconcile(PATIENT) == ReconcileReport(removed=1)
    assert (await uploads.row("hero.png"))["deletedAt"] is not None


async def test_rows_that_wait_for_a_lost_run_and_failures_of_ours_are_started_again(uploads: UploadServices) -> None:
    uploads.classifier.errors.append(Denied("classifier", "no"))
    outcome = await uploads.upload("lost.png", "green")
    await uploads.temporal.get_workflow_handle(outcome.workflow_id).terminate()
    async with running_uploads_worker(uploads):
        await uploads.upload("failed.png", "red")
        await uploads.settled("failed.png", "failed")
        assert (await uploads.reconciler.reconcile(PATIENT)).restarted == 0  # they have not waited long enough
        assert (await uploads.reconciler.reconcile(AT_ONCE)).restarted == 2
        assert (await uploads.settled("lost.png"))["classificationLabel"] == "green"
        assert (await uploads.settled("failed.png"))["classificationLabel"] == "red"


async def test_an_organization_that_cannot_be_compared_keeps_no_other_from_it(uploads: UploadServices) -> None:
    """A row that lacks a field stands for whatever is wrong with one organization."""
    spoiled, intact = f"a{uuid4().hex}", f"b{uuid4().hex}"
    for organization_id in (spoiled, intact):
        await uploads.put("hero.png", paint("red"), organization_id)
    await uploads.reconciler.reconcile(PATIENT)
    await uploads.database[UPLOADS].update_one({"organizationId": spoiled}, {"$unset": {"requestId": ""}})
    await uploads.put("second.png", paint("green"), intact)
    report = await uploads.reconciler.reconcile(AT_ONCE)
    assert (report.failed, report.missing) == (1, 1)
    assert await uploads.store.find(intact, "second.png") is not None


async def test_an_outage_ends_the_comparison_instead_of_failing_for_each_organization(
    uploads: UploadServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    for letter in "abcd":
        await uploads.put("hero.png", paint("red"), f"{letter}{uuid4().hex}")
    asked = []

    async def fail(organization_id: str) -> dict[str, str]:
        asked.append(organization_id)
        raise Unavailable("MongoDB", "away")

    monkeypatch.setattr(uploads.store, "list_shown_versions", fail)
    with pytest.raises(Unavailable):
        await uploads.reconciler.reconcile(PATIENT)
    assert len(asked) == 3


async def test_a_refused_image_is_not_tried_again_by_itself(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        etag = await uploads.put("hero.png", b"no image")
        await uploads.tell(uploads.created("hero.png", etag))
        await uploads.settled("hero.png", "failed")
        assert (await uploads.reconciler.reconcile(AT_ONCE)).restarted == 0


async def test_more_images_than_may_be_classified_at_once_are_all_classified_in_turn(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> None:
    async with open_uploads(database, objects, temporal, queues, in_flight=2, in_flight_per_organization=2) as uploads:
        for number in range(6):
            await uploads.put(f"{number}.png", paint("red"))
        async with running_uploads_worker(uploads):
            assert (await uploads.reconciler.reconcile(PATIENT)).missing == 6
            for number in range(6):
                await uploads.settled(f"{number}.png")


async def test_images_that_wait_too_long_start_no_more_classifications_than_allowed(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> None:
    """As after a run that was killed: the rows are there, and their classifications were never started."""
    async with open_uploads(database, objects, temporal, queues, in_flight=2, in_flight_per_organization=2) as uploads:
        names = [f"{number}.png" for number in range(5)]
        for name in names:
            await uploads.upload(name, "red")
        results = [(await uploads.agent().restart(await uploads.row(name))).result for name in names]
        assert results == [ObjectEventResult.QUEUED] * 2 + [ObjectEventResult.POSTPONED] * 3
        async with running_uploads_worker(uploads):
            await uploads.reconciler.reconcile(AT_ONCE)
            for name in names:
                await uploads.settled(name)


async def test_images_that_all_failed_for_a_fault_of_ours_are_all_tried_again_in_turn(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> None:
    """As with a model that was missing: no event comes again for those that find no room."""
    async with open_uploads(database, objects, temporal, queues, in_flight=2, in_flight_per_organization=1) as uploads:
        names = [f"{number}.png" for number in range(4)]
        async with running_uploads_worker(uploads):
            for name in names:
                uploads.classifier.errors.append(ModelMissing("no file"))
                # Temporal's count is late: a run that has ended may still take up room, and the event comes again.
                await until(partial(uploads.upload_unless_postponed, name, "red"))
                await uploads.settled(name, "failed")
            assert (await uploads.reconciler.reconcile(AT_ONCE)).restarted == len(names)
            for name in names:
                await uploads.settled(name)


async def test_a_preview_is_deleted_once_it_is_old_and_no_row_needs_it(uploads: UploadServices) -> None:
    async with running_uploads_worker(uploads):
        old = await uploads.upload("hero.png", "red")
        await uploads.settled("hero.png")
        await uploads.upload("hero.png", "green")
        row = await uploads.settled("hero.png")
    await uploads.objects.put_bytes(".prepared/left-behind", b"x", content_type="application/octet-stream")
    assert await uploads.sweeper.sweep(PATIENT) == PreviewsSwept()
    await until(lambda: is_older_than_a_second(uploads, ".prepared/left-behind"))
    assert await uploads.sweeper.sweep(AT_ONCE) == PreviewsSwept(deleted=2)
    assert await uploads.objects.head(upload_preview_key(old.event_id)) is None
    assert await uploads.objects.head(str(row["previewKey"])) is not None


async def test_an_image_that_comes_back_while_its_preview_is_deleted_has_a_preview(
    uploads: UploadServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweeper has seen that no row needs the preview; before it deletes it, the same bytes are stored again."""
    async with running_uploads_worker(uploads):
        await uploads.upload("hero.png", "red")
        key = str((await uploads.settled("hero.png"))["previewKey"])
        await uploads.agent().delete("hero.png")
        await until(lambda: is_older_than_a_second(uploads, key))
        delete, has_come_back = uploads.objects.delete, False

        async def bring_back_and_delete(deleted: str) -> None:
            nonlocal has_come_back
            if deleted == key and not has_come_back:
                has_come_back = True
                await uploads.upload("hero.png", "red")
                await uploads.settled("hero.png")
            await delete(deleted)

        monkeypatch.setattr(uploads.objects, "delete", bring_back_and_delete)
        assert await uploads.sweeper.sweep(AT_ONCE) == PreviewsSwept(deleted=1, restored=1)
        await uploads.settled("hero.png")
        assert await uploads.objects.head(key) is not None


async def test_a_preview_that_is_made_again_meanwhile_is_not_deleted(
    uploads: UploadServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old when the previews were listed, and new when the sweeper comes to it."""
    key = upload_preview_key("0" * 64)
    await uploads.objects.put_bytes(key, b"old", content_type="image/jpeg")
    await until(lambda: is_older_than_a_second(uploads, key))
    began = datetime.now(UTC).replace(microsecond=0)
    head = uploads.objects.head

    async def make_again(asked: str) -> ObjectInfo | None:
        await uploads.objects.put_bytes(key, b"new", content_type="image/jpeg")
        return await head(asked)

    monkeypatch.setattr(uploads.objects, "head", make_again)
    sweeper = PreviewSweeper(uploads.store, uploads.objects, uploads.agents, lambda: began)
    assert await sweeper.sweep(AT_ONCE) == PreviewsSwept()
    assert await uploads.objects.get_bytes(key, limit=10) == b"new"


async def test_the_classification_of_a_deleted_image_is_not_started_again(uploads: UploadServices) -> None:
    await uploads.upload("hero.png", "red")
    await uploads.agent().delete("hero.png")
    assert (await uploads.reconciler.reconcile(AT_ONCE)).restarted == 0


async def has_label(uploads: UploadServices, name: str, label: str) -> bool:
    return (await uploads.row(name))["classificationLabel"] == label


async def is_classified(uploads: UploadServices, organization_id: str, name: str) -> bool:
    row = await uploads.store.find(organization_id, name)
    return row is not None and row["status"] == "classified"


async def is_older_than_a_second(uploads: UploadServices, key: str) -> bool:
    """The store gives the time of an object in whole seconds."""
    found = await uploads.objects.head(key)
    return found is not None and datetime.now(UTC) - found.modified > timedelta(seconds=1)
