"""Which build this is, told without ever failing."""

from pathlib import Path

import pytest

from found_footy.platform.version import UNKNOWN, build_info, find_commit

HASH = "0123456789abcdef0123456789abcdef01234567"


def checkout(folder: Path, head: str, **files: str) -> Path:
    git = folder / ".git"
    for name, content in {"HEAD": head, **files}.items():
        place = git / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    return folder


def test_the_build_has_a_version_and_a_commit() -> None:
    assert build_info().version[0].isdigit()
    assert build_info().commit
    assert str(build_info()) == f"{build_info().version} ({build_info().commit})"


def test_the_environment_takes_precedence(tmp_path: Path) -> None:
    place = checkout(tmp_path, HASH)
    assert find_commit({"FOOTY_COMMIT": "FEDCBA9876543210"}, place) == "fedcba987654"


@pytest.mark.parametrize("stated", ["not a hash", "$(id)", "abc", "g" * 40])
def test_what_is_not_a_hash_is_not_passed_on(tmp_path: Path, stated: str) -> None:
    assert find_commit({"FOOTY_COMMIT": stated}, tmp_path) == UNKNOWN


def test_a_checkout_on_a_branch_is_followed_to_its_commit(tmp_path: Path) -> None:
    assert find_commit({}, checkout(tmp_path, "ref: refs/heads/main\n", refs__heads__main=f"{HASH}\n")) == HASH[:12]


def test_a_detached_checkout_is_its_commit(tmp_path: Path) -> None:
    assert find_commit({}, checkout(tmp_path, f"{HASH}\n")) == HASH[:12]


def test_a_packed_branch_is_found(tmp_path: Path) -> None:
    packed = f"# pack-refs with: peeled\n{'f' * 40} refs/heads/other\n{HASH} refs/heads/main\n"
    place = checkout(tmp_path, "ref: refs/heads/main")
    (place / ".git" / "packed-refs").write_text(packed)
    assert find_commit({}, place) == HASH[:12]


def test_a_worktree_is_followed_to_the_repository_it_belongs_to(tmp_path: Path) -> None:
    main = checkout(tmp_path / "main", "ref: refs/heads/main", refs__heads__side=HASH)
    inner = main / ".git" / "worktrees" / "side"
    inner.mkdir(parents=True)
    (inner / "HEAD").write_text("ref: refs/heads/side")
    (inner / "commondir").write_text("../..\n")
    side = tmp_path / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {inner}\n")
    assert find_commit({}, side) == HASH[:12]


def test_without_a_checkout_or_with_a_broken_one_it_is_unknown(tmp_path: Path) -> None:
    assert find_commit({}, tmp_path) == UNKNOWN
    assert find_commit({}, checkout(tmp_path / "a", "ref: refs/heads/gone")) == UNKNOWN
    assert find_commit({}, checkout(tmp_path / "b", "rubbish")) == UNKNOWN
    broken = checkout(tmp_path / "c", "x")
    (broken / ".git" / "HEAD").write_bytes(b"\xff\xfe")
    assert find_commit({}, broken) == UNKNOWN
