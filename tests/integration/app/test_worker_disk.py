"""A worker as it is put together takes in nothing below the floor of its settings, and tells before anybody asks."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from temporalio.client import Client
from temporalio.testing import ActivityEnvironment

from found_footy import health
from found_footy.activities_factory import build_activities
from found_footy.app import AppContext
from found_footy.clips.messages import FetchCandidate
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.platform.errors import DiskLow
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.settings import load_settings
from tests.support.pipeline.goals import make_goal
from tests.support.small_disks import MEGABYTE, filled, small_disk

if TYPE_CHECKING:
    from tests.conftest import Eventually

FILE = VideoVariant("https://video.twimg.com/1.mp4", 800_000, 320, 180)
VIDEO = ClipCandidate("https://x.com/fan/status/1", "1", "fan", None, 8.0, variants=(FILE,))


@pytest.mark.parametrize("cache_elsewhere", [False, True])
async def test_a_worker_pauses_downloads_on_a_full_disk(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    tmp_path: Path,
    eventually: "Eventually",
    caplog: pytest.LogCaptureFixture,
    cache_elsewhere: bool,
) -> None:
    """Its own, or that of the clips at hand."""
    with small_disk(20 * MEGABYTE) as disk:
        data, clips = (tmp_path, disk) if cache_elsewhere else (disk, disk / "clips")
        settings = load_settings(
            {
                "FOOTY_DATA_DIR": str(data),
                "FOOTY_CLIPS__CACHE_DIR": str(clips),
                "FOOTY_VISION__READER": "accept-all",
                "FOOTY_DISK__FLOOR": "2MB",
                "FOOTY_DISK__FLOOR_SHARE": "0",
            }
        ).settings
        old = clips / "old.mp4"
        clips.mkdir(exist_ok=True)
        old.write_bytes(b"x" * MEGABYTE)
        os.utime(old, (0, 0))
        assert (await health.check_disk(settings)).ok
        with filled(disk):
            async with build_activities(AppContext(settings, database, objects, temporal)) as served:
                await eventually(lambda: "downloads_paused" in {vars(one).get("action") for one in caplog.records})
                assert not old.exists()
                with pytest.raises(DiskLow, match="below the floor of 2 MB"):
                    await ActivityEnvironment().run(
                        served.clips.download_single_video, FetchCandidate(make_goal(), VIDEO)
                    )
            row = await health.check_disk(settings)
            assert not row.ok
            assert str(disk) in row.detail
