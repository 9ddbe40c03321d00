"""Free space on this machine's file systems, measured and compared with a floor.

Below the floor no download starts. The remaining space is for the databases, whose servers stop or reject every write
on a full disk, and for work that has begun.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from prometheus_client import Gauge

from found_footy.platform.errors import DiskLow
from found_footy.platform.logs import ActionLogger

DISK_FREE_BYTES = Gauge(
    "found_footy_disk_free_bytes", "Free space of a file system that this process writes to.", ["path"]
)
DOWNLOADS_PAUSED = Gauge(
    "found_footy_downloads_paused", "1 while downloads are paused because a disk is below its floor."
)

# Upper bound of the floor as a share of the file system, so that a small one stays usable.
_MAX_FLOOR_SHARE = 0.25
# Paused downloads resume at this multiple of the floor: otherwise each one would pause the next.
_RESUME_FACTOR = 1.1
_CHECK_INTERVAL = timedelta(seconds=15)
_GIGA, _MEGA = 10**9, 10**6

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class FileSystem:
    """`paths` are the measured paths on this file system; `free` is what an unprivileged user may still write."""

    paths: tuple[Path, ...]
    free: int
    total: int

    @property
    def name(self) -> str:
        return str(self.paths[0])


@dataclass(frozen=True)
class DiskFloorRule:
    """Downloads pause below `share` of a file system or below `min_bytes` bytes, whichever is more."""

    share: float
    min_bytes: int

    def floor_bytes(self, total: int) -> int:
        return int(min(max(self.share * total, self.min_bytes), _MAX_FLOOR_SHARE * total))

    def resume_bytes(self, total: int) -> int:
        return int(self.floor_bytes(total) * _RESUME_FACTOR)


@dataclass(frozen=True)
class DiskLevel:
    """A file system compared with its floor."""

    file_system: FileSystem
    floor_bytes: int
    resume_bytes: int
    is_paused: bool


def assess_level(file_system: FileSystem, rule: DiskFloorRule, *, was_paused: bool) -> DiskLevel:
    """Compare a file system with its floor. Between the floor and the resume level the previous state is kept."""
    floor, resume = rule.floor_bytes(file_system.total), rule.resume_bytes(file_system.total)
    return DiskLevel(file_system, floor, resume, is_paused=file_system.free < (resume if was_paused else floor))


def measure_file_systems(paths: Iterable[Path]) -> tuple[FileSystem, ...]:
    """Measure the file systems that hold `paths`, each once. One that cannot be measured is left out: writes to it fail
    with their own error.
    """
    found: dict[int, FileSystem] = {}
    for path in paths:
        place = _nearest_existing(path)
        try:
            device, known = place.stat().st_dev, os.statvfs(place)
        except OSError as error:
            logger.warning("free space of %s is unknown: %s", place, error, action="disk_unknown", path=str(place))
            continue
        others = found[device].paths if device in found else ()
        total = known.f_blocks * known.f_frsize
        found[device] = FileSystem((*others, path), known.f_bavail * known.f_frsize, total)
    return tuple(found.values())


def _nearest_existing(path: Path) -> Path:
    return next((place for place in (path, *path.parents) if place.exists()), path)


def format_size(size: int) -> str:
    return f"{size / _GIGA:.1f} GB" if size >= _GIGA else f"{max(size, 0) / _MEGA:.0f} MB"


def describe_level(level: DiskLevel) -> str:
    """Describe a file system for log and error messages."""
    system = level.file_system
    words = f"{system.name}: {format_size(system.free)} of {format_size(system.total)} free"
    if not level.is_paused:
        return f"{words}; downloads pause below {format_size(level.floor_bytes)}"
    resume = f"no new clip is downloaded until {format_size(level.resume_bytes)} are free"
    return f"{words}, below the floor of {format_size(level.floor_bytes)}: {resume}"


MeasureFileSystems = Callable[[Iterable[Path]], Sequence[FileSystem]]


@dataclass(frozen=True)
class ReclaimableSpace:
    """Files at `path` that can be fetched again: `reclaim` deletes about the given number of bytes of them, or as many
    as it can.
    """

    path: Path
    reclaim: Callable[[int], Awaitable[None]]


class DiskFloorMonitor:
    """Decides whether this machine starts new downloads. `reclaimable` files are deleted before downloads are
    paused.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        rule: DiskFloorRule,
        reclaimable: ReclaimableSpace | None = None,
        measure: MeasureFileSystems = measure_file_systems,
    ) -> None:
        self._paths = paths
        self._rule = rule
        self._reclaimable = reclaimable
        self._measure = measure
        self._paused: set[str] = set()
        self._reserved = 0

    @asynccontextmanager
    async def reserve_space(self, need: int) -> AsyncIterator[None]:
        """Reserve space for work that writes up to `need` bytes. Raises DiskLow if there is too little."""
        for one in await self.check_levels(need):
            if one.is_paused:
                raise DiskLow("disk", describe_level(one))
            if one.file_system.free - self._reserved - need < one.floor_bytes:
                raise DiskLow("disk", f"{describe_level(one)}, and this one may need {format_size(need)}")
        self._reserved += need
        try:
            yield
        finally:
            self._reserved -= need

    async def check_levels(self, need: int = 0) -> tuple[DiskLevel, ...]:
        """Measure the levels, after reclaiming space for `need` more bytes. Changes are logged."""
        levels = await self._measure_levels()
        if await self._reclaim_space(levels, need):
            levels = await self._measure_levels()
        for one in levels:
            self._record_level(one)
        DOWNLOADS_PAUSED.set(bool(self._paused))
        return levels

    async def watch_levels(self, every: timedelta = _CHECK_INTERVAL) -> None:
        """Check levels until cancelled: a disk may fill up while nothing is downloaded, and that must be logged."""
        while True:
            await self.check_levels()
            await asyncio.sleep(every.total_seconds())

    async def _measure_levels(self) -> tuple[DiskLevel, ...]:
        measured = await asyncio.to_thread(self._measure, self._paths)
        return tuple(assess_level(at, self._rule, was_paused=at.name in self._paused) for at in measured)

    async def _reclaim_space(self, levels: Iterable[DiskLevel], need: int) -> bool:
        if self._reclaimable is None:
            return False
        reserved = self._reserved + need
        missing = [
            one.resume_bytes + reserved - one.file_system.free
            for one in levels
            if self._reclaimable.path in one.file_system.paths
        ]
        if max(missing, default=0) <= 0:
            return False
        try:
            await self._reclaimable.reclaim(max(missing))
        except OSError as error:
            fields = {"path": str(self._reclaimable.path), "error": str(error)}
            logger.warning(
                "%s could not free space: %s", self._reclaimable.path, error, action="cache_not_trimmed", **fields
            )
        return True

    def _record_level(self, one: DiskLevel) -> None:
        DISK_FREE_BYTES.labels(one.file_system.name).set(one.file_system.free)
        fields = {
            "path": one.file_system.name,
            "free": one.file_system.free,
            "floor": one.floor_bytes,
            "resume": one.resume_bytes,
        }
        if one.is_paused and one.file_system.name not in self._paused:
            logger.warning("%s", describe_level(one), action="downloads_paused", **fields)
            self._paused.add(one.file_system.name)
        elif not one.is_paused and one.file_system.name in self._paused:
            logger.info("%s: clips are downloaded again", describe_level(one), action="downloads_resumed", **fields)
            self._paused.discard(one.file_system.name)
