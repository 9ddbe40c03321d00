"""Clips on this machine's disk are a shortcut of bounded size."""

import os
import time
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.cache_sweeper import CacheSweeper, run_cache_sweeper
from found_footy.platform.errors import Unavailable

if TYPE_CHECKING:
    from tests.conftest import Eventually


async def adopted(cache: ClipCache, md5: str, size: int) -> Path:
    async with cache.workspace() as folder:
        file = folder / "clip.mp4"
        file.write_bytes(b"x" * size)
        return await cache.add_file(file, md5)


async def test_an_adopted_clip_is_found_by_its_md5(tmp_path: Path) -> None:
    cache = ClipCache(tmp_path / "clips", 1_000)
    kept = await adopted(cache, "abc", 10)
    assert kept == cache.path("abc")
    assert kept.read_bytes() == b"x" * 10


async def test_the_oldest_clips_are_deleted_for_new_ones(tmp_path: Path) -> None:
    cache = ClipCache(tmp_path, 250)
    for age, md5 in ((300, "old"), (200, "middle")):
        path = await adopted(cache, md5, 100)
        os.utime(path, (time.time() - age, time.time() - age))
    await adopted(cache, "new", 100)
    assert [md5 for md5 in ("old", "middle", "new") if cache.path(md5).exists()] == ["middle", "new"]


async def test_a_clip_larger_than_the_cache_stays_while_it_is_new(tmp_path: Path) -> None:
    cache = ClipCache(tmp_path, 50)
    assert (await adopted(cache, "large", 100)).exists()


async def test_a_file_that_vanishes_while_space_is_freed_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another download makes room at the same moment."""
    cache = ClipCache(tmp_path, 250)
    for md5 in ("one", "two"):
        await adopted(cache, md5, 100)
    (tmp_path / "work" / "abandoned").mkdir()
    really = Path.stat

    def late(self: Path, **named: bool) -> os.stat_result:
        if self.name in ("one.mp4", "abandoned"):
            raise FileNotFoundError(self)
        return really(self, **named)

    # What was there when it was listed is gone when it is looked at.
    monkeypatch.setattr(Path, "exists", lambda self: True)
    monkeypatch.setattr(Path, "stat", late)
    kept = await adopted(cache, "new", 100)
    assert kept.read_bytes() == b"x" * 100


async def test_a_workspace_is_gone_afterwards(tmp_path: Path) -> None:
    cache = ClipCache(tmp_path, 100)
    async with cache.workspace() as folder:
        (folder / "half.part").write_bytes(b"x")
    assert list((tmp_path / "work").iterdir()) == []


async def test_what_a_killed_process_left_behind_goes_after_an_hour(tmp_path: Path) -> None:
    cache = ClipCache(tmp_path, 100)
    for name, age in (("abandoned", 7_200), ("busy", 60)):
        folder = tmp_path / "work" / name
        folder.mkdir(parents=True)
        os.utime(folder, (time.time() - age, time.time() - age))
    await adopted(cache, "new", 1)
    assert [folder.name for folder in (tmp_path / "work").iterdir()] == ["busy"]


async def test_a_clip_stays_for_a_limited_time(tmp_path: Path) -> None:
    cache = ClipCache(tmp_path, 1_000, timedelta(hours=6))
    await cache.delete_expired()
    for hours, md5 in ((7, "old"), (5, "young")):
        path = await adopted(cache, md5, 10)
        os.utime(path, (time.time() - hours * 3600, time.time() - hours * 3600))
    await cache.delete_expired()
    assert await cache.list_md5s() == ["young"]


async def test_a_running_worker_deletes_from_its_cache_what_was_taken_down(
    tmp_path: Path, eventually: "Eventually"
) -> None:
    """Also after a look that failed."""
    cache = ClipCache(tmp_path, 1_000)
    for md5 in ("fine", "taken"):
        await adopted(cache, md5, 10)
    asked: list[list[str]] = []

    async def blocked(md5s: Collection[str]) -> Collection[str]:
        asked.append(list(md5s))
        if len(asked) == 1:
            raise Unavailable("MongoDB", "down")
        return {"taken"}

    async with run_cache_sweeper(CacheSweeper(cache, blocked, timedelta(milliseconds=10))):
        await eventually(lambda: not cache.path("taken").exists())
    assert asked[0] == ["fine", "taken"]
    assert await cache.list_md5s() == ["fine"]


async def test_the_oldest_clips_are_deleted_from_a_disk_that_fills_up(tmp_path: Path) -> None:
    cache = ClipCache(tmp_path, 10_000)
    for age, md5 in ((4_000, "oldest"), (3_000, "old"), (2_000, "middle"), (60, "in use")):
        path = await adopted(cache, md5, 100)
        os.utime(path, (time.time() - age, time.time() - age))
    await cache.free_space(150)
    assert set(await cache.list_md5s()) == {"middle", "in use"}
    await cache.free_space(10_000)
    assert set(await cache.list_md5s()) == {"in use"}


async def test_a_cache_that_was_never_used_gives_nothing(tmp_path: Path) -> None:
    await ClipCache(tmp_path / "clips", 100).free_space(100)
    assert not (tmp_path / "clips").exists()
