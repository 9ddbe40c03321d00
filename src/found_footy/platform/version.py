"""The running build: the package's version, and the commit if it is known. Never fails."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

_PACKAGE = "found-footy"
_COMMIT_VARIABLE = "FOOTY_COMMIT"
_COMMIT_LENGTH = 12
_COMMIT_PATTERN = re.compile(r"[0-9a-f]{7,64}")
_CHECKOUT = Path(__file__).resolve().parents[3]

UNKNOWN = "unknown"


@dataclass(frozen=True)
class BuildInfo:
    version: str
    commit: str

    def __str__(self) -> str:
        return f"{self.version} ({self.commit})"


@cache
def build_info() -> BuildInfo:
    """The running build, determined once per process."""
    return BuildInfo(_package_version(), find_commit(os.environ, _CHECKOUT))


def find_commit(environ: Mapping[str, str], checkout: Path) -> str:
    """FOOTY_COMMIT if it is set, else the commit of the checkout's HEAD, else "unknown"."""
    stated = environ.get(_COMMIT_VARIABLE, "").strip().lower()
    if stated:
        return stated[:_COMMIT_LENGTH] if _COMMIT_PATTERN.fullmatch(stated) else UNKNOWN
    try:
        found = _read_head(_find_git_dir(checkout))
    except (OSError, ValueError):
        return UNKNOWN
    return found[:_COMMIT_LENGTH] if _COMMIT_PATTERN.fullmatch(found) else UNKNOWN


def _package_version() -> str:
    try:
        return installed_version(_PACKAGE)
    except PackageNotFoundError:
        return UNKNOWN


def _find_git_dir(checkout: Path) -> Path:
    """A worktree has a file with the path of its git directory."""
    place = checkout / ".git"
    return checkout / place.read_text().removeprefix("gitdir:").strip() if place.is_file() else place


def _read_head(git: Path) -> str:
    head = (git / "HEAD").read_text().strip()
    if not head.startswith("ref:"):
        return head
    name = head.removeprefix("ref:").strip()
    shared = git / "commondir"
    common = git / shared.read_text().strip() if shared.is_file() else git
    loose = common / name
    return loose.read_text().strip() if loose.is_file() else _read_packed_ref(common / "packed-refs", name)


def _read_packed_ref(file: Path, name: str) -> str:
    lines = (line.split(" ", 1) for line in file.read_text().splitlines() if " " in line)
    return next((digest for digest, ref in lines if ref == name), UNKNOWN)
