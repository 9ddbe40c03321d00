"""Clips on this machine's disk, by the MD5 of their bytes. Only a shortcut: the scratch area has them all."""

import asyncio
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

_ABANDONED = timedelta(hours=1)
_MAX_AGE = timedelta(hours=6)
# A step that is under way may be reading what was added lately; it would only be fetched again.
_IN_USE = timedelta(minutes=10)


class ClipCache:
    """Keeps at most about `max_bytes`, the least recently added go first, and nothing for longer than `max_age`."""

    def __init__(self, root: Path, max_bytes: int, max_age: timedelta = _MAX_AGE) -> None:
        self._root = root
        self._work = root / "work"
        self._max_bytes = max_bytes
        self._max_age = max_age.total_seconds()

    @asynccontextmanager
    async def workspace(self) -> AsyncIterator[Path]:
        """A directory that is gone afterwards; what a killed process left behind goes after an hour."""
        await asyncio.to_thread(self._work.mkdir, parents=True, exist_ok=True)
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self._work))
        try:
            yield folder
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def path(self, md5: str) -> Path:
        """Where the clip would be; it may not be there."""
        return self._root / f"{md5}.mp4"

    async def kept(self, md5: str, size: int) -> Path | None:
        """The clip's file, if its bytes are those that its name says. One that a power cut left empty, short or with
        other bytes is removed.
        """
        return await asyncio.to_thread(self._kept, self.path(md5), md5, size)

    def _kept(self, path: Path, md5: str, size: int) -> Path | None:
        try:
            if path.stat().st_size == size and md5_of(path) == md5:
                return path
        except FileNotFoundError:
            return None
        path.unlink(missing_ok=True)
        return None

    async def names(self) -> list[str]:
        """The MD5s of the clips that are there."""
        return await asyncio.to_thread(lambda: sorted(entry.stem for entry in self._root.glob("*.mp4")))

    async def forget(self, md5: str) -> None:
        await asyncio.to_thread(self.path(md5).unlink, missing_ok=True)

    async def expire(self) -> None:
        """Delete clips that are too old, and what a killed process left behind."""
        await asyncio.to_thread(self._expire)

    def _expire(self) -> None:
        oldest = time.time() - self._max_age
        for entry in self._root.glob("*.mp4"):
            stat = _stat(entry)
            if stat is not None and stat.st_mtime < oldest:
                entry.unlink(missing_ok=True)
        if self._work.exists():
            self._forget_abandoned()

    async def adopt(self, file: Path, md5: str) -> Path:
        """Move a file from a workspace into the cache."""
        return await asyncio.to_thread(self._adopt, file, md5)

    async def give_way(self, wanted: int) -> None:
        """Free about `wanted` bytes of the disk, the least recently added first; the scratch area still has them."""
        await asyncio.to_thread(self._give_way, wanted)

    def _give_way(self, wanted: int) -> None:
        newest = time.time() - _IN_USE.total_seconds()
        for entry, stat in self._oldest_first():
            if wanted <= 0 or stat.st_mtime > newest:
                break
            entry.unlink(missing_ok=True)
            wanted -= stat.st_size
        self._forget_abandoned()

    def _oldest_first(self) -> list[tuple[Path, os.stat_result]]:
        sizes = [(entry, stat) for entry in self._root.glob("*.mp4") if (stat := _stat(entry)) is not None]
        return sorted(sizes, key=lambda item: item[1].st_mtime)

    def _adopt(self, file: Path, md5: str) -> Path:
        kept = file.replace(self.path(md5))
        self._trim(kept)
        return kept

    def _trim(self, newest: Path) -> None:
        sizes = self._oldest_first()
        excess = sum(stat.st_size for _, stat in sizes) - self._max_bytes
        for entry, stat in sizes:
            if excess <= 0:
                break
            if entry != newest:
                entry.unlink(missing_ok=True)
                excess -= stat.st_size
        self._forget_abandoned()

    def _forget_abandoned(self) -> None:
        oldest = time.time() - _ABANDONED.total_seconds()
        for folder in self._work.glob("*"):
            stat = _stat(folder)
            if stat is not None and stat.st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def md5_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _stat(path: Path) -> os.stat_result | None:
    """None for what another download has removed meanwhile."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None
