"""What one write or one start rests on: the state that was read, and the row that waits."""

from collections.abc import AsyncIterator

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.dispatch import ClassificationStarter
from found_footy.uploads.rows import RowUpdate, version_of
from tests.support.patience import PATIENCE
from tests.support.uploads.agent_services import UploadServices, open_uploads, running_uploads_worker


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


async def test_of_two_writes_over_the_same_state_only_the_first_is_made(uploads: UploadServices) -> None:
    await uploads.upload("hero.png", "red")
    read = await uploads.row("hero.png")
    assert await uploads.store.update(read, RowUpdate({"revision": "first", "size": 1}))
    assert not await uploads.store.update(read, RowUpdate({"revision": "second", "size": 2}))
    row = await uploads.row("hero.png")
    assert (row["revision"], row["size"]) == ("first", 1)


async def test_a_classified_version_is_not_started_again(uploads: UploadServices) -> None:
    """A start that is repeated after its run has ended, as by an event that was delivered again much later."""
    starter = ClassificationStarter(uploads.temporal, uploads.store, uploads.queues, PATIENCE)
    async with running_uploads_worker(uploads):
        await uploads.upload("hero.png", "red")
        row = await uploads.settled("hero.png")
        handle = uploads.temporal.get_workflow_handle(row["workflowId"])
        await handle.result()
        ended = (await handle.describe()).run_id
        assert not await starter.start(version_of(row))
        # Without a run id the handle names the newest run.
        assert (await handle.describe()).run_id == ended
    assert uploads.classifier.asked == ["red"]
