"""Which build this is: the package's version, and the commit where it can be known. Never fails."""

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
_SHOWN_LENGTH = 12
_HASH = re.compile(r"[0-9a-f]{7,64}")
_CHECKOUT = Path(__file__).resolve().parents[3]

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Build:
    version: str
    commit: str

    def __str__(self) -> str:
        return f"{self.version} ({self.commit})"


@cache
def build() -> Build:
    """The running build, found once per process."""
    return Build(_version(), commit(os.environ, _CHECKOUT))


def commit(environ: Mapping[str, str], checkout: Path) -> str:
    """FOOTY_COMMIT if it is set, else what the checkout's HEAD points to, else "unknown"."""
    stated = environ.get(_COMMIT_VARIABLE, "").strip().lower()
    if stated:
        return stated[:_SHOWN_LENGTH] if _HASH.fullmatch(stated) else UNKNOWN
    try:
        found = _head(_git_folder(checkout))
    except (OSError, ValueError):
        return UNKNOWN
    return found[:_SHOWN_LENGTH] if _HASH.fullmatch(found) else UNKNOWN


def _version() -> str:
    try:
        return installed_version(_PACKAGE)
    except PackageNotFoundError:
        return UNKNOWN


def _git_folder(checkout: Path) -> Path:
    """A worktree has a file that says where its git folder is."""
    place = checkout / ".git"
    return checkout / place.read_text().removeprefix("gitdir:").strip() if place.is_file() else place


def _head(git: Path) -> str:
    head = (git / "HEAD").read_text().strip()
    if not head.startswith("ref:"):
        return head
    name = head.removeprefix("ref:").strip()
    shared = git / "commondir"
    common = git / shared.read_text().strip() if shared.is_file() else git
    loose = common / name
    return loose.read_text().strip() if loose.is_file() else _packed(common / "packed-refs", name)


def _packed(file: Path, name: str) -> str:
    lines = (line.split(" ", 1) for line in file.read_text().splitlines() if " " in line)
    return next((digest for digest, ref in lines if ref == name), UNKNOWN)
