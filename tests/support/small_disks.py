"""File systems of a few megabytes, to be filled up; only root may mount them."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_CHUNK = b"\0" * 4096
MEGABYTE = 10**6


@contextmanager
def small_disk(size: int) -> Iterator[Path]:
    """A file system of `size` bytes."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("a file system of its own takes Linux and root")
    place = Path(tempfile.mkdtemp(prefix="found-footy-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        place.rmdir()
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        # Lazily: a process that is being killed may hold a file for another moment.
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        shutil.rmtree(place)


@contextmanager
def filled(place: Path) -> Iterator[Callable[[], None]]:
    """No space is left while the block runs; calling it fills up what was freed since."""
    ballast = place / "ballast"

    def fill() -> None:
        handle = os.open(ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            while True:
                os.write(handle, _CHUNK)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        finally:
            os.close(handle)

    fill()
    try:
        yield fill
    finally:
        ballast.unlink()
