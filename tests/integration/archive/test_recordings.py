"""Each recording once, in its best copy, however many copies come and in whatever order."""

import asyncio
from dataclasses import replace

import pytest
from temporalio import activity

from found_footy.archive.messages import ComparePool, PoolMatches
from found_footy.domain.ids import TRASH_PREFIX, event_id
from found_footy.domain.messages import Goal, PipelinePace, ScreenedClip
from found_footy.platform.errors import Denied
from found_footy.platform.mongo import Document
from tests.support.histories import record
from tests.support.pipeline.batches import make_batch
from tests.support.pipeline.deliveries import archive_of, archived, deliver, outcomes, register_goal
from tests.support.pipeline.goals import PLAYER, TEAM, event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import PipelineServices, running_worker
from tests.support.steps import activities_of

pytestmark = pytest.mark.usefixtures("sound_records")

LIVE, REPLAY, CROWD = 1, 2, 3


def fifty_finds(goal: Goal) -> list[ScreenedClip]:
    """A proven recording in five copies, one without a clock in three, and one of which only one copy has a clock."""
    kinds = [
        *((LIVE, kind, True) for kind in ("poor", "start", "best", "small", "good")),
        *((REPLAY, kind, False) for kind in ("poor", "best", "good")),
        *((CROWD, kind, kind == "start") for kind in ("best", "start")),
    ]
    return [
        copy_of(recording, kind).found(goal, f"{recording}-{kind}-{place}", verified=verified)
        for place in range(5)
        for recording, kind, verified in kinds
    ]


async def test_fifty_downloads_delivered_three_times_over_make_one_object_per_recording(
    pipeline: PipelineServices,
) -> None:
    goal = await register_goal(pipeline, attempts=10)
    pace = make_pace(pipeline.queues, attempts_wanted=10)
    finds = fifty_finds(goal)
    assert len({find.source_url for find in finds}) == 50
    for recording, kinds in {LIVE: "poor start best small good", REPLAY: "poor best good", CROWD: "best start"}.items():
        await put_copies(pipeline.objects, goal, *(copy_of(recording, kind) for kind in kinds.split()))
    batches = [make_batch(goal, pace, number + 1, finds[number::10]) for number in range(10)]
    async with running_worker(pipeline):
        await asyncio.gather(*(deliver(pipeline, batch) for _ in range(3) for batch in batches))
        await archive_of(pipeline, goal).result()
    event = await event_of(pipeline.database, goal)
    assert event["_download_complete"]
    assert [(clip["rank"], clip["popularity"], clip["md5"]) for clip in event["_s3_videos"]] == [
        (1, 25, copy_of(LIVE, "best").md5),
        # Its longer copies show no clock, and a proven one never loses to those.
        (2, 10, copy_of(CROWD, "start").md5),
        (3, 15, copy_of(REPLAY, "best").md5),
    ]
    stored = [found.key async for found in pipeline.objects.list() if found.key.endswith(".mp4")]
    stored = [key for key in stored if not key.startswith(TRASH_PREFIX)]
    assert len([key for key in stored if not key.endswith(".preview.mp4")]) == 3
    assert len([key for key in stored if key.endswith(".preview.mp4")]) == 3


async def test_a_better_copy_replaces_a_worse_one_and_the_address_stays(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline)
    pace = make_pace(pipeline.queues)
    poor, best = copy_of(LIVE, "poor"), copy_of(LIVE, "best")
    await put_copies(pipeline.objects, goal, poor, best)
    async with running_worker(pipeline):
        event = await archived(pipeline, make_batch(goal, pace, 1, [poor.found(goal, "a")]))
        [before] = event["_s3_videos"]
        event = await archived(pipeline, make_batch(goal, pace, 2, [best.found(goal, "b"), poor.found(goal, "c")]))
        [after] = event["_s3_videos"]
        await record(archive_of(pipeline, goal), "upload-replaced")
    assert (before["md5"], after["md5"]) == (poor.md5, best.md5)
    assert (before["clip_id"], before["added_at"]) == (after["clip_id"], after["added_at"])
    assert sorted(after["_sources"]) == [f"https://x.com/{name}" for name in "abc"]
    assert after["file_size"] == len(best.content)
    assert await pipeline.objects.head(before["_s3_key"]) is None
    assert outcomes(event) == {"a": "uploaded", "b": "replaced", "c": "duplicate"}


async def test_two_clips_of_one_recording_are_joined(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline)
    pace = make_pace(pipeline.queues)
    await put_copies(pipeline.objects, goal, *(copy_of(LIVE, kind) for kind in ("start", "end", "best")))
    parts = [copy_of(LIVE, kind).found(goal, kind) for kind in ("start", "end")]
    async with running_worker(pipeline):
        event = await archived(pipeline, make_batch(goal, pace, 1, parts))
        assert len(event["_s3_videos"]) == 2
        ids = {clip["clip_id"] for clip in event["_s3_videos"]}
        event = await archived(pipeline, make_batch(goal, pace, 2, [copy_of(LIVE).found(goal, "whole")]))
    [clip] = event["_s3_videos"]
    assert (clip["md5"], clip["popularity"]) == (copy_of(LIVE).md5, 3)
    [lost] = ids - {clip["clip_id"]}
    assert await pipeline.database.clip_redirects.find_one({"_id": lost}) == {"_id": lost, "to": clip["clip_id"]}


async def test_unverified_clips_become_sources_of_a_later_verified_copy(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline)
    pace = make_pace(pipeline.queues)
    await put_copies(pipeline.objects, goal, *(copy_of(LIVE, kind) for kind in ("start", "end", "poor", "good")))
    parts = [copy_of(LIVE, kind).found(goal, kind) for kind in ("start", "end")]
    async with running_worker(pipeline):
        event = await archived(pipeline, make_batch(goal, pace, 1, parts))
        before = {clip["clip_id"] for clip in event["_s3_videos"]}
        assert len(before) == 2
        await archived(pipeline, make_batch(goal, pace, 2, [copy_of(LIVE, "poor").found(goal, "poor", verified=True)]))
        event = await archived(pipeline, make_batch(goal, pace, 3, [copy_of(LIVE, "good").found(goal, "good")]))
    [clip] = event["_s3_videos"]
    assert (clip["md5"], clip["timestamp_verified"], clip["popularity"]) == (copy_of(LIVE, "poor").md5, True, 4)
    [lost] = before - {clip["clip_id"]}
    assert await pipeline.database.clip_redirects.find_one({"_id": lost}) == {"_id": lost, "to": clip["clip_id"]}


async def two_goals(pipeline: PipelineServices) -> tuple[Goal, Goal, PipelinePace]:
    first = make_goal()
    later = replace(first, event_id=event_id(first.fixture_id, TEAM, PLAYER, "Goal", 2), elapsed=70)
    await store_goals(pipeline.database, first, later)
    await pipeline.database.fixtures_active.update_one(
        {"_id": first.fixture_id}, {"$set": {"events.1.time": {"elapsed": 70, "extra": None}}}
    )
    return first, later, make_pace(pipeline.queues)


async def test_a_clip_without_a_clock_that_is_known_to_show_another_goal_is_rejected(
    pipeline: PipelineServices,
) -> None:
    first, later, pace = await two_goals(pipeline)
    await put_copies(pipeline.objects, first, copy_of(LIVE))
    await put_copies(pipeline.objects, later, copy_of(LIVE, "good"), copy_of(REPLAY))
    async with running_worker(pipeline):
        await archived(pipeline, make_batch(first, pace, 1, [copy_of(LIVE).found(first, "a", verified=True)]))
        strays = [copy_of(LIVE, "good").found(later, "b"), copy_of(REPLAY).found(later, "c")]
        event = await archived(pipeline, make_batch(later, pace, 1, strays))
    assert [clip["md5"] for clip in event["_s3_videos"]] == [copy_of(REPLAY).md5]
    assert outcomes(event) == {"b": "wrong_minute", "c": "uploaded"}
    [reported] = [clip for clip in recorded_clips(event) if clip["outcome"] == "wrong_minute"]
    assert first.event_id in reported["reason"]


async def test_a_recording_that_is_verified_for_two_goals_is_flagged_on_both_and_kept_for_both(
    pipeline: PipelineServices,
) -> None:
    first, later, pace = await two_goals(pipeline)
    for goal, kind in ((first, "best"), (later, "good")):
        await put_copies(pipeline.objects, goal, copy_of(LIVE, kind))
    async with running_worker(pipeline):
        await archived(pipeline, make_batch(first, pace, 1, [copy_of(LIVE).found(first, "a", verified=True)]))
        await archived(pipeline, make_batch(later, pace, 1, [copy_of(LIVE, "good").found(later, "b", verified=True)]))
    [one] = (await event_of(pipeline.database, first))["_s3_videos"]
    [other] = (await event_of(pipeline.database, later))["_s3_videos"]
    assert other["_flags"] == [{"event_id": first.event_id, "clip_id": one["clip_id"]}]
    assert one["_flags"] == [{"event_id": later.event_id, "clip_id": other["clip_id"]}]


def recorded_clips(event: Document) -> list[Document]:
    return [clip for attempt in event["_telemetry"]["attempts"].values() for clip in attempt["clips"].values()]


class FailsOnce:
    """Comparing fails for good the first time, as if one pool had met a fault that trying again does not cure."""

    def __init__(self, pipeline: PipelineServices) -> None:
        self._archive = pipeline.archive
        self.failed = False

    @activity.defn(name="deduplicate_videos")
    async def deduplicate_videos(self, pool: ComparePool) -> PoolMatches:
        if not self.failed and not pool.queries[0].verified:
            self.failed = True
            raise Denied("object store", "rejects the access keys")
        return await self._archive.deduplicate_videos(pool)


async def test_a_pool_that_cannot_be_compared_repeats_the_whole_batch(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline, attempts=1)
    pace = make_pace(pipeline.queues, attempts_wanted=1)
    await put_copies(pipeline.objects, goal, copy_of(LIVE), copy_of(REPLAY))
    finds = [copy_of(LIVE).found(goal, "a", verified=True), copy_of(REPLAY).found(goal, "b")]
    failing = FailsOnce(pipeline)
    served = [one for one in pipeline.activities() if one.__name__ != "deduplicate_videos"] + activities_of(failing)
    async with running_worker(pipeline, served):
        event = await archived(pipeline, make_batch(goal, pace, 1, finds))
        ended = await archive_of(pipeline, goal).result()
        await record(archive_of(pipeline, goal), "upload-pool-failed")
    assert failing.failed
    assert (ended.batches, ended.failed_batches) == (1, 0)
    assert len(event["_s3_videos"]) == 2
    assert event["_download_complete"]
