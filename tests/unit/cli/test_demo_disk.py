"""`found-footy demo --fault full-disk`: whose disk it fills, for how long, and what it takes for a clip's loss."""

from pathlib import Path

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.platform.disk import FileSystem, measure_file_systems
from found_footy.platform.errors import ConfigError
from found_footy.views.fixture_views import StoredFixture
from found_footy_sim.demo import disk_outage
from tests.support.small_disks import MEGABYTE, small_disk


def test_the_disk_of_a_whole_machine_is_never_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    large = FileSystem((Path("/home"),), 200 * 10**9, 250 * 10**9)
    monkeypatch.setattr(disk_outage, "measure_file_systems", lambda _: [large])
    with pytest.raises(ConfigError, match=r"is on one of 250.0 GB; give it one of at most 4.0 GB, such as `mount"):
        disk_outage.check_file_system(Path("/home/demo"))


def test_a_disk_too_small_for_a_day_is_refused_before_it_begins() -> None:
    with small_disk(100 * MEGABYTE) as disk, pytest.raises(ConfigError, match="a day needs 600 MB"):
        disk_outage.check_file_system(disk / "data")
    with small_disk(700 * MEGABYTE) as disk:
        disk_outage.check_file_system(disk / "data")


async def test_the_disk_is_low_then_full_and_then_as_before() -> None:
    def free(disk: Path) -> int:
        return sum(found.free for found in measure_file_systems([disk]))

    with small_disk(100 * MEGABYTE) as disk:
        before = free(disk)
        async with disk_outage.keep_low(disk):
            assert 0 < free(disk) < 45 * MEGABYTE
        assert await disk_outage.keep_full(disk, 0.2) == 0
        assert free(disk) == before


def stored(**clip: object) -> StoredFixture:
    attempt = {"clips": {"key": {"url": "https://x.com/1", **clip}}}
    event = {"_event_id": "e", "_telemetry": {"attempts": {"download-1": attempt}}}
    return StoredFixture(FixtureCollection.ACTIVE, {"events": [event]})


@pytest.mark.parametrize(
    ("reason", "retry", "blamed"),
    [
        ("corrupt: OSError: [Errno 28] No space left on device", "never", True),
        ("corrupt: OSError: [Errno 28] No space left on device", "few", True),
        ("DiskLow: disk: 0 MB free", "always", False),
        ("not_video: no picture", "never", False),
    ],
)
def test_a_clip_is_lost_to_the_disk_if_it_is_not_tried_again_for_ever(reason: str, retry: str, blamed: bool) -> None:
    seen = stored(outcome="download_failed", reason=reason, retry=retry)
    assert disk_outage.find_disk_rejections([seen]) == (["https://x.com/1"] if blamed else [])
