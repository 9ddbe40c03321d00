"""What was written is written, even if nobody heard that it was."""

from dataclasses import replace
from urllib.parse import urlsplit

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.store import ArchiveStore
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform import mongo
from tests.support.pipeline.batches import make_batch
from tests.support.pipeline.breakable_connection import open_breakable_connection
from tests.support.pipeline.deliveries import archived, outcomes, register_goal
from tests.support.pipeline.goals import event_of, make_pace
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import PipelineServices, running_worker

# The driver asks once more by itself; only when that answer is lost too does the archive learn of it.
LOST = 2


async def test_a_batch_whose_recording_was_never_confirmed_is_recorded_once(
    pipeline: PipelineServices, platform: PlatformEndpoints
) -> None:
    goal = await register_goal(pipeline, attempts=2)
    pace = make_pace(pipeline.queues, attempts_wanted=2)
    poor, best, other = copy_of(1, "poor"), copy_of(1, "best"), copy_of(2)
    await put_copies(pipeline.objects, goal, poor, best, other)
    async with open_breakable_connection(platform.mongodb_uri) as connection:
        who = urlsplit(platform.mongodb_uri).netloc.rpartition("@")[0]
        address = f"mongodb://{who}@127.0.0.1:{connection.port}/?directConnection=true&authSource=admin"
        async with mongo.connect(address, pipeline.database.name) as database:
            store = ArchiveStore(database, pipeline.objects.bucket)
            async with running_worker(replace(pipeline, archive=ArchiveActivities(store, pipeline.objects))):
                connection.lose_answers_to(b"events.$._s3_videos", LOST)
                event = await archived(pipeline, make_batch(goal, pace, 1, [poor.found(goal, "a")]))
                assert connection.lost == LOST
                [before] = event["_s3_videos"]
                connection.lose_answers_to(b"events.$._s3_videos", LOST)
                finds = [best.found(goal, "b"), poor.found(goal, "c"), other.found(goal, "d")]
                await archived(pipeline, make_batch(goal, pace, 2, finds))
                assert connection.lost == 2 * LOST
    event = await event_of(pipeline.database, goal)
    assert [(clip["md5"], clip["popularity"], clip["rank"]) for clip in event["_s3_videos"]] == [
        (best.md5, 3, 1),
        (other.md5, 1, 2),
    ]
    assert event["_s3_videos"][0]["clip_id"] == before["clip_id"]
    assert event["_download_complete"]
    assert outcomes(event)["c"] == "duplicate"
