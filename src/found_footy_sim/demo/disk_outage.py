"""Fills the file system of a demo's data, which must be a small, separate one."""

import asyncio
import errno
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median_low

from found_footy.platform.disk import format_size, measure_file_systems
from found_footy.platform.errors import ConfigError
from found_footy.views.field_readers import get_nested, read_documents
from found_footy.views.fixture_views import StoredFixture

MAX_FILE_SYSTEM_BYTES = 4 * 10**9
# What mongod alone preallocates, and what a day uses in addition.
MIN_FREE_BYTES = 600 * 10**6
_BALLAST_FILE = "ballast"
_FREE_BYTES_WHEN_LOW = 40 * 10**6
_REFILL_INTERVAL_SECONDS = 0.5
_FILL_CHUNK = b"\0" * 4096


def check_file_system(data_dir: Path) -> None:
    """Raises ConfigError unless `data_dir` is on a small file system, so that no real disk is filled; also if it is too
    small.
    """
    for found in measure_file_systems([data_dir]):
        if found.total > MAX_FILE_SYSTEM_BYTES:
            raise ConfigError(
                f"full-disk fills the file system of --data-dir, and {data_dir} is on one of "
                f"{format_size(found.total)}; give it one of at most {format_size(MAX_FILE_SYSTEM_BYTES)}, such as "
                "`mount -t tmpfs -o size=800m,mode=700 tmpfs DIR`"
            )
        if found.free < MIN_FREE_BYTES:
            raise ConfigError(
                f"{data_dir} has {format_size(found.free)} free; a day needs {format_size(MIN_FREE_BYTES)}"
            )


@asynccontextmanager
async def keep_low(data_dir: Path) -> AsyncIterator[None]:
    """Keep less free than downloads require, and enough for the servers to continue."""
    ballast = data_dir / _BALLAST_FILE
    [found] = measure_file_systems([data_dir])
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(found.free - _FREE_BYTES_WHEN_LOW, 1))
    try:
        yield
    finally:
        ballast.unlink()


async def keep_full(data_dir: Path, seconds: float) -> int:
    """Keep the file system full for `seconds`: space that is freed meanwhile is taken at once. Returns the median of
    the free bytes.
    """
    ballast, end, seen = data_dir / _BALLAST_FILE, time.monotonic() + seconds, list[int]()
    try:
        while time.monotonic() < end:
            await asyncio.to_thread(_fill_file, ballast)
            seen += [found.free for found in measure_file_systems([data_dir])]
            await asyncio.sleep(_REFILL_INTERVAL_SECONDS)
    finally:
        ballast.unlink(missing_ok=True)
    return median_low(seen)


def _fill_file(ballast: Path) -> None:
    handle = os.open(ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        while True:
            os.write(handle, _FILL_CHUNK)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    finally:
        os.close(handle)


def count_logged_pauses(data_dir: Path) -> int:
    """Count how often the worker logged that no download begins."""
    return (data_dir / "logs" / "worker.log").read_text(errors="replace").count("downloads_paused")


def find_disk_rejections(stored: Sequence[StoredFixture]) -> list[str]:
    """Return the clips that were rejected because this machine's disk was full."""
    return [
        str(clip.get("url") or key)
        for one in stored
        for event in read_documents(one.document.get("events"))
        for attempt in _mapping_values(get_nested(event, "_telemetry", "attempts"))
        for key, clip in _mapping_items(attempt.get("clips"))
        if _is_disk_failure(clip) and clip.get("retry") != "always"
    ]


def _is_disk_failure(clip: Mapping[str, object]) -> bool:
    reason = str(clip.get("reason") or "")
    return "No space left" in reason or "DiskLow" in reason or "DiskFailed" in reason


def _mapping_values(found: object) -> list[Mapping[str, object]]:
    return [value for _, value in _mapping_items(found)]


def _mapping_items(found: object) -> list[tuple[str, Mapping[str, object]]]:
    if not isinstance(found, Mapping):
        return []
    return [(str(key), value) for key, value in found.items() if isinstance(value, Mapping)]
