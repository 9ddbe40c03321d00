"""Verifies a backup completely, then restores it into an empty installation.

Until the end the database carries a mark, with which no other process starts. A restore that was interrupted is
repeated with the same backup: objects and documents that are there already are written again.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from bson.errors import BSONError
from bson.json_util import CANONICAL_JSON_OPTIONS, loads
from pydantic import ValidationError

from found_footy.domain.collections import GOAL_COLLECTIONS
from found_footy.keep.backup import CLIP_STORE
from found_footy.keep.clip_keys import list_fixture_keys
from found_footy.keep.manifest import (
    COLLECTIONS,
    MANIFEST,
    OBJECT_LIST,
    BackupFile,
    BackupManifest,
    BackupObject,
    hash_file,
    read_manifest,
)
from found_footy.keep.store import INSTALLATION, LEFT_OUT_COLLECTIONS, BackupStore
from found_footy.platform.errors import BadInput, Conflict
from found_footy.platform.failpoints import failpoint
from found_footy.platform.mongo import Document
from found_footy.platform.objects import ObjectStore

_BATCH = 200
# Larger than a document of MongoDB as text.
_MAX_LINE_BYTES = 64 * 2**20


@dataclass(frozen=True)
class VerifiedBackup:
    folder: Path
    name: str
    manifest: BackupManifest

    def iterate_documents(self, collection: str) -> Iterator[Document]:
        return _iterate_documents(self.folder / COLLECTIONS / f"{collection}.jsonl")

    def iterate_objects(self) -> Iterator[BackupObject]:
        return _iterate_objects(self.folder / OBJECT_LIST) if self.manifest.objects else iter(())


def verify_backup(folder: Path, schema_version: int) -> VerifiedBackup:
    """Read every file and compare it with the manifest. Raises BadInput that names the first one that differs."""
    manifest, name = read_manifest(folder)
    if manifest.schema_version > schema_version:
        raise BadInput(
            f"the backup has schema version {manifest.schema_version}, this build knows {schema_version}: "
            f"restore it with {manifest.build} or a newer build"
        )
    expected = {Path(MANIFEST)}
    for collection, about in manifest.collections.items():
        if collection == INSTALLATION:
            raise BadInput(f"{collection} does not belong into a backup")
        path = Path(COLLECTIONS) / f"{collection}.jsonl"
        _verify_file(folder, path, about)
        _require_entries(path, about, sum(1 for _ in _iterate_documents(folder / path)))
        expected.add(path)
    if manifest.objects:
        _verify_file(folder, Path(OBJECT_LIST), manifest.objects)
        expected.add(Path(OBJECT_LIST))
        listed = 0
        for one in _iterate_objects(folder / OBJECT_LIST):
            _verify_object(folder, one)
            expected.add(one.path)
            listed += 1
        _require_entries(Path(OBJECT_LIST), manifest.objects, listed)
    _refuse_strangers(folder, expected)
    return VerifiedBackup(folder, name, manifest)


def _verify_file(folder: Path, path: Path, about: BackupFile) -> None:
    if not (folder / path).is_file():
        raise BadInput(f"{path} is missing from the backup")
    if (folder / path).stat().st_size != about.bytes or hash_file(folder / path) != about.sha256:
        raise BadInput(f"{path} is not the file that was backed up: its hash differs")


def _verify_object(folder: Path, one: BackupObject) -> None:
    path = folder / one.path
    if not path.is_file():
        raise BadInput(f"{one.path} ({one.key}) is missing from the backup")
    if path.stat().st_size != one.size or hash_file(path) != one.sha256:
        raise BadInput(f"{one.path} ({one.key}) is not the object that was backed up: its hash differs")


def _require_entries(path: Path, about: BackupFile, found: int) -> None:
    if found != about.entries:
        raise BadInput(f"{path} has {found} entries instead of {about.entries}")


def _refuse_strangers(folder: Path, expected: set[Path]) -> None:
    """A file that no list names was not made by the backup."""
    for path in folder.rglob("*"):
        if path.is_symlink() or (path.is_file() and path.relative_to(folder) not in expected):
            raise BadInput(f"{path.relative_to(folder)} does not belong to the backup")


def _iterate_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(_MAX_LINE_BYTES + 1):
            if len(line) > _MAX_LINE_BYTES:
                raise BadInput(f"{path.name} has a line that is longer than a document can be")
            yield line


def _iterate_documents(path: Path) -> Iterator[Document]:
    for number, line in enumerate(_iterate_lines(path), 1):
        try:
            document = loads(line, json_options=CANONICAL_JSON_OPTIONS)
        except (ValueError, TypeError, BSONError) as error:
            raise BadInput(f"line {number} of {path.name} is not a document: {str(error)[:200]}") from error
        if not isinstance(document, dict) or "_id" not in document:
            raise BadInput(f"line {number} of {path.name} is not a document with an _id")
        yield document


def _iterate_objects(path: Path) -> Iterator[BackupObject]:
    for number, line in enumerate(_iterate_lines(path), 1):
        try:
            yield BackupObject.model_validate_json(line)
        except ValidationError as error:
            raise BadInput(f"line {number} of {path.name} is not an object: {str(error)[:200]}") from error


@dataclass(frozen=True)
class BackupRestorer:
    store: BackupStore
    stores: Mapping[str, ObjectStore]

    async def restore(self, backup: VerifiedBackup, now: datetime, *, allow_missing: bool = False) -> None:
        """Raises Conflict, before anything is written, unless the installation is empty or holds a part of this very
        backup. `allow_missing` accepts clips without their objects.
        """
        known = await self.store.find_restore()
        if known is None:
            await self._refuse_data(backup)
        if not allow_missing:
            await self._refuse_missing_objects(backup)
        await self.store.begin_restore(backup.name, now)
        failpoint("keep.restore_begun")
        for one in backup.iterate_objects():
            await self._store_of(one).put_file(
                one.key, backup.folder / one.path, content_type=one.content_type, metadata=one.metadata
            )
        failpoint("keep.objects_restored")
        # An older build may have backed up what is left out today.
        for collection in sorted(backup.manifest.collections.keys() - LEFT_OUT_COLLECTIONS):
            documents = backup.iterate_documents(collection)
            while batch := await asyncio.to_thread(lambda: list(islice(documents, _BATCH))):  # noqa: B023  used at once
                await self.store.write_documents(collection, batch)
            failpoint("keep.collection_restored")
        await self.store.set_schema_version(backup.manifest.schema_version)
        await self.store.end_restore(backup.name)

    async def _refuse_data(self, backup: VerifiedBackup) -> None:
        if occupied := await self.store.find_occupied():
            raise Conflict(f"the database is not empty ({occupied} has documents): restore into an empty one")
        for name in {one.store for one in backup.iterate_objects()}:
            if name not in self.stores:
                raise BadInput(f"there is no object store {name} to restore into")
            async for info in self.stores[name].list():
                bucket = self.stores[name].bucket
                raise Conflict(f"the bucket {bucket} is not empty ({info.key}): restore into an empty one")

    async def _refuse_missing_objects(self, backup: VerifiedBackup) -> None:
        """Every clip needs its objects: from the backup, or in the bucket already."""
        if CLIP_STORE not in self.stores:
            return
        there = {one.key for one in backup.iterate_objects() if one.store == CLIP_STORE}
        if not backup.manifest.objects:
            there |= {info.key async for info in self.stores[CLIP_STORE].list()}
        missing = sorted(find_clip_keys(backup) - there - set(backup.manifest.missing))
        if missing:
            raise Conflict(
                f"{len(missing)} objects of clips are neither in the backup nor in the bucket (first: {missing[0]}): "
                "restore the bucket first, or accept the loss with --allow-missing"
            )

    def _store_of(self, one: BackupObject) -> ObjectStore:
        return self.stores[one.store]


def find_clip_keys(backup: VerifiedBackup) -> set[str]:
    """Return the key of every object that the clips in the backup name."""
    collections = [name for name in GOAL_COLLECTIONS if name in backup.manifest.collections]
    return {key for name in collections for one in backup.iterate_documents(name) for key in list_fixture_keys(one)}
