"""One attempt: its videos are fetched, looked at and handed on; a bad one costs only itself."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from temporalio import activity
from temporalio.service import RPCError
from temporalio.testing import ActivityEnvironment

from found_footy.clips.activities import ClipActivities
from found_footy.clips.check.checker import ClipChecker, FileSource
from found_footy.clips.fetch import fetcher
from found_footy.clips.fingerprints import maker
from found_footy.clips.messages import (
    CheckClip,
    CheckResult,
    ClipFile,
    ClipFingerprint,
    DownloadResult,
    FetchCandidate,
    RegisterDownload,
)
from found_footy.clips.outcomes import retry_for_error
from found_footy.discovery.sources.x_service import parse_search_response
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import download_workflow_id, upload_workflow_id
from found_footy.domain.messages import DOWNLOAD_WORKFLOW, DownloadClips, Goal
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice, TimestampStatus
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import Denied, NotFound, Unavailable
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.platform.mongo import Document
from found_footy.platform.objects import ObjectStore
from tests.support.histories import record
from tests.support.media.small_videos import mp4
from tests.support.pipeline.breakable_connection import wired
from tests.support.pipeline.goals import a_goal, a_pace, event_of, store_goals, strike_out
from tests.support.pipeline.outside import Outside
from tests.support.pipeline.s3_gateway import gateway_to
from tests.support.pipeline.services import House, activities_of, at_work, furnished, until


def with_reader(house: House, reader: ClipChecker) -> House:
    own = house.clips
    clips = ClipActivities(own._store, own._fetcher, reader, house.temporal, own._fingerprint_maker)
    return replace(house, clips=clips)


async def download(house: House, goal: Goal, videos: list[dict[str, Any]], attempt: int = 1) -> DownloadResult:
    work = DownloadClips(goal, a_pace(house.queues), attempt, parse_search_response({"videos": videos}).videos)
    ended: DownloadResult = await house.temporal.execute_workflow(
        DOWNLOAD_WORKFLOW,
        work,
        id=download_workflow_id(goal.slug, goal.event_id, attempt),
        task_queue=house.queues.main,
        result_type=DownloadResult,
    )
    return ended


async def archived(house: House, goal: Goal) -> Document:
    await house.temporal.get_workflow_handle(upload_workflow_id(goal.event_id)).result()
    return await event_of(house.database, goal)


def outcomes(event: Document, goal: Goal, attempt: int = 1) -> dict[str, str]:
    told = event["_telemetry"]["attempts"][download_workflow_id(goal.slug, goal.event_id, attempt)]
    return {clip["url"].split("/")[3]: clip["outcome"] for clip in told["clips"].values()}


async def test_an_attempt_without_videos_is_registered_and_delivered(house: House) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    async with at_work(house):
        assert await download(house, goal, []) == DownloadResult(found=0, accepted=0)
        event = await archived(house, goal)
    assert event["_download_workflows"] == event["_delivered_workflows"]
    assert event["_download_workflows"] == [download_workflow_id(goal.slug, goal.event_id, 1)]


async def test_a_clip_whose_bytes_were_archived_meanwhile_goes_on_without_a_fingerprint(
    house: House, outside: Outside
) -> None:
    goal = a_goal()
    outside.files = {"/1.mp4": mp4(1)}
    [video] = parse_search_response({"videos": [outside.video(1)]}).videos
    clip = await house.clips._fetcher.fetch(FetchCandidate(goal, video))
    assert isinstance(clip, ClipFile)
    hashed = ActivityEnvironment()
    made = await hashed.run(house.clips.generate_video_hash, CheckClip(goal, clip))
    assert made.hash_version
    async for left in house.objects.list(f"scratch/{goal.event_id}/"):
        await house.objects.delete(left.key)
    records: list[dict[str, Any]] = [{"_s3_videos": [{"_md5s": [clip.md5]}]}, refused_before(clip.md5)]
    for known in records:
        await store_goals(house.database, goal, **known)
        assert await hashed.run(house.clips.generate_video_hash, CheckClip(goal, clip)) == ClipFingerprint()
        await house.database[FixtureCollection.ACTIVE].delete_many({})


def refused_before(md5: str) -> dict[str, Any]:
    notes = {"clip": {"md5": md5, "outcome": "blocked", "retry": "never"}}
    return {"_telemetry": {"attempts": {"download1": {"clips": notes}}}}


async def test_a_store_that_knows_nothing_for_a_while_is_not_taken_for_an_archived_clip(
    house: House, outside: Outside, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    """A wrong bucket, or a proxy that answers in the store's place."""
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    [video] = parse_search_response({"videos": [outside.video(1)]}).videos
    with gateway_to(platform.s3_endpoint) as gateway:
        store = ObjectStore(gateway.url, platform.s3_access_key, platform.s3_secret_key, house.objects.bucket)
        async with furnished(house.database, store, house.temporal, house.queues, outside, tmp_path / "x") as behind:
            clip = await behind.clips._fetcher.fetch(FetchCandidate(goal, video))
            assert isinstance(clip, ClipFile)
            gateway.empty, look = True, CheckClip(goal, clip)
            for number, error in ((1, Unavailable), (4, Unavailable), (5, NotFound)):
                with pytest.raises(error):
                    await at_try(number).run(behind.clips.generate_video_hash, look)
            gateway.empty = False
            assert (await at_try(2).run(behind.clips.generate_video_hash, look)).hash_version
        await store.aclose()
    assert retry_for_error(NotFound.__name__) is RetryAdvice.ALWAYS


def at_try(number: int) -> ActivityEnvironment:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number)
    return environment


async def test_a_video_that_fails_costs_only_itself(house: House, outside: Outside) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2)}
    outside.statuses = {"/2.mp4": [500] * 3}
    async with at_work(house):
        ended = await download(house, goal, [outside.video(1), outside.video(2)])
        await record(
            house.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1)), "download-failing"
        )
        event = await archived(house, goal)
    assert ended == DownloadResult(found=2, accepted=1)
    assert outcomes(event, goal) == {"fan1": "uploaded", "fan2": "download_failed"}
    assert outside.fetched.count("/2.mp4") == 3


async def test_children_that_are_killed_once_cost_no_clip(
    house: House, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, killed = a_goal(), UnusableMedia(MediaFault.CRASHED, "the decoder ended with -9")
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    for module, name in ((fetcher, "prepare_media"), (maker, "run_in_sandbox")):
        monkeypatch.setattr(module, name, first(killed, getattr(module, name)))
    async with at_work(house):
        assert (await download(house, goal, [outside.video(1)])).accepted == 1
        event = await archived(house, goal)
    assert outcomes(event, goal) == {"fan1": "uploaded"}


def first(answer: object, then: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """Something that gives this answer once, and does its work after that."""
    answers = [answer]

    async def answered(*args: object, **named: object) -> object:
        return answers.pop() if answers else await then(*args, **named)

    return answered


async def test_clips_that_pass_are_published_while_another_is_still_on_its_way(house: House, outside: Outside) -> None:
    goal, gate = a_goal(), threading.Event()
    await store_goals(house.database, goal)
    outside.files = {f"/{number}.mp4": mp4(number) for number in (1, 2, 3, 4)}
    outside.gates = {"/4.mp4": gate}
    async with at_work(house):
        running = asyncio.create_task(download(house, goal, [outside.video(number) for number in (1, 2, 3, 4)]))
        await until(lambda: are_published(house, goal, 3))
        meanwhile = await event_of(house.database, goal)
        gate.set()
        assert await running == DownloadResult(found=4, accepted=4)
        handle = house.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1))
        await record(handle, "download-handed-on")
        event = await archived(house, goal)
    assert not meanwhile.get("_delivered_workflows")
    assert event["_delivered_workflows"] == [download_workflow_id(goal.slug, goal.event_id, 1)]
    assert outcomes(event, goal) == {f"fan{number}": "uploaded" for number in (1, 2, 3, 4)}
    assert len(event["_s3_videos"]) == 4


async def are_published(house: House, goal: Goal, clips: int) -> bool:
    return len((await event_of(house.database, goal)).get("_s3_videos") or ()) == clips


async def test_clips_that_passed_are_delivered_by_a_last_batch_without_any(house: House, outside: Outside) -> None:
    goal, gate = a_goal(), threading.Event()
    await store_goals(house.database, goal)
    outside.files, outside.gates = {"/1.mp4": mp4(1), "/2.mp4": b"no video"}, {"/2.mp4": gate}
    async with at_work(house):
        running = asyncio.create_task(download(house, goal, [outside.video(1), outside.video(2)]))
        await until(lambda: are_published(house, goal, 1))
        assert not (await event_of(house.database, goal)).get("_delivered_workflows")
        gate.set()
        assert await running == DownloadResult(found=2, accepted=1)
        event = await archived(house, goal)
    assert event["_delivered_workflows"] == [download_workflow_id(goal.slug, goal.event_id, 1)]
    assert outcomes(event, goal) == {"fan1": "uploaded", "fan2": "download_failed"}


class Counting:
    """A reader that looks at the file and keeps count."""

    name = "counting"

    def __init__(self, **said: Any) -> None:
        self.looks: list[bytes] = []
        self._said = said

    async def check(self, wanted: CheckClip, file: FileSource) -> CheckResult:
        self.looks.append((await file()).read_bytes())
        return CheckResult(
            self.name, **{"timestamp_status": TimestampStatus.VERIFIED, "extracted_minute": 23, **self._said}
        )


async def test_same_bytes_are_looked_at_once_and_counted_as_often_as_found(house: House, outside: Outside) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(1), "/3.mp4": mp4(3)}
    reader = Counting()
    async with at_work(with_reader(house, reader)):
        await download(house, goal, [outside.video(number) for number in (1, 2, 3)])
        event = await archived(house, goal)
    assert sorted(reader.looks) == sorted([mp4(1), mp4(3)])
    assert [clip["popularity"] for clip in event["_s3_videos"]] == [2, 1]
    assert [(clip["timestamp_verified"], clip["extracted_minute"]) for clip in event["_s3_videos"]] == [(True, 23)] * 2


async def test_a_clip_that_is_not_the_goal_is_not_handed_on(house: House, outside: Outside) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    rejecting = Counting(rejected=ClipOutcome.WRONG_MINUTE, reason="67 is not 23", extracted_minute=67)
    async with at_work(with_reader(house, rejecting)):
        ended = await download(house, goal, [outside.video(1)])
        event = await archived(house, goal)
    assert ended.accepted == 0
    assert outcomes(event, goal) == {"fan1": "wrong_minute"}
    assert event["_s3_videos"] == []


class Absent:
    name = "absent"

    async def check(self, wanted: CheckClip, file: FileSource) -> CheckResult:
        raise Denied("vision", "nobody there")


async def test_a_clip_that_nobody_could_look_at_is_skipped_not_published(house: House, outside: Outside) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    async with at_work(with_reader(house, Absent())):
        await download(house, goal, [outside.video(1)])
        event = await archived(house, goal)
    assert outcomes(event, goal) == {"fan1": "vision_unavailable"}
    assert event["_s3_videos"] == []


async def test_what_nobody_could_look_at_is_looked_at_later_without_asking_its_host_again(
    house: House, outside: Outside
) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    async with at_work(with_reader(house, Absent())):
        await download(house, goal, [outside.video(1)])
        handle = house.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1))
        await record(handle, "download-not-looked-at")
        await archived(house, goal)
    async with at_work(with_reader(house, Counting())):
        await download(house, goal, [outside.video(1)], attempt=2)
        event = await archived(house, goal)
    assert (outcomes(event, goal), outcomes(event, goal, 2)) == (
        {"fan1": "vision_unavailable"},
        {"fan1": "uploaded"},
    )
    assert outside.fetched == ["/1.mp4"]
    assert [left.key async for left in house.objects.list(f"scratch/{goal.event_id}/")] == []


async def test_an_attempt_for_a_goal_that_is_gone_fetches_nothing_and_says_so_on_what_is_left_of_it(
    house: House, outside: Outside
) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    await strike_out(house.database, goal)
    async with at_work(house):
        ended = await download(house, goal, [outside.video(1)])
        assert ended == DownloadResult(found=1, accepted=0, event_removed=True)
        assert outside.fetched == []
        assert not await exists(house, upload_workflow_id(goal.event_id))
        assert await outcomes_of_grave(house, goal) == ["event_removed"]


async def outcomes_of_grave(house: House, goal: Goal) -> list[str]:
    """What is said of the clips of a goal that was struck out."""
    row = await house.database[FixtureCollection.ACTIVE].find_one({"_id": goal.fixture_id})
    assert row is not None
    [grave] = row["removed_events"]
    attempts = grave["_telemetry"]["attempts"].values()
    return [clip["outcome"] for attempt in attempts for clip in attempt["clips"].values()]


async def exists(house: House, workflow_id: str) -> bool:
    try:
        await house.temporal.get_workflow_handle(workflow_id).describe()
    except RPCError:
        return False
    return True


class StruckOutMeanwhile:
    """VAR, in the moment after the attempt has registered."""

    def __init__(self, house: House) -> None:
        self._house = house

    @activity.defn(name="register_download_workflow")
    async def register_download_workflow(self, register: RegisterDownload) -> bool:
        registered = await self._house.clips.register_download_workflow(register)
        await strike_out(self._house.database, register.goal)
        return registered


async def test_a_goal_struck_out_meanwhile_fetches_nothing_and_leaves_no_scratch(
    house: House, outside: Outside
) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    others = [a for a in house.activities() if a.__name__ != "register_download_workflow"]
    async with at_work(house, others + activities_of(StruckOutMeanwhile(house))):
        ended = await download(house, goal, [outside.video(1)])
        assert await outcomes_of_grave(house, goal) == ["event_removed"]
    assert ended.accepted == 0
    assert outside.fetched == []
    assert [found.key async for found in house.objects.list()] == []


async def test_an_outage_of_our_own_store_is_waited_out_and_not_blamed_on_the_clips(
    house: House, outside: Outside, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    async with wired(platform.s3_endpoint) as wire:
        address = f"http://127.0.0.1:{wire.port}"
        store = ObjectStore(address, platform.s3_access_key, platform.s3_secret_key, house.objects.bucket)
        async with furnished(house.database, store, house.temporal, house.queues, outside, tmp_path / "x") as behind:
            await wire.cut()
            async with at_work(replace(behind, archive=house.archive)):
                running = asyncio.create_task(download(house, goal, [outside.video(1)]))
                await until(lambda: has_tried(house, goal, 4))
                await wire.mend()
                assert (await running).accepted == 1
                event = await archived(house, goal)
        await store.aclose()
    assert outcomes(event, goal) == {"fan1": "uploaded"}


async def has_tried(house: House, goal: Goal, times: int) -> bool:
    """Whether the attempt to fetch is at least at its n-th try."""
    handle = house.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1))
    try:
        pending = (await handle.describe()).raw_description.pending_activities
    except RPCError:
        return False
    return any(one.activity_type.name == "download_single_video" and one.attempt >= times for one in pending)
