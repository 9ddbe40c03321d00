"""A file is whole or not there, a directory its owner's alone."""

import os
from pathlib import Path

import pytest

from found_footy.platform.errors import ConfigError
from found_footy.platform.files import ensure_private_dir, ensure_private_dir_if_owned, write_atomically, write_private


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / ("long" * 60)
    with write_atomically(target) as file:
        file.write(b"one")
        assert not target.exists()
    assert target.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_that_was_not_finished_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")

    def fail() -> None:
        with write_atomically(target) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.mark.parametrize("before", [None, 0o755, 0o750, 0o777, 0o700])
def test_a_directory_becomes_accessible_to_its_owner_only(tmp_path: Path, before: int | None) -> None:
    place = tmp_path / "in" / "here"
    if before is not None:
        place.mkdir(parents=True)
        place.chmod(before)
    assert ensure_private_dir(place) == place
    assert mode(place) == 0o700


def test_a_directory_that_everybody_shares_is_refused_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, home = tmp_path / "tmp", tmp_path / "home"
    for place, access in ((shared, 0o1777), (home, 0o755)):
        place.mkdir()
        place.chmod(access)
    monkeypatch.setenv("HOME", str(home))
    for place, access in ((shared, 0o1777), (home, 0o755)):
        with pytest.raises(ConfigError, match=f"{place} is shared with other programs"):
            ensure_private_dir(place)
        assert mode(place) == access


def test_a_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: stranger)
    with pytest.raises(ConfigError, match="belongs to another user"):
        ensure_private_dir(tmp_path)


def test_a_directory_prepared_by_another_user_for_us_is_left_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o770)
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        assert mode(ensure_private_dir_if_owned(tmp_path)) == 0o770
    assert mode(ensure_private_dir_if_owned(tmp_path)) == 0o700


def test_a_private_file_replaces_a_readable_one_and_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    target = tmp_path / "secret"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o644)
    write_private(target, "né")
    assert target.read_bytes() == "né".encode()
    assert mode(target) == 0o600
    assert list(tmp_path.iterdir()) == [target]
