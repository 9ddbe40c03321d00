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
from tests.support.pipeline.batches import a_batch, a_clip, put_scratch
from tests.support.pipeline.breakable_connection import wired
from tests.support.pipeline.deliveries import a_registered_goal, archive_of, deliver, has_failed
from tests.support.pipeline.goals import a_pace, event_of, strike_out
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import House, activities_of, at_work, until
from tests.support.steps import change_options

pytestmark = pytest.mark.usefixtures("sound_records")


async def keys(objects: ObjectStore, prefix: str) -> list[str]:
    return [found.key async for found in objects.list(prefix)]


async def assert_no_clip_without_its_object(house: House, event: Document) -> None:
    stored = set(await keys(house.objects, f"{event['_event_id'].split('_')[0]}/"))
    fields = ("_s3_key", "thumbnail_key", "preview_key", "fingerprint_key")
    named = {clip[field] for clip in event["_s3_videos"] for field in fields} - {None}
    assert stored == named
    assert [clip["rank"] for clip in event["_s3_videos"]] == list(range(1, len(event["_s3_videos"]) + 1))


async def test_a_batch_delivered_three_times_is_archived_once(house: House) -> None:
    goal = await a_registered_goal(house, attempts=1)
    pace = a_pace(house.queues, attempts_wanted=1)
    await put_scratch(house.objects, goal, 1, 2)
    batch = a_batch(goal, pace, 1, [a_clip(goal, 1, "a"), a_clip(goal, 2, "b")])
    async with at_work(house):
        await deliver(house, batch, batch, batch)
        await archive_of(house, goal).result()
        first = await event_of(house.database, goal)
        await deliver(house, batch)
        await archive_of(house, goal).result()
    event = await event_of(house.database, goal)
    assert event == first
    assert [clip["popularity"] for clip in event["_s3_videos"]] == [1, 1]
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(house, event)


async def test_one_clip_from_fifty_places_is_one_object_of_popularity_fifty(house: House) -> None:
    goal = await a_registered_goal(house, attempts=10)
    pace = a_pace(house.queues, attempts_wanted=10)
    await put_scratch(house.objects, goal, 1)
    batches = [
        a_batch(goal, pace, number, [a_clip(goal, 1, f"fan{number}-{place}") for place in range(5)])
        for number in range(1, 11)
    ]
    async with at_work(house):
        await asyncio.gather(*(deliver(house, batch) for _ in range(3) for batch in batches))
        await archive_of(house, goal).result()
    event = await event_of(house.database, goal)
    [clip] = event["_s3_videos"]
    assert (clip["popularity"], len(set(clip["_sources"])), clip["rank"]) == (50, 50, 1)
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(house, event)
    assert await keys(house.objects, "scratch/") == []


async def test_a_batch_that_comes_after_the_end_starts_anew(house: House) -> None:
    goal = await a_registered_goal(house, attempts=2)
    pace = a_pace(house.queues, attempts_wanted=2, upload_idle=timedelta(milliseconds=100))
    await put_scratch(house.objects, goal, 1, 2)
    async with at_work(house):
        await deliver(house, a_batch(goal, pace, 1, [a_clip(goal, 1, "a")]))
        await archive_of(house, goal).result()
        first = (await archive_of(house, goal).describe()).run_id
        await deliver(house, a_batch(goal, pace, 2, [a_clip(goal, 2, "b")]))
        await archive_of(house, goal).result()
        assert (await archive_of(house, goal).describe()).run_id != first
    event = await event_of(house.database, goal)
    assert len(event["_s3_videos"]) == 2
    assert event["_download_complete"]


async def test_no_batch_is_lost_in_a_race_with_the_end(house: House) -> None:
    goal = await a_registered_goal(house, attempts=12)
    pace = a_pace(house.queues, attempts_wanted=12, upload_idle=timedelta(milliseconds=40))
    async with at_work(house):
        for number in range(1, 13):
            await deliver(house, a_batch(goal, pace, number))
            # Not waiting for anything: the deliveries are spread over the moment in which the queue falls idle.
            await asyncio.sleep(0.01 * number)
        await archive_of(house, goal).result()
    event = await event_of(house.database, goal)
    assert set(event["_delivered_workflows"]) == set(event["_download_workflows"])
    assert event["_download_complete"]


async def test_a_long_history_goes_on_in_a_new_run_with_what_waits(house: House) -> None:
    attempts = MAX_BATCHES_PER_RUN * 2 + 5
    goal = await a_registered_goal(house, attempts)
    pace = a_pace(house.queues, attempts_wanted=attempts)
    await deliver(house, *(a_batch(goal, pace, number) for number in range(1, attempts + 1)))
    first = (await archive_of(house, goal).describe()).run_id
    async with at_work(house):
        ended = await archive_of(house, goal).result()
        await record(archive_of(house, goal), "upload-continued")
    assert ended == UploadResult(batches=5)
    assert (await archive_of(house, goal).describe()).run_id != first
    event = await event_of(house.database, goal)
    assert event["_download_complete"]


async def test_a_goal_struck_out_ends_its_queue_at_once_and_leaves_no_scratch(house: House) -> None:
    goal = await a_registered_goal(house)
    pace = a_pace(house.queues, upload_idle=timedelta(hours=1))
    await put_scratch(house.objects, goal, 1, 2)
    async with at_work(house):
        await deliver(house, a_batch(goal, pace, 1, [a_clip(goal, 1, "a")]))
        await until(lambda: has_delivery(house, goal))
        await strike_out(house.database, goal)
        await deliver(house, a_batch(goal, pace, 2, [a_clip(goal, 2, "b")]))
        ended = await archive_of(house, goal).result()
        await record(archive_of(house, goal), "upload-struck-out")
    assert ended.event_removed
    assert await keys(house.objects, "scratch/") == []
    # The tombstone keeps what was archived before: the goal may be given back.
    assert await house.objects.head(clip_key(goal.fixture_id, goal.event_id, a_clip(goal, 1, "").md5))
    assert not await house.objects.head(clip_key(goal.fixture_id, goal.event_id, a_clip(goal, 2, "").md5))


async def test_a_clip_whose_file_is_lost_costs_only_itself(house: House) -> None:
    goal = await a_registered_goal(house, attempts=1)
    pace = a_pace(house.queues, attempts_wanted=1)
    await put_scratch(house.objects, goal, 1)
    batch = a_batch(goal, pace, 1, [a_clip(goal, 1, "a"), a_clip(goal, 2, "lost")])
    found = [clip.source_url for clip in batch.clips]
    await house.database[FixtureCollection.ACTIVE].update_one(
        {"_id": goal.fixture_id}, {"$set": {"events.0._open_links": found}}
    )
    async with at_work(house):
        await deliver(house, batch)
        await archive_of(house, goal).result()
    event = await event_of(house.database, goal)
    assert len(event["_s3_videos"]) == 1
    assert event["_download_complete"]
    told = {
        clip["url"]: clip["outcome"] for clip in event["_telemetry"]["attempts"][batch.download_id]["clips"].values()
    }
    assert told == {"https://x.com/a": "uploaded", "https://x.com/lost": "download_failed"}
    assert event["_open_links"] == ["https://x.com/lost"]


async def test_a_store_that_comes_back_gets_the_batch_that_waited(house: House, platform: PlatformEndpoints) -> None:
    """Without the store nothing can be compared, so nothing is kept as new either."""
    goal = await a_registered_goal(house, attempts=1)
    pace = a_pace(house.queues, attempts_wanted=1)
    await put_copies(house.objects, goal, copy_of(1))
    async with wired(platform.s3_endpoint) as wire:
        behind_wire = ObjectStore(
            f"http://127.0.0.1:{wire.port}", platform.s3_access_key, platform.s3_secret_key, house.objects.bucket
        )
        patient = ArchiveActivities(ArchiveStore(house.database, behind_wire.bucket), behind_wire)
        await wire.cut()
        async with at_work(replace(house, archive=patient)):
            await deliver(house, a_batch(goal, pace, 1, [copy_of(1).found(goal, "a")]))
            await until(lambda: has_failed(archive_of(house, goal), "deduplicate_videos"))
            assert (await event_of(house.database, goal))["_s3_videos"] == []
            await wire.mend()
            await archive_of(house, goal).result()
        await behind_wire.aclose()
    event = await event_of(house.database, goal)
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(house, event)


async def has_delivery(house: House, goal: Goal) -> bool:
    return bool((await event_of(house.database, goal))["_delivered_workflows"])


class CannotTell:
    """While the queue falls idle a batch comes in, and whether the goal is complete cannot be told."""

    def __init__(self, house: House, late: ClipBatch) -> None:
        self._house, self._late = house, late
        self.asked = 0

    @activity.defn(name="check_and_mark_download_complete")
    async def check_and_mark_download_complete(self, batch: ClipBatch) -> bool:
        if not batch.download_id and not self.asked:
            self.asked += 1
            await deliver(self._house, self._late)
            raise Denied("MongoDB", "nobody there")
        return await self._house.archive.check_and_mark_download_complete(batch)


async def test_a_last_look_that_fails_costs_no_batch_that_came_meanwhile(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Through a queue, so that the batch is known before the look has failed.
    change_options(monkeypatch, GoalCompletionSteps.check_and_mark_download_complete, local=False)
    goal = await a_registered_goal(house, attempts=2)
    pace = a_pace(house.queues, attempts_wanted=2, upload_idle=timedelta(milliseconds=100))
    await put_scratch(house.objects, goal, 1, 2)
    cannot_tell = CannotTell(house, a_batch(goal, pace, 2, [a_clip(goal, 2, "b")]))
    mine = activities_of(cannot_tell)
    others = [a for a in house.activities() if a.__name__ not in {m.__name__ for m in mine}]
    async with at_work(house, others + mine):
        await deliver(house, a_batch(goal, pace, 1, [a_clip(goal, 1, "a")]))
        assert await archive_of(house, goal).result() == UploadResult(batches=2)
    assert cannot_tell.asked == 1
    event = await event_of(house.database, goal)
    assert len(event["_s3_videos"]) == 2
    assert event["_download_complete"]


class DiesBeforeRecording:
    """A worker that is killed after the objects were copied, before anything was written down."""

    def __init__(self, house: House) -> None:
        self._archive = house.archive
        self.died = False

    @activity.defn(name="save_video_objects")
    async def save_video_objects(self, saved: SaveClips) -> bool:
        if not self.died:
            self.died = True
            raise RuntimeError("killed")
        return await self._archive.save_video_objects(saved)

    def activities(self, house: House) -> Iterable[Any]:
        return [a for a in house.activities() if a.__name__ != "save_video_objects"] + activities_of(self)


async def test_a_death_between_copy_and_record_leaves_no_trace(house: House) -> None:
    goal = await a_registered_goal(house, attempts=1)
    pace = a_pace(house.queues, attempts_wanted=1)
    await put_scratch(house.objects, goal, 1, 2)
    dying = DiesBeforeRecording(house)
    async with at_work(house, list(dying.activities(house))):
        await deliver(house, a_batch(goal, pace, 1, [a_clip(goal, 1, "a"), a_clip(goal, 2, "b")]))
        await archive_of(house, goal).result()
    assert dying.died
    event = await event_of(house.database, goal)
    assert [clip["popularity"] for clip in event["_s3_videos"]] == [1, 1]
    assert event["_download_complete"]
    await assert_no_clip_without_its_object(house, event)
