"""Finds browser processes that did not end when asked to; needs /proc."""

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

from found_footy.platform.logs import ActionLogger

logger = ActionLogger(__name__)

_PROC = Path("/proc")


def find_browsers(profile: Path) -> frozenset[int]:
    """Pids of the main processes of browsers that use `profile`; their other processes end with them."""
    mark = f"--user-data-dir={profile}"
    return frozenset(pid for pid, _, words in _list_processes() if mark in words and not _is_helper_process(words))


def find_drivers() -> frozenset[int]:
    """Pids of the Playwright processes that drive browsers for this process."""
    own = os.getpid()
    return frozenset(pid for pid, parent, words in _list_processes() if parent == own and "run-driver" in words)


def kill_processes(processes: Iterable[int], why: str) -> None:
    for pid in processes:
        logger.warning("a process of the browser is killed", action="kill_leftover", pid=pid, why=why)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            logger.info("it had exited by itself", action="kill_leftover", pid=pid)


def _is_helper_process(words: list[str]) -> bool:
    return any(word.startswith("--type=") for word in words)


def _list_processes() -> Iterator[tuple[int, int, list[str]]]:
    """Yield pid, parent's pid and command line of every process."""
    for folder in _PROC.glob("[0-9]*"):
        try:
            # The name in parentheses may contain anything, so the fields are read after the last parenthesis.
            parent = int((folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
            words = (folder / "cmdline").read_text("utf-8", "replace").split("\0")
        except (OSError, IndexError):
            continue  # it has ended meanwhile, or belongs to another user
        yield int(folder.name), parent, words
