"""Faults of the machine that the worker runs on: a disk without room, and a kernel that kills decoders."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from found_footy.platform.media import probe
from tests.support.patience import PATIENCE_SECONDS

_MOST_FILES = 64
_BLOCK = 512


@dataclass(frozen=True)
class SmallDisk:
    """A file system of a few megabytes."""

    folder: Path

    @property
    def room(self) -> int:
        stat = os.statvfs(self.folder)
        return stat.f_bavail * stat.f_frsize

    @contextmanager
    def nearly_full(self, room: int) -> Iterator[None]:
        """Leaves about this many bytes, until the block ends."""
        self._wait_for_what_was_deleted()
        others = self.folder / "others"
        with others.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, self.room - room))
        try:
            yield
        finally:
            others.unlink()

    def _wait_for_what_was_deleted(self) -> None:
        """The kernel gives the room of a file that a confined process had back only some time after that has ended."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._used != self._seen and time.monotonic() < deadline:
            time.sleep(0.01)
        assert self._used == self._seen

    @property
    def _used(self) -> int:
        stat = os.statvfs(self.folder)
        return (stat.f_blocks - stat.f_bfree) * stat.f_frsize

    @property
    def _seen(self) -> int:
        return sum(file.stat().st_blocks * _BLOCK for file in self.folder.rglob("*"))

    @contextmanager
    def without_names(self) -> Iterator[None]:
        """There is room for bytes and none for another file, until the block ends."""
        others = self.folder / "many"
        others.mkdir()
        with suppress(OSError):
            for number in range(_MOST_FILES):
                (others / str(number)).touch()
        try:
            yield
        finally:
            shutil.rmtree(others)


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    folder.mkdir()
    limits = f"size=8m,nr_inodes={_MOST_FILES}"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", limits, "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def decoders_killed() -> Iterator[None]:
    """Every decoder that this process has or starts is killed, as by a kernel that is out of memory."""
    over = threading.Event()
    killer = threading.Thread(target=_kill_until, args=(over,))
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()


def _kill_until(over: threading.Event) -> None:
    while not over.wait(0.002):
        worker_factory = probe._shared_fork_server()._server
        for pid in _children_of(worker_factory.pid) if worker_factory else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _children_of(pid: int) -> list[int]:
    with suppress(FileNotFoundError, ProcessLookupError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []
