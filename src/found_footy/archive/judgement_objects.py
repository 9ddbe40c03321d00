"""The objects of a clip: its file, what lies beside it, and the fingerprint that outlives it when it is sent away."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from found_footy.archive.judgement import Scope
from found_footy.model.ids import TRASH
from found_footy.platform.objects import ObjectStore

# What lies beside {fixture}/{event}/{md5}.mp4 has the same name with another ending.
SIDES = (".mp4", ".jpg", ".preview.mp4", ".print")
NAMED_BY_RECORD = ("_s3_key", "thumbnail_key", "preview_key", "fingerprint_key")
_FINGERPRINT = "application/octet-stream"
# Where a goal keeps the fingerprints of clips that are not its own.
_WRONG = "/wrong/"
_GOAL = re.compile(r"[0-9]{1,16}/[^/]+")
_MD5_NAME = re.compile(r"(?:.*/)?(?P<md5>[0-9a-f]{32})[.-][^/]*")


def stem(key: str) -> str:
    """A key without its ending: what all objects of one file share."""
    folder, slash, name = key.rpartition("/")
    return folder + slash + name.partition(".")[0]


def md5_named(key: str) -> str:
    """The MD5 of the file that an object is, or belongs to by its name; empty if its name has none."""
    found = _MD5_NAME.fullmatch(key)
    return found["md5"] if found else ""


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

    async def delete(
        self, clip: Mapping[str, Any], event_id: str, md5s: Collection[str], in_use: Collection[str]
    ) -> None:
        """Delete everything of a clip and of the files that lost to it: what the record names, what lies beside it,
        evidence, scratch files, and the same in the trash. What another clip's record names stays.
        """
        for key in sorted(keys_of(clip) - set(in_use)):
            await self._objects.delete(key)
        for prefix in sorted(_places(clip, event_id)):
            async for info in self._objects.list(prefix):
                if md5_named(info.key) in md5s and info.key not in in_use and _WRONG not in info.key:
                    await self._objects.delete(info.key)


def _places(clip: Mapping[str, Any], event_id: str) -> set[str]:
    """Where objects of a clip's files may lie. A goal that changed its id has more than one folder."""
    folders = {key.rpartition("/")[0] for key in keys_of(clip)}
    goals = {folder for folder in folders if _GOAL.fullmatch(folder)} | {f"{event_id.partition('_')[0]}/{event_id}"}
    scratch = {f"scratch/{goal.partition('/')[2]}" for goal in goals}
    return {f"{place}{folder}/" for folder in goals | scratch for place in ("", TRASH)}
