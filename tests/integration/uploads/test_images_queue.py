"""However many images organizations upload, the clips of a goal find a place."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.domain.messages import TaskQueues
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.settings import Settings, TaskQueueSettings
from found_footy.uploads import activities
from found_footy.uploads.downloads import download_version
from found_footy.uploads.images.preparation import prepare_image_or_give_up
from found_footy.worker import WORKFLOWS, find_activities
from found_footy.worker_roles import WorkerRole, queue_limits
from tests.support.patience import PATIENCE, PATIENCE_SECONDS
from tests.support.pipeline.services import until
from tests.support.uploads.agent_services import UploadServices, open_uploads, running_uploads_worker


@workflow.defn
class OneClip:
    @workflow.run
    async def run(self, media: str) -> str:
        return await workflow.execute_activity(
            fetch_clip,
            task_queue=media,
            start_to_close_timeout=timedelta(seconds=10),
            schedule_to_close_timeout=PATIENCE,
        )


@activity.defn
async def fetch_clip() -> str:
    return "fetched"


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


@asynccontextmanager
async def serving(uploads: UploadServices, settings: Settings) -> AsyncIterator[None]:
    """A worker with the queues and limits of the product."""
    async with AsyncExitStack() as stack:
        for queue, limit in queue_limits(WorkerRole.ALL, settings).items():
            worker = Worker(
                uploads.temporal,
                task_queue=queue,
                workflows=[*WORKFLOWS, OneClip] if queue == settings.queues.main else (),
                activities=[*find_activities(uploads.activities), fetch_clip],
                workflow_runner=UnsandboxedWorkflowRunner(),
                max_concurrent_activities=limit,
            )
            await stack.enter_async_context(worker)
        yield


async def test_a_clip_is_fetched_while_images_take_all_their_places(uploads: UploadServices) -> None:
    queues = uploads.queues
    settings = Settings(queues=TaskQueueSettings(main=queues.main, media=queues.media, vision=queues.vision))
    places, gate = settings.worker.images, asyncio.Event()
    uploads.classifier.gates["red"] = gate
    async with serving(uploads, settings), asyncio.timeout(PATIENCE_SECONDS):
        for number in range(2 * places):
            await uploads.upload(f"{number}.png", "red")
        await until(lambda: is_asked(uploads, places))
        clip = await uploads.temporal.execute_workflow(
            OneClip.run, queues.media, id=f"clip-{queues.main}", task_queue=queues.main
        )
        assert clip == "fetched"
        assert len(uploads.classifier.asked) == places
        gate.set()
        for number in range(2 * places):
            await uploads.settled(f"{number}.png")


async def test_images_are_decoded_a_few_at_a_time(uploads: UploadServices, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoders wait until every image has been downloaded, so that all of them want to be decoded at once."""
    running, most, downloaded, images = 0, 0, 0, 8
    all_downloaded = asyncio.Event()

    async def download(*arguments: Any) -> Any:
        nonlocal downloaded
        done = await download_version(*arguments)
        downloaded += 1
        if downloaded == images:
            all_downloaded.set()
        return done

    async def decode(*arguments: Any) -> Any:
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        try:
            await all_downloaded.wait()
            return await prepare_image_or_give_up(*arguments)
        finally:
            running -= 1

    monkeypatch.setattr(activities, "download_version", download)
    monkeypatch.setattr(activities, "prepare_image_or_give_up", decode)
    async with running_uploads_worker(uploads):
        for number in range(images):
            await uploads.upload(f"{number}.png", "red")
        for number in range(images):
            await uploads.settled(f"{number}.png")
    assert most == activities.MAX_DECODERS


@pytest.mark.parametrize("role", WorkerRole)
def test_a_worker_of_the_media_queue_classifies_images(role: WorkerRole) -> None:
    served = queue_limits(role, Settings())
    is_served = role in (WorkerRole.ALL, WorkerRole.MEDIA)
    assert ("found-footy-media" in served) == ("found-footy-media-images" in served) == is_served


async def is_asked(uploads: UploadServices, times: int) -> bool:
    return len(uploads.classifier.asked) >= times
