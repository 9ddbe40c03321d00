"""Nothing is published that nobody could look at, and what was looked at keeps its evidence."""

import io
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from PIL import Image

from found_footy.clips import steps
from found_footy.clips.activities import ClipActivities
from found_footy.clips.check.checker import VisionClipChecker
from found_footy.clips.check.evidence import EvidenceStore
from found_footy.clips.check.lease import VisionLease
from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.messages import DownloadResult
from found_footy.clips.steps import ClipSteps
from found_footy.discovery.sources.x_service import parse_search_response
from found_footy.domain.ids import download_workflow_id, evidence_key
from found_footy.domain.messages import DOWNLOAD_WORKFLOW, DownloadClips, Goal
from found_footy.platform.mongo import Document
from found_footy.vision.reader_factory import build_llm_reader
from found_footy.vision.settings import VisionSettings
from found_footy_sim.vision.answers import SimulatedAnswer, VisionMode
from found_footy_sim.vision.loopback_server import serve_vision
from found_footy_sim.vision.server import VisionServer
from tests.support.histories import record
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker, until
from tests.support.steps import change_options

RIGHT = SimulatedAnswer(CLOCK="23:14", ADDED="+2")


def running(minute: int, pictures: Sequence[bytes]) -> list[SimulatedAnswer]:
    """A clock that has moved on by the two seconds between the pictures."""
    return [replace(RIGHT, CLOCK=f"{minute}:{14 + 2 * number}") for number, _ in enumerate(pictures)]


def the_goal(pictures: Sequence[bytes]) -> list[SimulatedAnswer]:
    return running(23, pictures)


@pytest.fixture
def vision() -> VisionServer:
    return VisionServer(the_goal)


@pytest.fixture
def url(vision: VisionServer) -> Iterator[str]:
    with serve_vision(vision) as address:
        yield address


@dataclass
class CheckedGoal:
    """A goal whose clips a vision server checks."""

    pipeline: PipelineServices
    outside: OutsideServices
    goal: Goal

    async def attempt(self, number: int, *videos: int) -> dict[str, Document]:
        """What is known of each video after this attempt."""
        name = download_workflow_id(self.goal.slug, self.goal.event_id, number)
        found = parse_search_response({"videos": [self.outside.video(video) for video in videos]}).videos
        work = DownloadClips(self.goal, make_pace(self.pipeline.queues), number, found)
        await self.pipeline.temporal.execute_workflow(
            DOWNLOAD_WORKFLOW, work, id=name, task_queue=self.pipeline.queues.main, result_type=DownloadResult
        )
        await until(lambda: self._is_delivered(name))
        clips = (await self.event())["_telemetry"]["attempts"][name]["clips"].values()
        return {clip["url"].split("/")[3]: clip for clip in clips}

    async def event(self) -> Document:
        return await event_of(self.pipeline.database, self.goal)

    async def _is_delivered(self, name: str) -> bool:
        return name in (await self.event())["_delivered_workflows"]


@pytest.fixture
async def checked(
    pipeline: PipelineServices, outside: OutsideServices, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[CheckedGoal]:
    quick = timedelta(milliseconds=20)
    change_options(monkeypatch, ClipSteps.validate_video_is_soccer, maximum_attempts=2, initial_interval=quick)
    settings = VisionSettings(reader="llm", llm_url=url, llm_timeout=timedelta(seconds=5), llm_failures=50)
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    async with AsyncExitStack() as stack:
        model = build_llm_reader(settings, VisionLease(pipeline.database, 2).acquire)
        stack.push_async_callback(model.aclose)
        cache = ClipCache(tmp_path / "checked", 10_000_000)
        reader = VisionClipChecker(model, EvidenceStore(pipeline.objects), cache.workspace, settings.proof_rules)
        own = pipeline.clips
        clips = ClipActivities(own._store, own._fetcher, reader, pipeline.temporal, own._fingerprint_maker)
        await stack.enter_async_context(running_worker(replace(pipeline, clips=clips)))
        yield CheckedGoal(pipeline, outside, goal)


async def test_clips_that_could_not_be_checked_wait_until_they_can(checked: CheckedGoal, vision: VisionServer) -> None:
    checked.outside.files = {"/1.mp4": mp4(1)}
    outages = [(VisionMode.LOADING, "503"), (VisionMode.SLOW, "longer than 5 s"), (VisionMode.NOT_JSON, "0 answers")]
    for number, (mode, why) in enumerate(outages, start=1):
        vision.mode = mode
        reported = (await checked.attempt(number, 1))["fan1"]
        assert reported["outcome"] == "vision_unavailable"
        assert why in reported["reason"]
        assert (await checked.event())["_s3_videos"] == []
    vision.mode = VisionMode.PLAIN
    reported = (await checked.attempt(len(outages) + 1, 1))["fan1"]
    assert reported["outcome"] == "uploaded"
    [clip] = (await checked.event())["_s3_videos"]
    assert (clip["timestamp_verified"], clip["extracted_minute"]) == (True, 23)


async def test_frames_that_contradict_each_other_are_decided_by_the_third_or_not_at_all(
    checked: CheckedGoal, vision: VisionServer
) -> None:
    checked.outside.files = {"/1.mp4": mp4(1)}
    vision.answer = lambda pictures: (
        [RIGHT, replace(RIGHT, SOCCER=False)] if len(pictures) > 1 else [SimulatedAnswer(SOCCER=False)]
    )
    reported = (await checked.attempt(1, 1))["fan1"]
    assert reported["outcome"] == "not_soccer"
    assert "2 of 3 frames" in reported["reason"]
    assert [frame["soccer"] for frame in reported["evidence"]["frames"]] == [True, False, False]
    checked.outside.files = {"/1.mp4": mp4(2)}
    vision.answer = lambda pictures: (
        [RIGHT, replace(RIGHT, SCREEN=True)] if len(pictures) > 1 else [SimulatedAnswer(SCREEN=None)]
    )
    reported = (await checked.attempt(2, 1))["fan1"]
    assert reported["outcome"] == "vision_unavailable"
    assert (await checked.event())["_s3_videos"] == []


async def test_evidence_is_kept_of_what_passed_and_of_what_did_not(checked: CheckedGoal, vision: VisionServer) -> None:
    """One batch: a clip of the goal, one of another minute, and a file whose pictures are gone."""
    checked.outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2), "/3.mp4": mp4(3)[:9_000]}
    minutes, seen_one = iter([23, 67]), threading.Event()
    checked.outside.gates = {"/2.mp4": seen_one}

    def by_turns(pictures: Sequence[bytes]) -> list[SimulatedAnswer]:
        minute = next(minutes)
        seen_one.set()
        return running(minute, pictures)

    vision.answer = by_turns
    reported = await checked.attempt(1, 1, 2, 3)
    name = download_workflow_id(checked.goal.slug, checked.goal.event_id, 1)
    await record(checked.pipeline.temporal.get_workflow_handle(name), "download-checked")
    assert {fan: clip["outcome"] for fan, clip in reported.items()} == {
        "fan1": "uploaded",
        "fan2": "wrong_minute",
        "fan3": "download_failed",
    }
    assert "minute 67 is not within 3 of 23" in reported["fan2"]["reason"]
    for fan, minute in (("fan1", 23), ("fan2", 67)):
        evidence = reported[fan]["evidence"]
        assert (evidence["reader"], evidence["expected"]) == ("llm qwen3-vl", "23")
        assert [frame["clock"] for frame in evidence["frames"]] == [f"{minute}:14", f"{minute}:16"]
        keys = [frame["picture"] for frame in evidence["frames"]]
        goal, md5 = checked.goal, reported[fan]["md5"]
        assert keys == [evidence_key(goal.fixture_id, goal.event_id, md5, number) for number in (1, 2)]
        for key in keys:
            with Image.open(io.BytesIO(await checked.pipeline.objects.get_bytes(key, limit=100_000))) as picture:
                assert (picture.format, picture.size) == ("JPEG", (320, 180))


async def test_an_unreachable_reader_is_waited_for_once_per_download(
    checked: CheckedGoal, vision: VisionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = change_options(monkeypatch, ClipSteps.validate_video_is_soccer, maximum_attempts=4)
    monkeypatch.setattr(steps, "BRIEF_CHECK_OPTIONS", replace(patient, maximum_attempts=1))
    checked.outside.files = {f"/{number}.mp4": mp4(number) for number in (1, 2, 3)}
    vision.mode = VisionMode.LOADING
    reported = await checked.attempt(1, 1, 2, 3)
    assert {clip["outcome"] for clip in reported.values()} == {"vision_unavailable"}
    assert {clip["retry"] for clip in reported.values()} == {"always"}
    assert vision.tally.questions == 4 + 1 + 1
