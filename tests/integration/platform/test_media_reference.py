"""A machine that can decode says so, one that cannot does not."""

from datetime import timedelta
from pathlib import Path

from found_footy.platform.media.probe import MediaLimits
from found_footy.platform.media.self_test import can_decode_reference


async def test_a_healthy_machine_prepares_the_clip_of_our_own(tmp_path: Path) -> None:
    assert await can_decode_reference(tmp_path)
    assert {file.name for file in (tmp_path / "made").iterdir()} == {"clip.jpg", "clip.mp4", "preview.mp4"}


async def test_a_machine_without_time_for_it_is_not_healthy(tmp_path: Path) -> None:
    assert not await can_decode_reference(tmp_path, MediaLimits(timeout=timedelta(milliseconds=1)))


async def test_a_machine_without_memory_for_it_is_not_healthy(tmp_path: Path) -> None:
    assert not await can_decode_reference(tmp_path, MediaLimits(memory=64 * 2**20))
