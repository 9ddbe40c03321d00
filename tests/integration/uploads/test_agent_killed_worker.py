"""A worker killed at every failpoint between a message and its result: nothing is lost, nothing is done twice."""

import asyncio
from pathlib import Path
from uuid import uuid4

from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.intake.streams import IntakeStreams
from tests.support.forking import ForkingProgram, open_forking_program
from tests.support.pipeline.services import until
from tests.support.uploads.agent_services import UploadServices, open_uploads, paint, running_uploads_worker
from tests.support.uploads.histories import assert_transitions_are_sound
from tests.support.uploads.intake import open_intake
from tests.support.uploads.killable_worker import consume_for

FAILPOINTS: tuple[str, ...] = (
    "uploads.before_upsert",
    "uploads.after_upsert",
    "uploads.after_start",
    "uploads.before_ack",
    "uploads.before_persist",
    "uploads.after_persist",
)


async def test_i12_after_a_kill_anywhere_the_image_has_one_run_and_its_label(
    platform: PlatformEndpoints, database: Database, objects: ObjectStore, temporal: Client, tmp_path: Path
) -> None:
    """All kills at once, each in a process, on queues and a stream of its own: what takes long is waiting."""
    async with open_forking_program("uploads/killable_worker.py") as workers:
        await asyncio.gather(
            *(
                classified_after_a_kill(platform, database, objects, temporal, tmp_path / failpoint, workers)
                for failpoint in FAILPOINTS
            )
        )


async def classified_after_a_kill(
    platform: PlatformEndpoints,
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    marker: Path,
    workers: ForkingProgram,
) -> None:
    queues, streams = TaskQueues(f"main-{uuid4().hex}", f"media-{uuid4().hex}"), IntakeStreams(f"T{uuid4().hex}")
    async with (
        open_uploads(database, objects, temporal, queues) as uploads,
        open_intake(platform.nats_url, database, streams) as intake,
    ):
        etag = await uploads.put("hero.png", paint("red"))
        await intake.publisher.publish(uploads.created("hero.png", etag))
        await start_worker(workers, platform, uploads, streams, marker)
        await until(lambda: asyncio.to_thread(marker.exists))
        async with running_uploads_worker(uploads), consume_for(intake, uploads.agents):
            row = await uploads.settled("hero.png")
            await intake.wait_until_empty()
            await uploads.temporal.get_workflow_handle(row["workflowId"]).result()
        row = await uploads.row("hero.png")
        assert row["classificationLabel"] == "red"
        assert_transitions_are_sound(row)
        assert [entry["what"] for entry in row["history"]] == ["stored", "started", "classified"]
        assert await uploads.run_count(row["workflowId"], 1) == 1, marker.name


async def start_worker(
    workers: ForkingProgram,
    platform: PlatformEndpoints,
    uploads: UploadServices,
    streams: IntakeStreams,
    marker: Path,
) -> None:
    order = {
        "mongo": platform.mongodb_uri,
        "database": uploads.database.name,
        "temporal": platform.temporal_address,
        "nats": platform.nats_url,
        "s3": platform.s3_endpoint,
        "s3_access": platform.s3_access_key,
        "s3_secret": platform.s3_secret_key,
        "bucket": uploads.objects.bucket,
        "main": uploads.queues.main,
        "media": uploads.queues.media,
        "stream": streams.name,
        "failpoint": marker.name,
        "marker": str(marker),
    }
    await workers.send(order)
