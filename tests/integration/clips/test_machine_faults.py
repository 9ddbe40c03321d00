"""Faults of our own machine delay a clip and say nothing about it, at whichever step they strike."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.testing import ActivityEnvironment

from found_footy.clips.check.checker import VisionClipChecker
from found_footy.clips.check.evidence import EvidenceStore
from found_footy.clips.decoding import DecoderGaveUp
from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits
from found_footy.clips.messages import CheckClip, ClipFile, FetchCandidate
from found_footy.clips.outcomes import retry_for_error
from found_footy.clips.settings import ClipSettings
from found_footy.discovery.sources.x_service import parse_search_response
from found_footy.domain.messages import TaskQueues
from found_footy.domain.outcomes import RetryAdvice
from found_footy.platform.errors import DiskFailed, FoundFootyError, Unavailable
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.media.frames import extract_frames
from found_footy.platform.media.probe import MediaFault, PreparedMedia, UnusableMedia, prepare_media
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.vision.expectation import ProofRules
from tests.support.clips.machine_faults import SmallDisk, decoders_killed, small_disk
from tests.support.media.small_videos import mp4
from tests.support.patience import PATIENCE
from tests.support.pipeline.goals import make_goal
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, open_pipeline

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="disks and processes are those of Linux")

GOAL = make_goal()
# Its index is at the end, so a copy is written.
PHONE = mp4(1, seconds=20.0, width=640, height=360, faststart=False)
STEPS = ("download_single_video", "validate_video_is_soccer", "generate_video_hash")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as mounted:
        yield mounted


@pytest.fixture
async def pipeline(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    queues: TaskQueues,
    outside: OutsideServices,
    tmp_path: Path,
) -> AsyncIterator[PipelineServices]:
    """Its clips lie on the small disk, if there is one; it looks at clips with a reader that takes their frames."""
    folder = tmp_path / "disk"
    outside.files = {"/1.mp4": PHONE}
    cache = ClipCache(folder / "looking", 10_000_000)
    reader = VisionClipChecker(Satisfied(), EvidenceStore(objects), cache.workspace, ProofRules())
    async with open_pipeline(database, objects, temporal, queues, outside, folder, reader) as opened:
        yield opened


class Satisfied:
    """A reader that nothing but the decoder can disappoint."""

    name = "satisfied"

    async def read(self, clip: Any, expected: Any, *, broadcast: str = "") -> Any:
        raise AssertionError("no frames were expected")

    async def aclose(self) -> None:
        """It holds nothing."""


def at_try(number: int) -> ActivityEnvironment:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number)
    return environment


def wanted(outside: OutsideServices) -> FetchCandidate:
    [video] = parse_search_response({"videos": [outside.video(1)]}).videos
    return FetchCandidate(GOAL, video)


async def make_clip(objects: ObjectStore, outside: OutsideServices, folder: Path) -> ClipFile:
    """One that another machine has fetched."""
    http = SafeHttpClient(system="video host", allowed_hosts=[outside.host], trusted_private=[outside.host])
    limits = FetchLimits(5_000_000, PATIENCE)
    fetcher = ClipFetcher(http, objects, ClipCache(folder, 10_000_000), ClipSettings().rules, limits)
    clip = await fetcher.fetch(wanted(outside))
    await http.aclose()
    assert isinstance(clip, ClipFile)
    return clip


async def test_a_disk_that_fills_up_at_any_step_of_a_fetch_is_not_the_clips_fault(
    pipeline: PipelineServices, outside: OutsideServices, disk: SmallDisk
) -> None:
    step, refused = pipeline.clips.download_single_video, []
    for share in (0, 0.5, 1.05, 1.2, 1.6, 1.9):
        with disk.nearly_full(round(share * len(PHONE))), pytest.raises(DiskFailed) as raised:
            await at_try(9).run(step, wanted(outside))
        refused.append(str(raised.value))
    assert all("No space left" in text for text in refused)
    assert retry_for_error(DiskFailed.__name__) is RetryAdvice.ALWAYS
    assert (await at_try(10).run(step, wanted(outside))).clip


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.9, 0.99])
async def test_a_copy_is_whole_or_the_disk_is_named(disk: SmallDisk, share: float) -> None:
    source = disk.folder / "source.mp4"
    source.write_bytes(PHONE)
    with disk.nearly_full(round(share * len(PHONE))):
        got = await prepared(source)
    assert isinstance(got, UnusableMedia)
    assert got.fault is MediaFault.MACHINE
    assert "No space left" in got.detail
    assert isinstance(await prepared(source), PreparedMedia)


async def prepared(source: Path) -> PreparedMedia | UnusableMedia:
    thumbnail, playable, preview = (source.with_name(name) for name in ("t.jpg", "p.mp4", "v.mp4"))
    return await prepare_media(source, thumbnail=thumbnail, playable=playable, preview=preview)


@pytest.mark.parametrize("room", [4_096, 8_192, 12_288, 16_384, 24_576])
async def test_a_disk_without_space_for_a_preview_does_not_lose_the_preview(disk: SmallDisk, room: int) -> None:
    source = disk.folder / "source.mp4"
    source.write_bytes(mp4(1, seconds=20.0, width=640, height=360))
    with disk.nearly_full(room):
        got = await prepared(source)
    assert isinstance(got, UnusableMedia) or got.has_preview
    got = await prepared(source)
    assert isinstance(got, PreparedMedia)
    assert got.has_preview


async def test_a_disk_that_takes_no_further_file_is_not_the_clips_fault(
    pipeline: PipelineServices, objects: ObjectStore, outside: OutsideServices, disk: SmallDisk, tmp_path: Path
) -> None:
    look = CheckClip(GOAL, await make_clip(objects, outside, tmp_path / "other"))
    await pipeline.clips._fetcher.delete_source_pointer(GOAL, look.clip.source_url)
    for name in STEPS:
        message = wanted(outside) if name == STEPS[0] else look
        with disk.without_names(), pytest.raises(DiskFailed, match="No space left"):
            await at_try(9).run(getattr(pipeline.clips, name), message)


async def test_a_disk_without_space_for_frames_is_not_the_files_fault(disk: SmallDisk, tmp_path: Path) -> None:
    source = tmp_path / "source.mp4"
    source.write_bytes(PHONE)
    with disk.nearly_full(300_000):
        got = await extract_frames(source, disk.folder)
    assert isinstance(got, UnusableMedia)
    assert (got.fault, "No space left" in got.detail) == (MediaFault.MACHINE, True)


async def test_a_cache_without_space_for_a_clip_is_not_the_clips_fault(
    pipeline: PipelineServices, objects: ObjectStore, outside: OutsideServices, disk: SmallDisk, tmp_path: Path
) -> None:
    look = CheckClip(GOAL, await make_clip(objects, outside, tmp_path / "other"))
    for name in STEPS[1:]:
        with disk.nearly_full(len(PHONE) // 2), pytest.raises(DiskFailed, match="No space left"):
            await at_try(9).run(getattr(pipeline.clips, name), look)
    assert (await at_try(10).run(pipeline.clips.generate_video_hash, look)).hash_version


@pytest.mark.parametrize("left", ["empty", "short", "zeros"])
async def test_a_file_damaged_by_a_power_cut_is_fetched_again_from_the_store(
    objects: ObjectStore, pipeline: PipelineServices, outside: OutsideServices, tmp_path: Path, left: str
) -> None:
    clip = await make_clip(objects, outside, tmp_path / "other")
    fetcher = pipeline.clips._fetcher
    path = await fetcher.get_local_file(GOAL, clip)
    whole = path.read_bytes()
    path.write_bytes({"empty": b"", "short": whole[:1000], "zeros": b"\0" * len(whole)}[left])
    assert (await fetcher.get_local_file(GOAL, clip)).read_bytes() == whole
    assert (await at_try(1).run(pipeline.clips.generate_video_hash, CheckClip(GOAL, clip))).hash_version


async def test_other_bytes_in_the_store_are_not_taken_for_the_clip(
    objects: ObjectStore, pipeline: PipelineServices, outside: OutsideServices, tmp_path: Path
) -> None:
    clip = await make_clip(objects, outside, tmp_path / "other")
    await objects.put_bytes(clip.scratch_key, b"\0" * clip.file_size, content_type="video/mp4")
    with pytest.raises(Unavailable, match="other bytes"):
        await pipeline.clips._fetcher.get_local_file(GOAL, clip)


async def test_a_file_that_the_cache_deleted_meanwhile_is_tried_again(
    objects: ObjectStore,
    pipeline: PipelineServices,
    outside: OutsideServices,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Making room takes the file away after it was found, while its fingerprint waits for its turn."""
    look = CheckClip(GOAL, await make_clip(objects, outside, tmp_path / "other"))
    fetcher = pipeline.clips._fetcher
    found = fetcher.get_local_file

    async def trimmed(*clip: Any) -> Path:
        path = await found(*clip)
        path.unlink()
        return path

    with monkeypatch.context() as patched:
        patched.setattr(fetcher, "get_local_file", trimmed)
        for name in STEPS[1:]:
            with pytest.raises(DiskFailed):
                await at_try(9).run(getattr(pipeline.clips, name), look)
    assert (await at_try(10).run(pipeline.clips.generate_video_hash, look)).hash_version


@pytest.mark.parametrize("name", STEPS)
async def test_decoders_that_are_killed_however_often_are_not_the_clips_fault(
    objects: ObjectStore, pipeline: PipelineServices, outside: OutsideServices, tmp_path: Path, name: str
) -> None:
    clip = await make_clip(objects, outside, tmp_path / "other")
    message = wanted(outside) if name == STEPS[0] else CheckClip(GOAL, clip)
    await pipeline.clips._fetcher.delete_source_pointer(GOAL, clip.source_url)
    for number in (1, 2, 3, 9):
        with decoders_killed(), pytest.raises(Unavailable) as raised:
            await at_try(number).run(getattr(pipeline.clips, name), message)
        assert raised.value.retryable
        assert retry_for_error(type(raised.value).__name__) is RetryAdvice.ALWAYS


@pytest.mark.parametrize("name", STEPS)
async def test_a_clip_that_kills_its_decoder_on_a_healthy_machine_counts_against_it(
    objects: ObjectStore,
    pipeline: PipelineServices,
    outside: OutsideServices,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clip = await make_clip(objects, outside, tmp_path / "other")
    message = wanted(outside) if name == STEPS[0] else CheckClip(GOAL, clip)
    await pipeline.clips._fetcher.delete_source_pointer(GOAL, clip.source_url)
    fetcher, works = pipeline.clips._fetcher, pipeline.clips._fetcher.is_decoder_working

    async def healthy_again() -> bool:
        killer.close()
        return await works()

    raised: list[FoundFootyError] = []
    monkeypatch.setattr(fetcher, "is_decoder_working", healthy_again)
    for number in (1, 2, 3):
        with ExitStack() as killer:
            killer.enter_context(decoders_killed())
            with pytest.raises(FoundFootyError) as error:
                await at_try(number).run(getattr(pipeline.clips, name), message)
        raised.append(error.value)
    assert [one.retryable for one in raised] == [True, True, False]
    assert isinstance(raised[-1], DecoderGaveUp)
    assert retry_for_error(DecoderGaveUp.__name__) is RetryAdvice.FEW
