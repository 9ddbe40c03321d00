"""Writes a backup into a new folder. It runs beside everything else: the records are those of one moment, and every
object that they name is read after it.
"""

import asyncio
import hashlib
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from bson.json_util import CANONICAL_JSON_OPTIONS, dumps

from found_footy.domain.ids import TRASH_PREFIX
from found_footy.keep.manifest import (
    COLLECTIONS,
    FORMAT,
    MANIFEST,
    OBJECT_LIST,
    OBJECTS,
    BackupFile,
    BackupManifest,
    BackupObject,
    hash_file,
)
from found_footy.keep.store import BackupStore, DatabaseSnapshot
from found_footy.platform.errors import BadInput, NotFound
from found_footy.platform.files import ensure_private_dir
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStore

# Downloads in work, and what is about to be deleted.
_LEFT_OUT_PREFIXES = ("scratch/", TRASH_PREFIX)
CLIP_STORE = "clips"

logger = ActionLogger(__name__)


@dataclass
class _HashedFile:
    """Lines of a file with what the manifest says about them."""

    file: IO[bytes]
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    entries: int = 0
    size: int = 0

    def write_line(self, text: str) -> None:
        line = text.encode() + b"\n"
        self.file.write(line)
        self.digest.update(line)
        self.entries += 1
        self.size += len(line)

    def describe(self) -> BackupFile:
        return BackupFile(entries=self.entries, bytes=self.size, sha256=self.digest.hexdigest())


@dataclass(frozen=True)
class BackupWriter:
    """`stores` are the object stores by name, empty for a backup of the records alone."""

    store: BackupStore
    stores: Mapping[str, ObjectStore]
    schema_version: int
    build: str

    async def write(self, folder: Path, now: datetime) -> BackupManifest:
        """Write the backup. `folder` must not exist: it appears when the backup is complete."""
        partial = _create_partial_folder(folder)
        try:
            manifest = await self._write_parts(partial, now)
            (partial / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
            partial.rename(folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        return manifest

    async def _write_parts(self, folder: Path, now: datetime) -> BackupManifest:
        async with self.store.open_snapshot() as snapshot:
            names = await self.store.list_collections()
            (folder / COLLECTIONS).mkdir()
            collections = {name: await self._write_collection(folder, snapshot, name) for name in names}
            wanted = await snapshot.find_clip_keys() if self.stores else set()
        objects: BackupFile | None = None
        missing: tuple[str, ...] = ()
        if self.stores:
            objects, found = await self._write_objects(folder)
            missing = tuple(sorted(wanted - found))
            if missing:
                logger.warning(
                    "%d objects that records name are not in the store", len(missing), action="backup_objects_missing"
                )
        return BackupManifest(
            format=FORMAT,
            build=self.build,
            created_at=now,
            schema_version=self.schema_version,
            collections=collections,
            objects=objects,
            missing=missing,
        )

    async def _write_collection(self, folder: Path, snapshot: DatabaseSnapshot, name: str) -> BackupFile:
        with (folder / COLLECTIONS / f"{name}.jsonl").open("wb") as file:
            written = _HashedFile(file)
            async for document in snapshot.iterate_documents(name):
                written.write_line(dumps(document, json_options=CANONICAL_JSON_OPTIONS))
        return written.describe()

    async def _write_objects(self, folder: Path) -> tuple[BackupFile, set[str]]:
        """Returns the list's entry in the manifest, and the keys of the clips' store."""
        found: set[str] = set()
        with (folder / OBJECT_LIST).open("wb") as file:
            written = _HashedFile(file)
            for name, objects in sorted(self.stores.items()):
                async for info in objects.list():
                    if info.key.startswith(_LEFT_OUT_PREFIXES):
                        continue
                    stored = await _write_object(folder, name, objects, info.key)
                    if stored is None:
                        continue
                    written.write_line(stored.model_dump_json())
                    found |= {info.key} if name == CLIP_STORE else set()
        return written.describe(), found


def _create_partial_folder(folder: Path) -> Path:
    if folder.exists():
        raise BadInput(f"{folder} exists; a backup is written into a new folder")
    partial = folder.with_name(f"{folder.name}.partial")
    if partial.exists():
        raise BadInput(f"{partial} exists: a backup is being written there, or was interrupted; delete it first")
    return ensure_private_dir(partial)


async def _write_object(folder: Path, name: str, objects: ObjectStore, key: str) -> BackupObject | None:
    """None if the object was deleted since it was listed."""
    scratch = folder / OBJECTS / "part"
    ensure_private_dir(scratch.parent)
    try:
        info = await objects.get_file(key, scratch)
    except NotFound:
        return None
    digest = await asyncio.to_thread(hash_file, scratch)
    stored = BackupObject(
        store=name,
        key=key,
        size=scratch.stat().st_size,
        sha256=digest,
        content_type=info.content_type,
        metadata=dict(info.metadata),
    )
    target = folder / stored.path
    ensure_private_dir(target.parent)
    scratch.replace(target)
    return stored


def count_entries(files: Iterable[BackupFile]) -> int:
    return sum(file.entries for file in files)
