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
from tests.support.pipeline.batches import a_batch
from tests.support.pipeline.deliveries import a_registered_goal, archive_of, archived, deliver, outcomes
from tests.support.pipeline.goals import PLAYER, TEAM, a_goal, a_pace, event_of, store_goals
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import House, activities_of, at_work

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


async def test_fifty_downloads_delivered_three_times_over_make_one_object_per_recording(house: House) -> None:
    goal = await a_registered_goal(house, attempts=10)
    pace = a_pace(house.queues, attempts_wanted=10)
    finds = fifty_finds(goal)
    assert len({find.source_url for find in finds}) == 50
    for recording, kinds in {LIVE: "poor start best small good", REPLAY: "poor best good", CROWD: "best start"}.items():
        await put_copies(house.objects, goal, *(copy_of(recording, kind) for kind in kinds.split()))
    batches = [a_batch(goal, pace, number + 1, finds[number::10]) for number in range(10)]
    async with at_work(house):
        await asyncio.gather(*(deliver(house, batch) for _ in range(3) for batch in batches))
        await archive_of(house, goal).result()
    event = await event_of(house.database, goal)
    assert event["_download_complete"]
    assert [(clip["rank"], clip["popularity"], clip["md5"]) for clip in event["_s3_videos"]] == [
        (1, 25, copy_of(LIVE, "best").md5),
        # Its longer copies show no clock, and a proven one never loses to those.
        (2, 10, copy_of(CROWD, "start").md5),
        (3, 15, copy_of(REPLAY, "best").md5),
    ]
    stored = [found.key async for found in house.objects.list() if found.key.endswith(".mp4")]
    stored = [key for key in stored if not key.startswith(TRASH_PREFIX)]
    assert len([key for key in stored if not key.endswith(".preview.mp4")]) == 3
    assert len([key for key in stored if key.endswith(".preview.mp4")]) == 3


async def test_a_better_copy_takes_the_place_of_a_worse_one_and_the_address_stays(house: House) -> None:
    goal = await a_registered_goal(house)
    pace = a_pace(house.queues)
    poor, best = copy_of(LIVE, "poor"), copy_of(LIVE, "best")
    await put_copies(house.objects, goal, poor, best)
    async with at_work(house):
        event = await archived(house, a_batch(goal, pace, 1, [poor.found(goal, "a")]))
        [before] = event["_s3_videos"]
        event = await archived(house, a_batch(goal, pace, 2, [best.found(goal, "b"), poor.found(goal, "c")]))
        [after] = event["_s3_videos"]
        await record(archive_of(house, goal), "upload-replaced")
    assert (before["md5"], after["md5"]) == (poor.md5, best.md5)
    assert (before["clip_id"], before["added_at"]) == (after["clip_id"], after["added_at"])
    assert sorted(after["_sources"]) == [f"https://x.com/{name}" for name in "abc"]
    assert after["file_size"] == len(best.content)
    assert await house.objects.head(before["_s3_key"]) is None
    assert outcomes(event) == {"a": "uploaded", "b": "replaced", "c": "duplicate"}


async def test_two_clips_that_turn_out_to_be_one_become_one(house: House) -> None:
    goal = await a_registered_goal(house)
    pace = a_pace(house.queues)
    await put_copies(house.objects, goal, *(copy_of(LIVE, kind) for kind in ("start", "end", "best")))
    parts = [copy_of(LIVE, kind).found(goal, kind) for kind in ("start", "end")]
    async with at_work(house):
        event = await archived(house, a_batch(goal, pace, 1, parts))
        assert len(event["_s3_videos"]) == 2
        ids = {clip["clip_id"] for clip in event["_s3_videos"]}
        event = await archived(house, a_batch(goal, pace, 2, [copy_of(LIVE).found(goal, "whole")]))
    [clip] = event["_s3_videos"]
    assert (clip["md5"], clip["popularity"]) == (copy_of(LIVE).md5, 3)
    [lost] = ids - {clip["clip_id"]}
    assert await house.database.clip_redirects.find_one({"_id": lost}) == {"_id": lost, "to": clip["clip_id"]}


async def test_unverified_clips_become_finds_of_the_verified_one_that_comes_later(house: House) -> None:
    goal = await a_registered_goal(house)
    pace = a_pace(house.queues)
    await put_copies(house.objects, goal, *(copy_of(LIVE, kind) for kind in ("start", "end", "poor", "good")))
    parts = [copy_of(LIVE, kind).found(goal, kind) for kind in ("start", "end")]
    async with at_work(house):
        event = await archived(house, a_batch(goal, pace, 1, parts))
        before = {clip["clip_id"] for clip in event["_s3_videos"]}
        assert len(before) == 2
        await archived(house, a_batch(goal, pace, 2, [copy_of(LIVE, "poor").found(goal, "poor", verified=True)]))
        event = await archived(house, a_batch(goal, pace, 3, [copy_of(LIVE, "good").found(goal, "good")]))
    [clip] = event["_s3_videos"]
    assert (clip["md5"], clip["timestamp_verified"], clip["popularity"]) == (copy_of(LIVE, "poor").md5, True, 4)
    [lost] = before - {clip["clip_id"]}
    assert await house.database.clip_redirects.find_one({"_id": lost}) == {"_id": lost, "to": clip["clip_id"]}


async def two_goals(house: House) -> tuple[Goal, Goal, PipelinePace]:
    first = a_goal()
    later = replace(first, event_id=event_id(first.fixture_id, TEAM, PLAYER, "Goal", 2), elapsed=70)
    await store_goals(house.database, first, later)
    await house.database.fixtures_active.update_one(
        {"_id": first.fixture_id}, {"$set": {"events.1.time": {"elapsed": 70, "extra": None}}}
    )
    return first, later, a_pace(house.queues)


async def test_a_clip_without_a_clock_that_was_proven_to_show_another_goal_is_turned_away(house: House) -> None:
    first, later, pace = await two_goals(house)
    await put_copies(house.objects, first, copy_of(LIVE))
    await put_copies(house.objects, later, copy_of(LIVE, "good"), copy_of(REPLAY))
    async with at_work(house):
        await archived(house, a_batch(first, pace, 1, [copy_of(LIVE).found(first, "a", verified=True)]))
        strays = [copy_of(LIVE, "good").found(later, "b"), copy_of(REPLAY).found(later, "c")]
        event = await archived(house, a_batch(later, pace, 1, strays))
    assert [clip["md5"] for clip in event["_s3_videos"]] == [copy_of(REPLAY).md5]
    assert outcomes(event) == {"b": "wrong_minute", "c": "uploaded"}
    [told] = [clip for clip in clips_told(event) if clip["outcome"] == "wrong_minute"]
    assert first.event_id in told["reason"]


async def test_a_recording_that_was_proven_for_two_goals_is_flagged_on_both_and_kept_for_both(house: House) -> None:
    first, later, pace = await two_goals(house)
    for goal, kind in ((first, "best"), (later, "good")):
        await put_copies(house.objects, goal, copy_of(LIVE, kind))
    async with at_work(house):
        await archived(house, a_batch(first, pace, 1, [copy_of(LIVE).found(first, "a", verified=True)]))
        await archived(house, a_batch(later, pace, 1, [copy_of(LIVE, "good").found(later, "b", verified=True)]))
    [one] = (await event_of(house.database, first))["_s3_videos"]
    [other] = (await event_of(house.database, later))["_s3_videos"]
    assert other["_flags"] == [{"event_id": first.event_id, "clip_id": one["clip_id"]}]
    assert one["_flags"] == [{"event_id": later.event_id, "clip_id": other["clip_id"]}]


def clips_told(event: Document) -> list[Document]:
    return [clip for attempt in event["_telemetry"]["attempts"].values() for clip in attempt["clips"].values()]


class FailsOnce:
    """Comparing fails for good the first time, as if one pool had met a fault that trying again does not cure."""

    def __init__(self, house: House) -> None:
        self._archive = house.archive
        self.failed = False

    @activity.defn(name="deduplicate_videos")
    async def deduplicate_videos(self, pool: ComparePool) -> PoolMatches:
        if not self.failed and not pool.queries[0].verified:
            self.failed = True
            raise Denied("object store", "rejects the access keys")
        return await self._archive.deduplicate_videos(pool)


async def test_a_pool_that_cannot_be_compared_sends_the_whole_batch_round_again(house: House) -> None:
    goal = await a_registered_goal(house, attempts=1)
    pace = a_pace(house.queues, attempts_wanted=1)
    await put_copies(house.objects, goal, copy_of(LIVE), copy_of(REPLAY))
    finds = [copy_of(LIVE).found(goal, "a", verified=True), copy_of(REPLAY).found(goal, "b")]
    failing = FailsOnce(house)
    served = [one for one in house.activities() if one.__name__ != "deduplicate_videos"] + activities_of(failing)
    async with at_work(house, served):
        event = await archived(house, a_batch(goal, pace, 1, finds))
        ended = await archive_of(house, goal).result()
        await record(archive_of(house, goal), "upload-pool-failed")
    assert failing.failed
    assert (ended.batches, ended.failed_batches) == (1, 0)
    assert len(event["_s3_videos"]) == 2
    assert event["_download_complete"]
