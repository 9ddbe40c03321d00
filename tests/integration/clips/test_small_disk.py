"""A worker's disk that is full while a clip is fetched: whatever there was no room for, the clip is not blamed."""

import os
from pathlib import Path

import pytest

from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits
from found_footy.clips.messages import CandidateNote, ClipFile, FetchCandidate
from found_footy.clips.settings import ClipSettings
from found_footy.discovery.sources.x_service import parse_search_response
from found_footy.platform.disk import DiskFloorMonitor, DiskFloorRule, ReclaimableSpace
from found_footy.platform.errors import DiskLow, FoundFootyError
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.objects import ObjectStore
from tests.support.media.small_videos import mp4
from tests.support.patience import PATIENCE
from tests.support.pipeline.goals import make_goal
from tests.support.pipeline.outside import OutsideServices
from tests.support.small_disks import MEGABYTE, filled, small_disk

GOAL = make_goal()
BLOCK = 4096


def free_up(ballast: Path, size: int) -> None:
    """Leave room for about so many bytes."""
    os.truncate(ballast, ballast.stat().st_size - size // BLOCK * BLOCK)


@pytest.mark.parametrize("faststart", [True, False])
async def test_a_disk_that_is_full_at_any_moment_only_delays_a_clip(
    objects: ObjectStore, outside: OutsideServices, faststart: bool
) -> None:
    """No room for the folder, the file, the copy that plays at once, the picture, or the loop."""
    content = mp4(1, faststart=faststart)
    outside.files = {"/1.mp4": content}
    [video] = parse_search_response({"videos": [outside.video(1)]}).videos
    with small_disk(MEGABYTE) as disk:
        host = SafeHttpClient(system="video host", allowed_hosts=[outside.host], trusted_private=[outside.host])
        limits = FetchLimits(max_bytes=10 * MEGABYTE, deadline=PATIENCE)
        cache = ClipCache(disk / "clips", MEGABYTE)
        fetcher = ClipFetcher(host, objects, cache, ClipSettings().rules, limits)
        failures: list[FoundFootyError] = []
        fetched: ClipFile | CandidateNote | None = None
        for parts in range(20):
            with filled(disk):
                free_up(disk / "ballast", parts * len(content) // 4)
                try:
                    fetched = await fetcher.fetch(FetchCandidate(GOAL, video))
                except FoundFootyError as error:
                    failures.append(error)
                    continue
            break
        await host.aclose()
        assert [error for error in failures if not error.retryable] == []
        assert len(failures) >= 4
        assert isinstance(fetched, ClipFile), fetched


async def test_nothing_is_requested_on_a_real_disk_below_the_floor_until_it_is_emptied(
    objects: ObjectStore, outside: OutsideServices
) -> None:
    outside.files = {"/1.mp4": mp4(1)}
    [video] = parse_search_response({"videos": [outside.video(1)]}).videos
    with small_disk(20 * MEGABYTE) as disk:
        cache = ClipCache(disk / "clips", 10 * MEGABYTE)
        async with cache.workspace() as folder:
            (folder / "old.mp4").write_bytes(os.urandom(3 * MEGABYTE))
            old = await cache.add_file(folder / "old.mp4", "old")
        os.utime(old, (0, 0))
        floor = DiskFloorMonitor([disk], DiskFloorRule(0.25, 0), ReclaimableSpace(disk, cache.free_space))
        host = SafeHttpClient(system="video host", allowed_hosts=[outside.host], trusted_private=[outside.host])
        limits = FetchLimits(max_bytes=10 * MEGABYTE, deadline=PATIENCE)
        fetcher = ClipFetcher(host, objects, cache, ClipSettings().rules, limits, disk=floor)
        with filled(disk):
            with pytest.raises(DiskLow, match="no new clip is downloaded until"):
                await fetcher.fetch(FetchCandidate(GOAL, video))
            # What can be had again has given way, and was not enough.
            assert not old.exists()
            assert outside.fetched == []
        assert isinstance(await fetcher.fetch(FetchCandidate(GOAL, video)), ClipFile)
        await host.aclose()
