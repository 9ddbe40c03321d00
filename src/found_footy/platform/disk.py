"""Free space on this machine's file systems: measured here alone, and held against a floor.

Below the floor nothing new is taken in. What is left belongs to the databases, whose servers end or refuse every write
on a full disk, and to the work that has begun.
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

FREE_BYTES = Gauge("found_footy_disk_free_bytes", "Free space of a file system that is written to.", ["path"])
PAUSED = Gauge("found_footy_downloads_paused", "1 while no download begins because a disk is below its floor.")

# On a small file system the floor is never more than this share of it, so that some of it can be used at all.
_MOST_OF_IT = 0.25
# Paused downloads begin again with this much more than the floor: else each one would pause the next.
_RESUME_AT = 1.1
_LOOK_EVERY = timedelta(seconds=15)
_GIGA, _MEGA = 10**9, 10**6

log = ActionLogger(__name__)


@dataclass(frozen=True)
class FileSystem:
    """`paths` are those asked about that lie on it; `free` is what an ordinary user may still write."""

    paths: tuple[Path, ...]
    free: int
    total: int

    @property
    def name(self) -> str:
        return str(self.paths[0])


@dataclass(frozen=True)
class FloorRule:
    """Downloads pause below `share` of a file system or below `least` bytes, whichever is more."""

    share: float
    least: int

    def floor(self, total: int) -> int:
        return int(min(max(self.share * total, self.least), _MOST_OF_IT * total))

    def resume(self, total: int) -> int:
        return int(self.floor(total) * _RESUME_AT)


@dataclass(frozen=True)
class Level:
    """A file system held against its floor."""

    at: FileSystem
    floor: int
    resume: int
    paused: bool


def level(at: FileSystem, rule: FloorRule, *, was_paused: bool) -> Level:
    """Between the floor and the point of resuming, what was paused stays paused and what was not is not."""
    floor, resume = rule.floor(at.total), rule.resume(at.total)
    return Level(at, floor, resume, paused=at.free < (resume if was_paused else floor))


def file_systems(paths: Iterable[Path]) -> tuple[FileSystem, ...]:
    """Those that hold `paths`, each once. One that cannot be asked is left out: writing to it fails with its reason."""
    found: dict[int, FileSystem] = {}
    for path in paths:
        place = _existing(path)
        try:
            device, known = place.stat().st_dev, os.statvfs(place)
        except OSError as error:
            log.warning("free space of %s is not known: %s", place, error, action="disk_unknown", path=str(place))
            continue
        others = found[device].paths if device in found else ()
        total = known.f_blocks * known.f_frsize
        found[device] = FileSystem((*others, path), known.f_bavail * known.f_frsize, total)
    return tuple(found.values())


def _existing(path: Path) -> Path:
    return next((place for place in (path, *path.parents) if place.exists()), path)


def in_words(size: int) -> str:
    return f"{size / _GIGA:.1f} GB" if size >= _GIGA else f"{max(size, 0) / _MEGA:.0f} MB"


def described(one: Level) -> str:
    """What is known of a file system, for people."""
    words = f"{one.at.name}: {in_words(one.at.free)} of {in_words(one.at.total)} free"
    if not one.paused:
        return f"{words}; downloads pause below {in_words(one.floor)}"
    resume = f"no new clip is downloaded until {in_words(one.resume)} are free"
    return f"{words}, below the floor of {in_words(one.floor)}: {resume}"


Measure = Callable[[Iterable[Path]], Sequence[FileSystem]]


@dataclass(frozen=True)
class Spare:
    """What lies at `path` can be had again: `give_way` frees about so many bytes of it, or as many as it can."""

    path: Path
    give_way: Callable[[int], Awaitable[None]]


class DiskFloor:
    """Whether this machine takes in anything new. What is `spare` gives way before anything is paused."""

    def __init__(
        self, paths: Sequence[Path], rule: FloorRule, spare: Spare | None = None, measure: Measure = file_systems
    ) -> None:
        self._paths = paths
        self._rule = rule
        self._spare = spare
        self._measure = measure
        self._paused: set[str] = set()
        self._reserved = 0

    @asynccontextmanager
    async def taking(self, need: int) -> AsyncIterator[None]:
        """For work that will write up to `need` bytes. DiskLow if that must wait: there is too little room for it."""
        for one in await self.look(need):
            if one.paused:
                raise DiskLow("disk", described(one))
            if one.at.free - self._reserved - need < one.floor:
                raise DiskLow("disk", f"{described(one)}, and this one may need {in_words(need)}")
        self._reserved += need
        try:
            yield
        finally:
            self._reserved -= need

    async def look(self, need: int = 0) -> tuple[Level, ...]:
        """The levels as they are, once what is spare has given way to `need` more bytes. Changes are logged."""
        levels = await self._levels()
        if await self._has_given_way(levels, need):
            levels = await self._levels()
        for one in levels:
            self._note(one)
        PAUSED.set(bool(self._paused))
        return levels

    async def keep_looking(self, every: timedelta = _LOOK_EVERY) -> None:
        """Until cancelled: a disk may fill up while nothing is downloaded, and the log is to tell."""
        while True:
            await self.look()
            await asyncio.sleep(every.total_seconds())

    async def _levels(self) -> tuple[Level, ...]:
        measured = await asyncio.to_thread(self._measure, self._paths)
        return tuple(level(at, self._rule, was_paused=at.name in self._paused) for at in measured)

    async def _has_given_way(self, levels: Iterable[Level], need: int) -> bool:
        if self._spare is None:
            return False
        taken = self._reserved + need
        missing = [one.resume + taken - one.at.free for one in levels if self._spare.path in one.at.paths]
        if max(missing, default=0) <= 0:
            return False
        try:
            await self._spare.give_way(max(missing))
        except OSError as error:
            told = {"path": str(self._spare.path), "error": str(error)}
            log.warning("%s could not give way: %s", self._spare.path, error, action="cache_not_trimmed", **told)
        return True

    def _note(self, one: Level) -> None:
        FREE_BYTES.labels(one.at.name).set(one.at.free)
        told = {"path": one.at.name, "free": one.at.free, "floor": one.floor, "resume": one.resume}
        if one.paused and one.at.name not in self._paused:
            log.warning("%s", described(one), action="downloads_paused", **told)
            self._paused.add(one.at.name)
        elif not one.paused and one.at.name in self._paused:
            log.info("%s: clips are downloaded again", described(one), action="downloads_resumed", **told)
            self._paused.discard(one.at.name)
