"""When downloads pause for want of free space, and when they go on."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.disk import (
    DiskFloorMonitor,
    DiskFloorRule,
    FileSystem,
    ReclaimableSpace,
    assess_level,
    describe_level,
    measure_file_systems,
)
from found_footy.platform.errors import DiskLow
from found_footy.platform.settings.groups import DiskSettings
from tests.support.small_disks import MEGABYTE, filled, small_disk

GB = 10**9
SHIPPED = DiskFloorRule(DiskSettings().floor_share, DiskSettings().floor)
HERE = Path("/data")


class Disk:
    """A file system whose free space a test sets."""

    def __init__(self, free: int, total: int = 40 * GB) -> None:
        self.free, self.total = free, total
        self.given_way = 0

    def measure(self, paths: Iterable[Path]) -> Sequence[FileSystem]:
        return (FileSystem(tuple(paths), self.free, self.total),)

    async def give_way(self, wanted: int) -> None:
        self.given_way += wanted

    def floor(self, spare: ReclaimableSpace | None = None) -> DiskFloorMonitor:
        return DiskFloorMonitor([HERE], SHIPPED, spare, self.measure)


@pytest.mark.parametrize(
    ("total", "floor"),
    [
        (1_000 * GB, 50 * GB),
        (40 * GB, 2 * GB),
        (10 * GB, 2 * GB),
        (4 * GB, GB),
        (GB // 2, GB // 8),
    ],
)
def test_the_floor_is_the_larger_of_two_and_leaves_small_disks_usable(total: int, floor: int) -> None:
    assert SHIPPED.floor_bytes(total) == floor
    assert SHIPPED.floor_bytes(total) < SHIPPED.resume_bytes(total) < total / 2


@pytest.mark.parametrize(
    ("free", "was_paused", "paused"),
    [
        (2_000, False, False),
        (1_999, False, True),
        (2_199, False, False),
        (2_199, True, True),
        (2_200, True, False),
        (0, True, True),
    ],
)
def test_between_floor_and_resumption_nothing_changes(free: int, was_paused: bool, paused: bool) -> None:
    at = FileSystem((HERE,), free * MEGABYTE, 40 * GB)
    assert assess_level(at, SHIPPED, was_paused=was_paused).is_paused is paused


@given(
    total=st.integers(10**6, 10**13),
    wobbles=st.lists(st.floats(1, 1.0999), max_size=30),
    before=st.booleans(),
    rule=st.builds(DiskFloorRule, st.floats(0.001, 0.25), st.integers(1, 10**12)),
)
def test_free_space_that_varies_around_the_floor_changes_nothing(
    total: int, wobbles: list[float], before: bool, rule: DiskFloorRule
) -> None:
    state = before
    for wobble in wobbles:
        free = max(rule.floor_bytes(total), min(int(rule.floor_bytes(total) * wobble), rule.resume_bytes(total) - 1))
        state = assess_level(FileSystem((HERE,), free, total), rule, was_paused=state).is_paused
        assert state is before or rule.floor_bytes(total) == rule.resume_bytes(total)


@given(frees=st.lists(st.integers(0, 40 * GB), max_size=50))
def test_downloads_resume_only_after_more_was_freed_than_the_floor(frees: list[int]) -> None:
    paused = False
    for free in frees:
        was, paused = paused, assess_level(FileSystem((HERE,), free, 40 * GB), SHIPPED, was_paused=paused).is_paused
        assert not (was and not paused) or free >= SHIPPED.resume_bytes(40 * GB)
        assert not (paused and not was) or free < SHIPPED.floor_bytes(40 * GB)


async def test_below_the_floor_nothing_new_begins_and_the_log_says_what_to_expect(
    caplog: pytest.LogCaptureFixture,
) -> None:
    at = Disk(GB)
    floor = at.floor()
    for _ in range(2):
        with pytest.raises(DiskLow, match=r"/data: 1.0 GB of 40.0 GB free, below the floor of 2.0 GB") as raised:
            async with floor.reserve_space(1):
                pytest.fail("it was taken in")
        assert raised.value.retryable
    at.free = 2_100 * MEGABYTE
    with pytest.raises(DiskLow, match=r"until 2.2 GB are free"):
        async with floor.reserve_space(1):
            pytest.fail("it was taken in")
    at.free = 3 * GB
    async with floor.reserve_space(1):
        assert [record.__dict__["action"] for record in caplog.records] == ["downloads_paused"]


async def test_running_and_new_downloads_must_both_fit_above_the_floor() -> None:
    at = Disk(2_900 * MEGABYTE)
    floor = at.floor()
    async with floor.reserve_space(600 * MEGABYTE), floor.reserve_space(200 * MEGABYTE):
        with pytest.raises(DiskLow, match="may need 200 MB"):
            async with floor.reserve_space(200 * MEGABYTE):
                pytest.fail("it was taken in")
    async with floor.reserve_space(800 * MEGABYTE):
        pass


async def test_a_large_download_that_must_wait_pauses_no_small_one() -> None:
    floor = Disk(2_100 * MEGABYTE).floor()
    with pytest.raises(DiskLow):
        async with floor.reserve_space(200 * MEGABYTE):
            pytest.fail("it was taken in")
    async with floor.reserve_space(10 * MEGABYTE):
        pass


async def test_spare_files_are_deleted_before_anything_is_paused() -> None:
    at = Disk(1_900 * MEGABYTE)

    async def give_way(wanted: int) -> None:
        at.given_way, at.free = wanted, at.free + wanted

    async with at.floor(ReclaimableSpace(HERE, give_way)).reserve_space(100 * MEGABYTE):
        assert at.given_way == 400 * MEGABYTE


@pytest.mark.parametrize(("free", "spare"), [(3 * GB, HERE), (GB, Path("/elsewhere"))])
async def test_spare_files_stay_where_there_is_space_and_where_deleting_would_not_help(free: int, spare: Path) -> None:
    at = Disk(free)
    await at.floor(ReclaimableSpace(spare, at.give_way)).check_levels()
    assert at.given_way == 0


async def test_spare_files_that_cannot_be_deleted_are_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    async def stuck(wanted: int) -> None:
        raise PermissionError(wanted)

    [seen] = await Disk(GB).floor(ReclaimableSpace(HERE, stuck)).check_levels()
    assert seen.is_paused
    assert "cache_not_trimmed" in [record.__dict__["action"] for record in caplog.records]


def test_file_systems_are_reported_once_with_what_is_stored_on_them(tmp_path: Path) -> None:
    inside = tmp_path / "not" / "there yet"
    [found] = measure_file_systems([tmp_path, inside])
    assert found.paths == (tmp_path, inside)
    assert 0 < found.free <= found.total


def test_a_path_whose_free_space_is_unknown_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(path: Path) -> None:
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr(os, "statvfs", broken)
    assert measure_file_systems([tmp_path]) == ()


def test_a_real_file_system_pauses_when_it_fills_up_and_resumes_when_it_is_emptied() -> None:
    rule = DiskFloorRule(share=0.05, min_bytes=0)

    def paused(at: Path, was: bool) -> bool:
        [found] = measure_file_systems([at])
        return assess_level(found, rule, was_paused=was).is_paused

    with small_disk(10 * MEGABYTE) as at:
        assert not paused(at, False)
        with filled(at):
            assert paused(at, False)
            [found] = measure_file_systems([at])
            assert describe_level(assess_level(found, rule, was_paused=False)).startswith(
                f"{at}: 0 MB of 10 MB free, below"
            )
        assert not paused(at, True)
