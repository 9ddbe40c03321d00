"""The queue of a goal: every batch is archived once, whatever happens on the way."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.messages import SaveClips, UploadResult
from found_footy.archive.store import ArchiveStore
from found_footy.archive.upload_workflow import MAX_BATCHES_PER_RUN
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import clip_key
from found_footy.domain.messages import ClipBatch, Goal
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.goal_steps import GoalCompletionSteps
from found_footy.platform.errors import Denied
from found_footy.platform.mongo import Document
from found_footy.platform.objects import ObjectStore
from tests.support.histories import record
from tests.support.pipeline.batches import make_batch, make_clip, put_scratch
from tests.support.pipeline.breakable_connection import open_breakable_connection
from tests.support.pipeline.deliveries import archive_of, deliver, has_failed, register_goal
from tests.support.pipeline.goals import event_of, make_pace, remove_goal
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import PipelineServices, running_worker, until
from tests.support.steps import activities_of, change_options

pytestmark = pytest.mark.usefixtures("sound_records")


async def keys(objects: ObjectStore, prefix: str) -> list[str]:
    return [found.key async for found in objects.list(prefix)]


async def assert_no_clip_without_its_object(pipeline: PipelineServices, event: Document) -> None:
    stored = set(await keys(pipeline.objects, f"{event['_event_id'].split('_')[0]}/"))
    fields = ("_s3_key", "thumbnail_key", "preview_key", "fingerprint_key")
    named = {clip[field] for clip in event["_s3_videos"] for field in fields} - {None}
    assert stored == named
    assert [clip["rank"] for clip in event["_s3_videos"]] == list(range(1, len(event["_s3_videos"]) + 1))


async def test_a_batch_delivered_three_times_is_archived_once(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline, attempts=1)
    pace = make_pace(pipeline.queues, attempts_wanted=1)
    await put_scratch(pipeline.objects, goal, 1, 2)
    batch = make_batch(goal, pace, 1, [make_clip(goal, 1, "a"), make_clip(goal, 2, "b")])
    async with running_worker(pipeline):
        await deliver(pipeline, batch, batch, batch)
        await archive_of(pipeline, goal).result()
        first = await event_of(pipeline.database, goal)
        await deliver(pipeline, batch)
        await archive_of(pipeline, goal).result()
    event = await event_of(pipeline.database, goal)
    assert event == first
    assert [clip["popularity"] for clip in event["_s3_videos"]] == [1, 1]
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(pipeline, event)


async def test_one_clip_from_fifty_places_is_one_object_of_popularity_fifty(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline, attempts=10)
    pace = make_pace(pipeline.queues, attempts_wanted=10)
    await put_scratch(pipeline.objects, goal, 1)
    batches = [
        make_batch(goal, pace, number, [make_clip(goal, 1, f"fan{number}-{place}") for place in range(5)])
        for number in range(1, 11)
    ]
    async with running_worker(pipeline):
        await asyncio.gather(*(deliver(pipeline, batch) for _ in range(3) for batch in batches))
        await archive_of(pipeline, goal).result()
    event = await event_of(pipeline.database, goal)
    [clip] = event["_s3_videos"]
    assert (clip["popularity"], len(set(clip["_sources"])), clip["rank"]) == (50, 50, 1)
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(pipeline, event)
    assert await keys(pipeline.objects, "scratch/") == []


async def test_a_batch_after_the_end_starts_a_new_run(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline, attempts=2)
    pace = make_pace(pipeline.queues, attempts_wanted=2, upload_idle=timedelta(milliseconds=100))
    await put_scratch(pipeline.objects, goal, 1, 2)
    async with running_worker(pipeline):
        await deliver(pipeline, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
        await archive_of(pipeline, goal).result()
        first = (await archive_of(pipeline, goal).describe()).run_id
        await deliver(pipeline, make_batch(goal, pace, 2, [make_clip(goal, 2, "b")]))
        await archive_of(pipeline, goal).result()
        assert (await archive_of(pipeline, goal).describe()).run_id != first
    event = await event_of(pipeline.database, goal)
    assert len(event["_s3_videos"]) == 2
    assert event["_download_complete"]


async def test_no_batch_is_lost_in_a_race_with_the_end(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline, attempts=12)
    pace = make_pace(pipeline.queues, attempts_wanted=12, upload_idle=timedelta(milliseconds=40))
    async with running_worker(pipeline):
        for number in range(1, 13):
            await deliver(pipeline, make_batch(goal, pace, number))
            # Not waiting for anything: the deliveries are spread over the moment in which the queue falls idle.
            await asyncio.sleep(0.01 * number)
        await archive_of(pipeline, goal).result()
    event = await event_of(pipeline.database, goal)
    assert set(event["_delivered_workflows"]) == set(event["_download_workflows"])
    assert event["_download_complete"]


async def test_a_long_history_continues_in_a_new_run_with_the_waiting_batches(pipeline: PipelineServices) -> None:
    attempts = MAX_BATCHES_PER_RUN * 2 + 5
    goal = await register_goal(pipeline, attempts)
    pace = make_pace(pipeline.queues, attempts_wanted=attempts)
    await deliver(pipeline, *(make_batch(goal, pace, number) for number in range(1, attempts + 1)))
    first = (await archive_of(pipeline, goal).describe()).run_id
    async with running_worker(pipeline):
        ended = await archive_of(pipeline, goal).result()
        await record(archive_of(pipeline, goal), "upload-continued")
    assert ended == UploadResult(batches=5)
    assert (await archive_of(pipeline, goal).describe()).run_id != first
    event = await event_of(pipeline.database, goal)
    assert event["_download_complete"]


async def test_a_removed_goal_ends_its_queue_at_once_and_leaves_no_scratch(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline)
    pace = make_pace(pipeline.queues, upload_idle=timedelta(hours=1))
    await put_scratch(pipeline.objects, goal, 1, 2)
    async with running_worker(pipeline):
        await deliver(pipeline, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
        await until(lambda: has_delivery(pipeline, goal))
        await remove_goal(pipeline.database, goal)
        await deliver(pipeline, make_batch(goal, pace, 2, [make_clip(goal, 2, "b")]))
        ended = await archive_of(pipeline, goal).result()
        await record(archive_of(pipeline, goal), "upload-removed")
    assert ended.event_removed
    assert await keys(pipeline.objects, "scratch/") == []
    # The tombstone keeps what was archived before: the goal may be given back.
    assert await pipeline.objects.head(clip_key(goal.fixture_id, goal.event_id, make_clip(goal, 1, "").md5))
    assert not await pipeline.objects.head(clip_key(goal.fixture_id, goal.event_id, make_clip(goal, 2, "").md5))


async def test_a_lost_file_affects_only_its_own_clip(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline, attempts=1)
    pace = make_pace(pipeline.queues, attempts_wanted=1)
    await put_scratch(pipeline.objects, goal, 1)
    batch = make_batch(goal, pace, 1, [make_clip(goal, 1, "a"), make_clip(goal, 2, "lost")])
    found = [clip.source_url for clip in batch.clips]
    await pipeline.database[FixtureCollection.ACTIVE].update_one(
        {"_id": goal.fixture_id}, {"$set": {"events.0._open_links": found}}
    )
    async with running_worker(pipeline):
        await deliver(pipeline, batch)
        await archive_of(pipeline, goal).result()
    event = await event_of(pipeline.database, goal)
    assert len(event["_s3_videos"]) == 1
    assert event["_download_complete"]
    reported = {
        clip["url"]: clip["outcome"] for clip in event["_telemetry"]["attempts"][batch.download_id]["clips"].values()
    }
    assert reported == {"https://x.com/a": "uploaded", "https://x.com/lost": "download_failed"}
    assert event["_open_links"] == ["https://x.com/lost"]


async def test_a_store_that_answers_again_gets_the_waiting_batch(
    pipeline: PipelineServices, platform: PlatformEndpoints
) -> None:
    """Without the store nothing can be compared, so nothing is kept as new either."""
    goal = await register_goal(pipeline, attempts=1)
    pace = make_pace(pipeline.queues, attempts_wanted=1)
    await put_copies(pipeline.objects, goal, copy_of(1))
    async with open_breakable_connection(platform.s3_endpoint) as connection:
        behind_wire = ObjectStore(
            f"http://127.0.0.1:{connection.port}",
            platform.s3_access_key,
            platform.s3_secret_key,
            pipeline.objects.bucket,
        )
        patient = ArchiveActivities(ArchiveStore(pipeline.database, behind_wire.bucket), behind_wire)
        await connection.cut()
        async with running_worker(replace(pipeline, archive=patient)):
            await deliver(pipeline, make_batch(goal, pace, 1, [copy_of(1).found(goal, "a")]))
            await until(lambda: has_failed(archive_of(pipeline, goal), "deduplicate_videos"))
            assert (await event_of(pipeline.database, goal))["_s3_videos"] == []
            await connection.restore()
            await archive_of(pipeline, goal).result()
        await behind_wire.aclose()
    event = await event_of(pipeline.database, goal)
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(pipeline, event)


async def has_delivery(pipeline: PipelineServices, goal: Goal) -> bool:
    return bool((await event_of(pipeline.database, goal))["_delivered_workflows"])


class FailingLastCheck:
    """While the queue falls idle a batch comes in, and the check whether the goal is complete fails."""

    def __init__(self, pipeline: PipelineServices, late: ClipBatch) -> None:
        self._house, self._late = pipeline, late
        self.asked = 0

    @activity.defn(name="check_and_mark_download_complete")
    async def check_and_mark_download_complete(self, batch: ClipBatch) -> bool:
        if not batch.download_id and not self.asked:
            self.asked += 1
            await deliver(self._house, self._late)
            raise Denied("MongoDB", "nobody there")
        return await self._house.archive.check_and_mark_download_complete(batch)


async def test_a_failed_last_check_loses_no_batch_that_arrived_meanwhile(
    pipeline: PipelineServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Through a queue, so that the batch is known before the look has failed.
    change_options(monkeypatch, GoalCompletionSteps.check_and_mark_download_complete, local=False)
    goal = await register_goal(pipeline, attempts=2)
    pace = make_pace(pipeline.queues, attempts_wanted=2, upload_idle=timedelta(milliseconds=100))
    await put_scratch(pipeline.objects, goal, 1, 2)
    cannot_tell = FailingLastCheck(pipeline, make_batch(goal, pace, 2, [make_clip(goal, 2, "b")]))
    mine = activities_of(cannot_tell)
    others = [a for a in pipeline.activities() if a.__name__ not in {m.__name__ for m in mine}]
    async with running_worker(pipeline, others + mine):
        await deliver(pipeline, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
        assert await archive_of(pipeline, goal).result() == UploadResult(batches=2)
    assert cannot_tell.asked == 1
    event = await event_of(pipeline.database, goal)
    assert len(event["_s3_videos"]) == 2
    assert event["_download_complete"]


class DiesBeforeRecording:
    """A worker that is killed after the objects were copied, before anything was written down."""

    def __init__(self, pipeline: PipelineServices) -> None:
        self._archive = pipeline.archive
        self.died = False

    @activity.defn(name="save_video_objects")
    async def save_video_objects(self, saved: SaveClips) -> bool:
        if not self.died:
            self.died = True
            raise RuntimeError("killed")
        return await self._archive.save_video_objects(saved)

    def activities(self, pipeline: PipelineServices) -> Iterable[Any]:
        return [a for a in pipeline.activities() if a.__name__ != "save_video_objects"] + activities_of(self)


async def test_a_crash_between_copy_and_record_leaves_nothing_behind(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline, attempts=1)
    pace = make_pace(pipeline.queues, attempts_wanted=1)
    await put_scratch(pipeline.objects, goal, 1, 2)
    dying = DiesBeforeRecording(pipeline)
    async with running_worker(pipeline, list(dying.activities(pipeline))):
        await deliver(pipeline, make_batch(goal, pace, 1, [make_clip(goal, 1, "a"), make_clip(goal, 2, "b")]))
        await archive_of(pipeline, goal).result()
    assert dying.died
    event = await event_of(pipeline.database, goal)
    assert [clip["popularity"] for clip in event["_s3_videos"]] == [1, 1]
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(pipeline, event)
