"""The objects of a clip: its file, what lies beside it, and the fingerprint that outlives it when it is sent away."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from found_footy.archive.judgement import Scope
from found_footy.model.ids import (
    scratch_fingerprint_key,
    scratch_key,
    scratch_preview_key,
    scratch_thumbnail_key,
)
from found_footy.platform.objects import ObjectStore

# What lies beside {fixture}/{event}/{md5}.mp4 has the same name with another ending.
SIDES = (".mp4", ".jpg", ".preview.mp4", ".print")
NAMED_BY_RECORD = ("_s3_key", "thumbnail_key", "preview_key", "fingerprint_key")
_FINGERPRINT = "application/octet-stream"


def stem(key: str) -> str:
    """A key without its ending: what all objects of one file share."""
    folder, slash, name = key.rpartition("/")
    return folder + slash + name.partition(".")[0]


def keys_of(clip: Mapping[str, Any]) -> frozenset[str]:
    """Every key that a clip's record names, or that belongs to its file by its name."""
    named = {clip.get(field) for field in NAMED_BY_RECORD}
    named |= {row.get("fingerprint_key") for row in clip.get("_members") or ()}
    beside = {stem(clip["_s3_key"]) + side for side in SIDES} if clip.get("_s3_key") else set()
    return frozenset(key for key in named | beside if key)


@dataclass(frozen=True)
class File:
    """A file that a clip is, or was found as: its bytes, and the object that has its fingerprint."""

    md5: str
    hash_version: str
    print_key: str


def files_of(clip: Mapping[str, Any]) -> list[File]:
    """The file that stands for a clip, then those that lost to it; their fingerprints outlived them."""
    others = [row for row in clip.get("_members") or () if row["md5"] != clip["md5"]]
    return [
        File(clip["md5"], clip.get("hash_version") or "", print_key_of(clip)),
        *(File(row["md5"], row.get("hash_version") or "", row.get("fingerprint_key") or "") for row in others),
    ]


def print_key_of(clip: Mapping[str, Any]) -> str:
    return str(clip.get("fingerprint_key") or f"{stem(clip['_s3_key'])}.print")


def kept_print_key(scope: Scope, fixture_id: int, event_id: str, md5: str) -> str:
    """Where the fingerprint of a clip that was sent away is kept: as long as the blocklist, or as long as the goal."""
    if scope is Scope.TAKEN_DOWN:
        return f"blocklist/{md5}.print"
    return f"{fixture_id}/{event_id}/wrong/{md5}.print"


class ClipObjects:
    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def keep_print(self, file: File, target: str) -> str:
        """Copy a file's fingerprint to where it outlives the clip. Empty if it has none."""
        if await self._objects.head(target) is not None:
            return target
        if not file.print_key or await self._objects.head(file.print_key) is None:
            return ""
        await self._objects.copy(file.print_key, target, content_type=_FINGERPRINT)
        return target

    async def delete(self, clip: Mapping[str, Any], event_id: str) -> int:
        """Delete everything of a clip, evidence and leftovers included. Returns how many objects there were."""
        deleted = 0
        async for key in self._existing(clip, event_id):
            await self._objects.delete(key)
            deleted += 1
        return deleted

    async def _existing(self, clip: Mapping[str, Any], event_id: str) -> AsyncIterator[str]:
        scratch = scratch_key(event_id, clip["md5"])
        leftovers = (scratch, *(beside(scratch) for beside in (
            scratch_thumbnail_key, scratch_preview_key, scratch_fingerprint_key)))  # fmt: skip
        for key in (*sorted(keys_of(clip)), *leftovers):
            if await self._objects.head(key) is not None:
                yield key
        folder = str(clip["_s3_key"]).rpartition("/")[0]
        async for info in self._objects.list(f"{folder}/evidence/{clip['md5']}-"):
            yield info.key
