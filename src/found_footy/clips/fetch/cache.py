"""Cache of clips on the worker's disk, by MD5. The scratch area has all of them."""

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

_ABANDONED_AFTER = timedelta(hours=1)
_DEFAULT_MAX_AGE = timedelta(hours=6)
# A running activity may be reading a file added within this time; evicting it would only cause another fetch.
_IN_USE_WINDOW = timedelta(minutes=10)


class ClipCache:
    """Holds at most about `max_bytes`, evicting the least recently added first, and nothing for longer than
    `max_age`.
    """

    def __init__(self, root: Path, max_bytes: int, max_age: timedelta = _DEFAULT_MAX_AGE) -> None:
        self._root = root
        self._workspaces = root / "work"
        self._max_bytes = max_bytes
        self._max_age = max_age.total_seconds()

    @asynccontextmanager
    async def workspace(self) -> AsyncIterator[Path]:
        """A temporary directory for the block; directories that a killed process left are deleted after an hour."""
        await asyncio.to_thread(self._workspaces.mkdir, parents=True, exist_ok=True)
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self._workspaces))
        try:
            yield folder
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def path(self, md5: str) -> Path:
        """The path of the clip, which may not exist."""
        return self._root / f"{md5}.mp4"

    async def get_verified(self, md5: str, size: int) -> Path | None:
        """The clip's file if it has the expected bytes. One that a power cut left empty, short or corrupt is
        deleted.
        """
        return await asyncio.to_thread(self._get_verified, self.path(md5), md5, size)

    def _get_verified(self, path: Path, md5: str, size: int) -> Path | None:
        try:
            if path.stat().st_size == size and compute_md5(path) == md5:
                return path
        except FileNotFoundError:
            return None
        path.unlink(missing_ok=True)
        return None

    async def list_md5s(self) -> list[str]:
        """The MD5s of the cached clips."""
        return await asyncio.to_thread(lambda: sorted(entry.stem for entry in self._root.glob("*.mp4")))

    async def delete(self, md5: str) -> None:
        await asyncio.to_thread(self.path(md5).unlink, missing_ok=True)

    async def delete_expired(self) -> None:
        """Delete clips that are too old, and directories that a killed process left."""
        await asyncio.to_thread(self._delete_expired)

    def _delete_expired(self) -> None:
        oldest = time.time() - self._max_age
        for entry in self._root.glob("*.mp4"):
            stat = _stat_or_none(entry)
            if stat is not None and stat.st_mtime < oldest:
                entry.unlink(missing_ok=True)
        if self._workspaces.exists():
            self._delete_abandoned_workspaces()

    async def add_file(self, file: Path, md5: str) -> Path:
        """Move a file from a workspace into the cache."""
        return await asyncio.to_thread(self._add_file, file, md5)

    async def free_space(self, bytes_wanted: int) -> None:
        """Free about `bytes_wanted` bytes, the least recently added first; the scratch area still has the clips."""
        await asyncio.to_thread(self._free_space, bytes_wanted)

    def _free_space(self, bytes_wanted: int) -> None:
        newest = time.time() - _IN_USE_WINDOW.total_seconds()
        for entry, stat in self._list_oldest_first():
            if bytes_wanted <= 0 or stat.st_mtime > newest:
                break
            entry.unlink(missing_ok=True)
            bytes_wanted -= stat.st_size
        self._delete_abandoned_workspaces()

    def _list_oldest_first(self) -> list[tuple[Path, os.stat_result]]:
        sizes = [(entry, stat) for entry in self._root.glob("*.mp4") if (stat := _stat_or_none(entry)) is not None]
        return sorted(sizes, key=lambda item: item[1].st_mtime)

    def _add_file(self, file: Path, md5: str) -> Path:
        kept = file.replace(self.path(md5))
        self._evict_excess(kept)
        return kept

    def _evict_excess(self, newest: Path) -> None:
        sizes = self._list_oldest_first()
        excess = sum(stat.st_size for _, stat in sizes) - self._max_bytes
        for entry, stat in sizes:
            if excess <= 0:
                break
            if entry != newest:
                entry.unlink(missing_ok=True)
                excess -= stat.st_size
        self._delete_abandoned_workspaces()

    def _delete_abandoned_workspaces(self) -> None:
        oldest = time.time() - _ABANDONED_AFTER.total_seconds()
        for folder in self._workspaces.glob("*"):
            stat = _stat_or_none(folder)
            if stat is not None and stat.st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def compute_md5(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _stat_or_none(path: Path) -> os.stat_result | None:
    """None for a file that another download has deleted meanwhile."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None
