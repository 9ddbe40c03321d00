"""A posted video is fetched once, checked, and put where any worker finds it."""

import errno
import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from found_footy.clips.activities import ClipActivities
from found_footy.clips.decoding import DecoderFailed, DecoderGaveUp
from found_footy.clips.fetch import fetcher
from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.cache_sweeper import FindBlocked, find_none_blocked
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits, HostFailed
from found_footy.clips.fingerprints import maker
from found_footy.clips.messages import CandidateNote, CheckClip, CleanUpDownload, ClipFile, FetchCandidate
from found_footy.clips.settings import ClipSettings
from found_footy.discovery.sources.x_service import parse_search_response
from found_footy.domain.ids import clip_key, scratch_key
from found_footy.domain.messages import ClipCandidate
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.disk import DiskFloorMonitor, DiskFloorRule, FileSystem
from found_footy.platform.errors import DiskFailed, DiskLow, NotFound
from found_footy.platform.http import client
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.platform.objects import ObjectStore
from tests.support.media.small_videos import mp4, sound_only
from tests.support.patience import PATIENCE
from tests.support.pipeline.goals import make_goal
from tests.support.pipeline.outside import OutsideServices

GOAL = make_goal()


Fetchers = Callable[..., ClipFetcher]


@pytest.fixture
async def machine(objects: ObjectStore, outside: OutsideServices, tmp_path: Path) -> AsyncIterator[Fetchers]:
    """`machine(name)` gives the fetcher of a machine, which has a disk of its own and shares the object store."""
    async with AsyncExitStack() as stack:

        def a_machine(
            name: str = "one",
            *,
            taken_down: FindBlocked = find_none_blocked,
            disk: DiskFloorMonitor | None = None,
            **limits: Any,
        ) -> ClipFetcher:
            host = SafeHttpClient(system="video host", allowed_hosts=[outside.host], trusted_private=[outside.host])
            stack.push_async_callback(host.aclose)
            given = replace(FetchLimits(max_bytes=1_000_000, deadline=PATIENCE), **limits)
            cache, rules = ClipCache(tmp_path / name, 10_000_000), ClipSettings().rules
            return ClipFetcher(host, objects, cache, rules, given, find_blocked=taken_down, disk=disk)

        yield a_machine


def make_video(outside: OutsideServices, number: int = 1, **changes: Any) -> ClipCandidate:
    [video] = parse_search_response({"videos": [outside.video(number, **changes)]}).videos
    return video


async def test_a_video_is_stored_in_scratch_with_its_properties_and_thumbnail(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    clip = await machine().fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(clip, ClipFile)
    md5 = hashlib.md5(mp4(1), usedforsecurity=False).hexdigest()
    assert (clip.md5, clip.scratch_key) == (md5, scratch_key(GOAL.event_id, md5))
    assert (clip.width, clip.height, clip.file_size) == (320, 180, len(mp4(1)))
    assert await objects.get_bytes(clip.scratch_key, limit=10**6) == mp4(1)
    assert (await objects.get_bytes(clip.scratch_key.replace(".mp4", ".jpg"), limit=10**6))[:2] == b"\xff\xd8"


async def test_a_video_that_does_not_play_at_once_is_stored_so_that_it_does(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers
) -> None:
    outside.files = {"/1.mp4": mp4(1, faststart=False)}
    clip = await machine().fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(clip, ClipFile)
    stored = await objects.get_bytes(clip.scratch_key, limit=10**6)
    assert stored.index(b"moov") < stored.index(b"mdat")
    assert clip.md5 == hashlib.md5(stored, usedforsecurity=False).hexdigest()
    assert clip.file_size == len(stored)


async def test_a_retry_on_any_machine_does_not_fetch_again(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    wanted = FetchCandidate(GOAL, make_video(outside))
    first = await machine("one").fetch(wanted)
    assert await machine("two").fetch(wanted) == first
    assert outside.fetched == ["/1.mp4"]


async def test_a_scratch_file_that_is_gone_is_fetched_again(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    fetcher = machine()
    first = await fetcher.fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(first, ClipFile)
    await objects.delete(first.scratch_key)
    assert await fetcher.fetch(FetchCandidate(GOAL, make_video(outside))) == first
    assert outside.fetched == ["/1.mp4", "/1.mp4"]


async def test_another_machine_takes_the_file_from_scratch_or_from_the_archive(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    clip = await machine("one").fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(clip, ClipFile)
    from_scratch = await machine("two").get_local_file(GOAL, clip)
    assert from_scratch.read_bytes() == mp4(1)
    await objects.copy(clip.scratch_key, clip_key(GOAL.fixture_id, GOAL.event_id, clip.md5))
    await objects.delete(clip.scratch_key)
    from_archive = await machine("three").get_local_file(GOAL, clip)
    assert from_archive.read_bytes() == mp4(1)
    await objects.delete(clip_key(GOAL.fixture_id, GOAL.event_id, clip.md5))
    with pytest.raises(NotFound):
        await machine("four").get_local_file(GOAL, clip)


REFUSED: list[tuple[bytes | None, list[int], ClipOutcome]] = [
    (None, [], ClipOutcome.DOWNLOAD_DELETED),
    (None, [410], ClipOutcome.DOWNLOAD_DELETED),
    (None, [403], ClipOutcome.DOWNLOAD_GEO),
    (None, [451], ClipOutcome.DOWNLOAD_GEO),
    (None, [401], ClipOutcome.DOWNLOAD_FAILED),
    (b"<html>sorry</html>", [], ClipOutcome.DOWNLOAD_FAILED),
    (b"", [], ClipOutcome.DOWNLOAD_FAILED),
    (sound_only(), [], ClipOutcome.DOWNLOAD_FAILED),
    (mp4(1, seconds=1.0), [], ClipOutcome.FILTERED_DURATION),
    (mp4(1, width=180, height=320), [], ClipOutcome.FILTERED_ASPECT),
    (mp4(1, width=160, height=90), [], ClipOutcome.FILTERED_SIZE),
    (mp4(1, seconds=0.3, width=9_000, height=64), [], ClipOutcome.FILTERED_SIZE),
]


@pytest.mark.parametrize(("content", "statuses", "outcome"), REFUSED)
async def test_an_unusable_video_is_recorded_with_its_reason_and_leaves_nothing(
    objects: ObjectStore,
    outside: OutsideServices,
    machine: Fetchers,
    content: bytes | None,
    statuses: list[int],
    outcome: ClipOutcome,
) -> None:
    outside.files = {} if content is None else {"/1.mp4": content}
    outside.statuses = {"/1.mp4": list(statuses)}
    note = await machine().fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(note, CandidateNote)
    assert note.outcome is outcome
    assert note.reason
    assert [found.key async for found in objects.list()] == []


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data.mp4",
        "https://evil.example/clip.mp4",
        "http://127.0.0.1:1/clip.mp4",
        "https://user:pass@video.twimg.com/clip.mp4",
        "https://x.com/not-a-file",
    ],
)
async def test_an_address_that_is_not_allowed_is_never_requested(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers, address: str
) -> None:
    video = make_video(outside, variants=[{"url": address}])
    note = await machine().fetch(FetchCandidate(GOAL, video))
    assert isinstance(note, CandidateNote)
    assert note.outcome is ClipOutcome.BAD_URL
    assert outside.fetched == []


async def test_a_video_too_large_is_not_kept(objects: ObjectStore, outside: OutsideServices, machine: Fetchers) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    fetcher = machine("one", max_bytes=len(mp4(1)) - 1)
    note = await fetcher.fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(note, CandidateNote)
    assert note.outcome is ClipOutcome.FILTERED_SIZE
    assert str(len(mp4(1)) - 1) in note.reason


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (500, ClipOutcome.DOWNLOAD_FAILED),
        (503, ClipOutcome.DOWNLOAD_FAILED),
        (429, ClipOutcome.DOWNLOAD_RATE_LIMITED),
    ],
)
async def test_a_host_that_may_answer_later_is_tried_again(
    outside: OutsideServices, machine: Fetchers, status: int, outcome: ClipOutcome
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    outside.statuses = {"/1.mp4": [status]}
    with pytest.raises(HostFailed) as raised:
        await machine().fetch(FetchCandidate(GOAL, make_video(outside)))
    assert raised.value.outcome is outcome
    assert isinstance(await machine().fetch(FetchCandidate(GOAL, make_video(outside))), ClipFile)


async def test_a_host_that_is_too_slow_is_a_timeout(outside: OutsideServices, machine: Fetchers) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    with pytest.raises(HostFailed) as raised:
        await machine("one", deadline=timedelta(microseconds=1)).fetch(FetchCandidate(GOAL, make_video(outside)))
    assert raised.value.outcome is ClipOutcome.DOWNLOAD_TIMEOUT


async def test_an_unreachable_host_is_tried_again(outside: OutsideServices, machine: Fetchers) -> None:
    outside.cuts_off = {"/1.mp4"}
    outside.files = {"/1.mp4": mp4(1)}
    with pytest.raises(HostFailed) as raised:
        await machine().fetch(FetchCandidate(GOAL, make_video(outside)))
    assert raised.value.outcome is ClipOutcome.DOWNLOAD_FAILED


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A disk that takes no more, until the test ends."""

    async def written(parts: AsyncIterator[bytes], target: Path) -> tuple[int, str]:
        del parts, target
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(client, "_write_file", written)
        yield


async def test_a_full_disk_is_not_the_clips_fault_however_long_it_lasts(
    outside: OutsideServices, clip_activities: ClipActivities, full_disk: None
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    with pytest.raises(DiskFailed, match="No space") as raised:
        await at_try(9).run(clip_activities.download_single_video, FetchCandidate(GOAL, make_video(outside)))
    assert raised.value.retryable


async def test_below_the_floor_no_file_is_requested_and_fetched_ones_continue(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers, tmp_path: Path
) -> None:
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2)}
    before = await machine().fetch(FetchCandidate(GOAL, make_video(outside, 1)))
    low = machine("low", disk=a_disk(free=1))
    assert await low.fetch(FetchCandidate(GOAL, make_video(outside, 1))) == before
    with pytest.raises(DiskLow, match="no new clip is downloaded until"):
        await low.fetch(FetchCandidate(GOAL, make_video(outside, 2)))
    assert "/2.mp4" not in outside.fetched
    assert isinstance(await machine("other").fetch(FetchCandidate(GOAL, make_video(outside, 2))), ClipFile)


async def test_space_is_reserved_for_every_copy_of_a_file_that_is_being_fetched(
    outside: OutsideServices, machine: Fetchers
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    # 800 kB by its bitrate and length: one copy would fit above the floor, three do not.
    with pytest.raises(DiskLow, match="may need 2 MB"):
        await machine("tight", disk=a_disk(free=12_000_000)).fetch(FetchCandidate(GOAL, make_video(outside)))
    roomy = machine("roomy", disk=a_disk(free=12_500_000))
    assert isinstance(await roomy.fetch(FetchCandidate(GOAL, make_video(outside))), ClipFile)


def a_disk(free: int) -> DiskFloorMonitor:
    """With a floor of ten megabytes."""
    rule = DiskFloorRule(0, 10_000_000)
    return DiskFloorMonitor([Path("/data")], rule, measure=lambda paths: [FileSystem(tuple(paths), free, 10**9)])


def at_try(number: int) -> ActivityEnvironment:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number)
    return environment


@pytest.mark.parametrize("fault", [MediaFault.CRASHED, MediaFault.TOO_SLOW])
async def test_a_file_that_crashes_its_decoder_every_time_is_postponed_in_the_end(
    outside: OutsideServices, clip_activities: ClipActivities, monkeypatch: pytest.MonkeyPatch, fault: MediaFault
) -> None:
    outside.files = {"/1.mp4": mp4(1)}

    async def broken(*files: Path, **outputs: Path) -> UnusableMedia:
        del files, outputs
        return UnusableMedia(fault, "the decoder ended with -9")

    monkeypatch.setattr(fetcher, "prepare_media", broken)
    wanted = FetchCandidate(GOAL, make_video(outside))
    for number, error in ((1, DecoderFailed), (2, DecoderFailed), (3, DecoderGaveUp)):
        with pytest.raises(error, match=f"{fault}: the decoder ended with -9"):
            await at_try(number).run(clip_activities.download_single_video, wanted)


@pytest.mark.parametrize("fault", [MediaFault.CRASHED, MediaFault.TOO_SLOW])
async def test_a_clip_that_crashes_the_fingerprint_maker_every_time_has_no_fingerprint_in_the_end(
    outside: OutsideServices, clip_activities: ClipActivities, monkeypatch: pytest.MonkeyPatch, fault: MediaFault
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    clip = await clip_activities._fetcher.fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(clip, ClipFile)

    async def broken(*order: object) -> UnusableMedia:
        del order
        return UnusableMedia(fault, "the decoder ended with -9")

    monkeypatch.setattr(maker, "run_in_sandbox", broken)
    for number, error in ((1, DecoderFailed), (2, DecoderFailed), (3, DecoderGaveUp)):
        with pytest.raises(error):
            await at_try(number).run(clip_activities.generate_video_hash, CheckClip(GOAL, clip))


async def test_cleaning_up_leaves_the_clip_that_waits_for_the_archive(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers, clip_activities: ClipActivities
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    clip = await machine().fetch(FetchCandidate(GOAL, make_video(outside)))
    assert isinstance(clip, ClipFile)
    await clip_activities.cleanup_download_temp(CleanUpDownload(GOAL, (clip.source_url,)))
    left = [found.key async for found in objects.list("scratch/")]
    assert left == [clip.scratch_key.replace(".mp4", kind) for kind in (".jpg", ".mp4", ".preview.mp4")]


async def test_a_file_that_was_taken_down_is_neither_cached_nor_returned(
    objects: ObjectStore, outside: OutsideServices, machine: Fetchers, tmp_path: Path
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    wanted = FetchCandidate(GOAL, make_video(outside))
    listed: set[str] = set()

    async def taken_down(md5s: Collection[str]) -> Collection[str]:
        return listed & set(md5s)

    one = machine("one", taken_down=taken_down)
    clip = await one.fetch(wanted)
    assert isinstance(clip, ClipFile)
    assert (await one.get_local_file(GOAL, clip)).exists()
    listed.add(clip.md5)
    with pytest.raises(NotFound, match="taken down"):
        await one.get_local_file(GOAL, clip)
    assert list((tmp_path / "one").glob("*.mp4")) == []
    note = CandidateNote(wanted.candidate.url, ClipOutcome.BLOCKED, "it was taken down")
    assert await one.fetch(wanted) == note
    async for found in objects.list(f"scratch/{GOAL.event_id}/"):
        await objects.delete(found.key)
    assert await machine("two", taken_down=taken_down).fetch(wanted) == note
    assert [found.key async for found in objects.list(f"scratch/{GOAL.event_id}/")] == []
    assert list((tmp_path / "two").glob("*.mp4")) == []
