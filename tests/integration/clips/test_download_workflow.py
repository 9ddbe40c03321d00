"""One attempt: its videos are fetched, checked and delivered; a bad one affects only itself."""

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
from tests.support.pipeline.breakable_connection import open_breakable_connection
from tests.support.pipeline.goals import event_of, make_goal, make_pace, remove_goal, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.s3_gateway import gateway_to
from tests.support.pipeline.services import PipelineServices, open_pipeline, running_worker, until
from tests.support.steps import activities_of


def with_reader(pipeline: PipelineServices, reader: ClipChecker) -> PipelineServices:
    own = pipeline.clips
    parts = (own._store, own._fetcher, reader, pipeline.temporal, own._fingerprint_maker)
    return replace(pipeline, clips=ClipActivities(*parts))


async def download(pipeline: PipelineServices, goal: Goal, videos: list[Document], attempt: int = 1) -> DownloadResult:
    work = DownloadClips(goal, make_pace(pipeline.queues), attempt, parse_search_response({"videos": videos}).videos)
    ended: DownloadResult = await pipeline.temporal.execute_workflow(
        DOWNLOAD_WORKFLOW,
        work,
        id=download_workflow_id(goal.slug, goal.event_id, attempt),
        task_queue=pipeline.queues.main,
        result_type=DownloadResult,
    )
    return ended


async def archived(pipeline: PipelineServices, goal: Goal) -> Document:
    await pipeline.temporal.get_workflow_handle(upload_workflow_id(goal.event_id)).result()
    return await event_of(pipeline.database, goal)


def outcomes(event: Document, goal: Goal, attempt: int = 1) -> dict[str, str]:
    reported = event["_telemetry"]["attempts"][download_workflow_id(goal.slug, goal.event_id, attempt)]
    return {clip["url"].split("/")[3]: clip["outcome"] for clip in reported["clips"].values()}


async def test_an_attempt_without_videos_is_registered_and_delivered(pipeline: PipelineServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline):
        assert await download(pipeline, goal, []) == DownloadResult(found=0, accepted=0)
        event = await archived(pipeline, goal)
    assert event["_download_workflows"] == event["_delivered_workflows"]
    assert event["_download_workflows"] == [download_workflow_id(goal.slug, goal.event_id, 1)]


async def test_a_clip_whose_bytes_were_archived_meanwhile_continues_without_a_fingerprint(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    outside.files = {"/1.mp4": mp4(1)}
    [video] = parse_search_response({"videos": [outside.video(1)]}).videos
    clip = await pipeline.clips._fetcher.fetch(FetchCandidate(goal, video))
    assert isinstance(clip, ClipFile)
    hashed = ActivityEnvironment()
    assert (await hashed.run(pipeline.clips.generate_video_hash, CheckClip(goal, clip))).hash_version
    async for left in pipeline.objects.list(f"scratch/{goal.event_id}/"):
        await pipeline.objects.delete(left.key)
    records: list[dict[str, Any]] = [{"_s3_videos": [{"_md5s": [clip.md5]}]}, refused_before(clip.md5)]
    for known in records:
        await store_goals(pipeline.database, goal, **known)
        assert await hashed.run(pipeline.clips.generate_video_hash, CheckClip(goal, clip)) == ClipFingerprint()
        await pipeline.database[FixtureCollection.ACTIVE].delete_many({})


def refused_before(md5: str) -> dict[str, Any]:
    notes = {"clip": {"md5": md5, "outcome": "blocked", "retry": "never"}}
    return {"_telemetry": {"attempts": {"download1": {"clips": notes}}}}


async def test_a_store_that_knows_nothing_for_a_while_is_not_taken_for_an_archived_clip(
    pipeline: PipelineServices, outside: OutsideServices, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    """A wrong bucket, or a proxy that answers in the store's place."""
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    [video] = parse_search_response({"videos": [outside.video(1)]}).videos
    with gateway_to(platform.s3_endpoint) as gateway:
        store = ObjectStore(gateway.url, platform.s3_access_key, platform.s3_secret_key, pipeline.objects.bucket)
        async with open_pipeline(
            pipeline.database, store, pipeline.temporal, pipeline.queues, outside, tmp_path / "x"
        ) as behind:
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


async def test_a_failing_video_affects_only_itself(pipeline: PipelineServices, outside: OutsideServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2)}
    outside.statuses = {"/2.mp4": [500] * 3}
    async with running_worker(pipeline):
        ended = await download(pipeline, goal, [outside.video(1), outside.video(2)])
        await record(
            pipeline.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1)), "download-failing"
        )
        event = await archived(pipeline, goal)
    assert ended == DownloadResult(found=2, accepted=1)
    assert outcomes(event, goal) == {"fan1": "uploaded", "fan2": "download_failed"}
    assert outside.fetched.count("/2.mp4") == 3


async def test_killing_the_child_processes_once_loses_no_clip(
    pipeline: PipelineServices, outside: OutsideServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, killed = make_goal(), UnusableMedia(MediaFault.CRASHED, "the decoder ended with -9")
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    for module, name in ((fetcher, "prepare_media"), (maker, "run_in_sandbox")):
        monkeypatch.setattr(module, name, first(killed, getattr(module, name)))
    async with running_worker(pipeline):
        assert (await download(pipeline, goal, [outside.video(1)])).accepted == 1
        event = await archived(pipeline, goal)
    assert outcomes(event, goal) == {"fan1": "uploaded"}


def first(answer: object, then: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """Something that gives this answer once, and does its work after that."""
    answers = [answer]

    async def answered(*args: object, **named: object) -> object:
        return answers.pop() if answers else await then(*args, **named)

    return answered


async def test_accepted_clips_are_published_while_another_is_still_fetched(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal, gate = make_goal(), threading.Event()
    await store_goals(pipeline.database, goal)
    outside.files = {f"/{number}.mp4": mp4(number) for number in (1, 2, 3, 4)}
    outside.gates = {"/4.mp4": gate}
    async with running_worker(pipeline):
        running = asyncio.create_task(download(pipeline, goal, [outside.video(number) for number in (1, 2, 3, 4)]))
        await until(lambda: are_published(pipeline, goal, 3))
        meanwhile = await event_of(pipeline.database, goal)
        gate.set()
        assert await running == DownloadResult(found=4, accepted=4)
        handle = pipeline.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1))
        await record(handle, "download-delivered-early")
        event = await archived(pipeline, goal)
    assert not meanwhile.get("_delivered_workflows")
    assert event["_delivered_workflows"] == [download_workflow_id(goal.slug, goal.event_id, 1)]
    assert outcomes(event, goal) == {f"fan{number}": "uploaded" for number in (1, 2, 3, 4)}
    assert len(event["_s3_videos"]) == 4


async def are_published(pipeline: PipelineServices, goal: Goal, clips: int) -> bool:
    return len((await event_of(pipeline.database, goal)).get("_s3_videos") or ()) == clips


async def test_accepted_clips_are_delivered_by_a_last_batch_without_clips(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal, gate = make_goal(), threading.Event()
    await store_goals(pipeline.database, goal)
    outside.files, outside.gates = {"/1.mp4": mp4(1), "/2.mp4": b"no video"}, {"/2.mp4": gate}
    async with running_worker(pipeline):
        running = asyncio.create_task(download(pipeline, goal, [outside.video(1), outside.video(2)]))
        await until(lambda: are_published(pipeline, goal, 1))
        assert not (await event_of(pipeline.database, goal)).get("_delivered_workflows")
        gate.set()
        assert await running == DownloadResult(found=2, accepted=1)
        event = await archived(pipeline, goal)
    assert event["_delivered_workflows"] == [download_workflow_id(goal.slug, goal.event_id, 1)]
    assert outcomes(event, goal) == {"fan1": "uploaded", "fan2": "download_failed"}


class Counting:
    """A reader that clips at the file and keeps count."""

    name = "counting"

    def __init__(self, **said: Any) -> None:
        self.clips: list[bytes] = []
        self._said = said

    async def check(self, wanted: CheckClip, file: FileSource) -> CheckResult:
        self.clips.append((await file()).read_bytes())
        return CheckResult(
            self.name, **{"timestamp_status": TimestampStatus.VERIFIED, "extracted_minute": 23, **self._said}
        )


async def test_identical_bytes_are_checked_once_and_counted_as_often_as_found(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(1), "/3.mp4": mp4(3)}
    reader = Counting()
    async with running_worker(with_reader(pipeline, reader)):
        await download(pipeline, goal, [outside.video(number) for number in (1, 2, 3)])
        event = await archived(pipeline, goal)
    assert sorted(reader.clips) == sorted([mp4(1), mp4(3)])
    assert [clip["popularity"] for clip in event["_s3_videos"]] == [2, 1]
    assert [(clip["timestamp_verified"], clip["extracted_minute"]) for clip in event["_s3_videos"]] == [(True, 23)] * 2


async def test_a_clip_that_does_not_show_the_goal_is_not_delivered(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    rejecting = Counting(rejected=ClipOutcome.WRONG_MINUTE, reason="67 is not 23", extracted_minute=67)
    async with running_worker(with_reader(pipeline, rejecting)):
        ended = await download(pipeline, goal, [outside.video(1)])
        event = await archived(pipeline, goal)
    assert ended.accepted == 0
    assert outcomes(event, goal) == {"fan1": "wrong_minute"}
    assert event["_s3_videos"] == []


class AbsentReader:
    name = "absent"

    async def check(self, wanted: CheckClip, file: FileSource) -> CheckResult:
        raise Denied("vision", "nobody there")


async def test_a_clip_that_could_not_be_checked_is_skipped_not_published(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    async with running_worker(with_reader(pipeline, AbsentReader())):
        await download(pipeline, goal, [outside.video(1)])
        event = await archived(pipeline, goal)
    assert outcomes(event, goal) == {"fan1": "vision_unavailable"}
    assert event["_s3_videos"] == []


async def test_a_clip_that_could_not_be_checked_is_checked_later_without_fetching_it_again(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    async with running_worker(with_reader(pipeline, AbsentReader())):
        await download(pipeline, goal, [outside.video(1)])
        handle = pipeline.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1))
        await record(handle, "download-not-checked")
        await archived(pipeline, goal)
    async with running_worker(with_reader(pipeline, Counting())):
        await download(pipeline, goal, [outside.video(1)], attempt=2)
        event = await archived(pipeline, goal)
    assert (outcomes(event, goal), outcomes(event, goal, 2)) == (
        {"fan1": "vision_unavailable"},
        {"fan1": "uploaded"},
    )
    assert outside.fetched == ["/1.mp4"]
    assert [left.key async for left in pipeline.objects.list(f"scratch/{goal.event_id}/")] == []


async def test_an_attempt_for_a_removed_goal_fetches_nothing_and_is_noted_on_its_tombstone(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    await remove_goal(pipeline.database, goal)
    async with running_worker(pipeline):
        ended = await download(pipeline, goal, [outside.video(1)])
        assert ended == DownloadResult(found=1, accepted=0, event_removed=True)
        assert outside.fetched == []
        assert not await exists(pipeline, upload_workflow_id(goal.event_id))
        assert await outcomes_of_grave(pipeline, goal) == ["event_removed"]


async def outcomes_of_grave(pipeline: PipelineServices, goal: Goal) -> list[str]:
    """The outcomes of the clips of a removed goal."""
    row = await pipeline.database[FixtureCollection.ACTIVE].find_one({"_id": goal.fixture_id})
    assert row is not None
    [tombstone] = row["removed_events"]
    attempts = tombstone["_telemetry"]["attempts"].values()
    return [clip["outcome"] for attempt in attempts for clip in attempt["clips"].values()]


async def exists(pipeline: PipelineServices, workflow_id: str) -> bool:
    try:
        await pipeline.temporal.get_workflow_handle(workflow_id).describe()
    except RPCError:
        return False
    return True


class RemovedMeanwhile:
    """VAR, in the moment before the attempt registers."""

    def __init__(self, pipeline: PipelineServices) -> None:
        self._house = pipeline

    @activity.defn(name="register_download_workflow")
    async def register_download_workflow(self, register: RegisterDownload) -> bool:
        await remove_goal(self._house.database, register.goal)
        return await self._house.clips.register_download_workflow(register)


async def test_a_goal_that_is_removed_meanwhile_fetches_nothing_and_leaves_no_scratch(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    others = [a for a in pipeline.activities() if a.__name__ != "register_download_workflow"]
    async with running_worker(pipeline, others + activities_of(RemovedMeanwhile(pipeline))):
        ended = await download(pipeline, goal, [outside.video(1)])
        assert await outcomes_of_grave(pipeline, goal) == ["event_removed"]
    assert ended.accepted == 0
    assert outside.fetched == []
    assert [found.key async for found in pipeline.objects.list()] == []


async def test_an_outage_of_our_own_store_is_waited_for_and_not_blamed_on_the_clips(
    pipeline: PipelineServices, outside: OutsideServices, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    async with open_breakable_connection(platform.s3_endpoint) as connection:
        address = f"http://127.0.0.1:{connection.port}"
        store = ObjectStore(address, platform.s3_access_key, platform.s3_secret_key, pipeline.objects.bucket)
        async with open_pipeline(
            pipeline.database, store, pipeline.temporal, pipeline.queues, outside, tmp_path / "x"
        ) as behind:
            await connection.cut()
            async with running_worker(replace(behind, archive=pipeline.archive)):
                running = asyncio.create_task(download(pipeline, goal, [outside.video(1)]))
                await until(lambda: has_tried(pipeline, goal, 4))
                await connection.restore()
                assert (await running).accepted == 1
                event = await archived(pipeline, goal)
        await store.aclose()
    assert outcomes(event, goal) == {"fan1": "uploaded"}


async def has_tried(pipeline: PipelineServices, goal: Goal, times: int) -> bool:
    """Whether the attempt to fetch is at least at its n-th try."""
    handle = pipeline.temporal.get_workflow_handle(download_workflow_id(goal.slug, goal.event_id, 1))
    try:
        pending = (await handle.describe()).raw_description.pending_activities
    except RPCError:
        return False
    return any(one.activity_type.name == "download_single_video" and one.attempt >= times for one in pending)
