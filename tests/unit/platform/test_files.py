"""A file is whole or not there."""

from pathlib import Path

import pytest

from found_footy.platform.files import appearing


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / ("long" * 60)
    with appearing(target) as file:
        file.write(b"one")
        assert not target.exists()
    assert target.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_that_was_not_finished_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")

    def fail() -> None:
        with appearing(target) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
