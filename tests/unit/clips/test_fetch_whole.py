"""A file that ends too early is noticed, although its beginning plays."""

from pathlib import Path

import pytest

from found_footy.platform.media.mp4_boxes import count_missing_bytes
from tests.support.media.small_videos import mp4


@pytest.mark.parametrize("faststart", [True, False])
def test_a_whole_file_misses_nothing(tmp_path: Path, faststart: bool) -> None:
    file = tmp_path / "clip.mp4"
    file.write_bytes(mp4(1, faststart=faststart))
    assert count_missing_bytes(file) == 0


@pytest.mark.parametrize("kept", [0.3, 0.5, 0.99])
def test_a_file_cut_short_misses_the_rest(tmp_path: Path, kept: float) -> None:
    file, whole = tmp_path / "clip.mp4", mp4(1)
    file.write_bytes(whole[: int(len(whole) * kept)])
    assert count_missing_bytes(file) == len(whole) - int(len(whole) * kept)


@pytest.mark.parametrize("content", [b"", b"\x00", b"<html>sorry</html>", b"\xff" * 40, b"\x00\x00\x00\x00mdat rest"])
def test_a_file_that_is_no_mp4_is_not_refused_here(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "clip.mp4"
    file.write_bytes(content)
    assert count_missing_bytes(file) == 0
