"""Processes of the browser that did not end when they were asked to. They are found where the system has /proc."""

import logging
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

logger = logging.getLogger(__name__)

_PROC = Path("/proc")


def find_browsers(profile: Path) -> frozenset[int]:
    """The main processes of browsers that use `profile`; their other processes end with them."""
    mark = f"--user-data-dir={profile}"
    return frozenset(pid for pid, _, words in _list_processes() if mark in words and not _is_helper_process(words))


def find_drivers() -> frozenset[int]:
    """The processes that drive browsers for this one."""
    own = os.getpid()
    return frozenset(pid for pid, parent, words in _list_processes() if parent == own and "run-driver" in words)


def kill_processes(processes: Iterable[int], why: str) -> None:
    for pid in processes:
        logger.warning("a process of the browser is killed", extra={"action": "kill_leftover", "pid": pid, "why": why})
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            logger.info("it had ended by itself", extra={"action": "kill_leftover", "pid": pid})


def _is_helper_process(words: list[str]) -> bool:
    return any(word.startswith("--type=") for word in words)


def _list_processes() -> Iterator[tuple[int, int, list[str]]]:
    """Process id, parent's process id and command line of everything that runs."""
    for folder in _PROC.glob("[0-9]*"):
        try:
            # The name in brackets may hold anything; what follows it does not.
            parent = int((folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
            words = (folder / "cmdline").read_text("utf-8", "replace").split("\0")
        except (OSError, IndexError):
            continue  # it has ended meanwhile, or belongs to somebody else
        yield int(folder.name), parent, words
