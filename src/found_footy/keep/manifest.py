"""The files of a backup.

    manifest.json               what the backup holds, with the hash of every other file but the objects
    collections/<name>.jsonl    one document per line, canonical extended JSON, in the order of their ids
    objects.jsonl               one line per object: store, key, size, content type, metadata, SHA-256
    objects/<xx>/<sha256>       the bytes, named by their hash

No name in a backup is a path: collections have plain names, and objects are found by their hash.
"""

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from found_footy.platform.errors import BadInput

MANIFEST = "manifest.json"
COLLECTIONS = "collections"
OBJECT_LIST = "objects.jsonl"
OBJECTS = "objects"
FORMAT = 1
_MAX_MANIFEST_BYTES = 4 * 2**20
_READ_BYTES = 2**20

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
CollectionName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,99}$")]
Count = Annotated[int, Field(ge=0)]


class _BackupModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BackupFile(_BackupModel):
    """`entries` are lines: documents or objects."""

    entries: Count
    bytes: Count
    sha256: Sha256


class BackupManifest(_BackupModel):
    """`objects` is None for a backup of the records alone. `missing` are keys that a clip's record named and the store
    did not have.
    """

    format: Literal[1]
    build: str
    created_at: datetime
    schema_version: Annotated[int, Field(ge=1)]
    collections: dict[CollectionName, BackupFile]
    objects: BackupFile | None = None
    missing: tuple[str, ...] = ()


class BackupObject(_BackupModel):
    """One line of the list of objects."""

    store: CollectionName
    key: Annotated[str, Field(min_length=1, max_length=1024)]
    size: Count
    sha256: Sha256
    content_type: str
    metadata: dict[str, str] = {}

    @property
    def path(self) -> Path:
        return Path(OBJECTS) / self.sha256[:2] / self.sha256


def read_manifest(folder: Path) -> tuple[BackupManifest, str]:
    """Return the manifest and its hash, which names the backup. Raises BadInput if there is none that can be read."""
    path = folder / MANIFEST
    if not path.is_file():
        raise BadInput(f"{folder} is not a complete backup: it has no {MANIFEST}")
    if path.stat().st_size > _MAX_MANIFEST_BYTES:
        raise BadInput(f"{path} is larger than a manifest can be")
    content = path.read_bytes()
    try:
        return BackupManifest.model_validate_json(content), hashlib.sha256(content).hexdigest()
    except ValidationError as error:
        raise BadInput(f"{path} cannot be read: {str(error)[:500]}") from error


def hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(_READ_BYTES), b""):
            digest.update(block)
    return digest.hexdigest()
