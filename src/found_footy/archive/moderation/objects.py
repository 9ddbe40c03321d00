"""The objects of a clip: its file, its side objects, and the fingerprint that is kept when the clip is blocked."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from found_footy.archive.moderation.model import BlockScope
from found_footy.domain.clip_files import COPIES_FIELD, FINGERPRINT, VIDEO, list_object_keys
from found_footy.domain.ids import TRASH_PREFIX
from found_footy.platform.objects import ObjectStore

# The folder for fingerprints of clips that were marked as the wrong goal.
_WRONG_GOAL_FOLDER = "/wrong/"
_GOAL_FOLDER = re.compile(r"[0-9]{1,16}/[^/]+")
_MD5_NAME = re.compile(r"(?:.*/)?(?P<md5>[0-9a-f]{32})[.-][^/]*")


def md5_from_key(key: str) -> str:
    """The MD5 in an object's name; empty if there is none."""
    found = _MD5_NAME.fullmatch(key)
    return found["md5"] if found else ""


@dataclass(frozen=True)
class FingerprintedFile:
    """A copy of a clip: its MD5, and the key of its fingerprint."""

    md5: str
    hash_version: str
    fingerprint_key: str


def list_files(clip: Mapping[str, Any]) -> list[FingerprintedFile]:
    """The winner of a clip, then the copies it replaced; their fingerprints are kept."""
    others = [row for row in clip.get(COPIES_FIELD) or () if row["md5"] != clip["md5"]]
    return [
        FingerprintedFile(clip["md5"], clip.get("hash_version") or "", clip_fingerprint_key(clip)),
        *(
            FingerprintedFile(row["md5"], row.get("hash_version") or "", row.get(FINGERPRINT.key_field) or "")
            for row in others
        ),
    ]


def clip_fingerprint_key(clip: Mapping[str, Any]) -> str:
    return str(clip.get(FINGERPRINT.key_field) or FINGERPRINT.key_beside(clip[VIDEO.key_field]))


def blocked_fingerprint_key(scope: BlockScope, fixture_id: int, event_id: str, md5: str) -> str:
    """Where the fingerprint of a blocked clip is kept: for as long as the blocklist entry, or as the goal."""
    if scope is BlockScope.TAKEN_DOWN:
        return f"blocklist/{md5}{FINGERPRINT.suffix}"
    return f"{fixture_id}/{event_id}/wrong/{md5}{FINGERPRINT.suffix}"


class ClipObjectStore:
    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def preserve_fingerprint(self, file: FingerprintedFile, target: str) -> str:
        """Copy a file's fingerprint to `target`, where it outlives the clip. Empty if there is none."""
        if await self._objects.head(target) is not None:
            return target
        if not file.fingerprint_key or await self._objects.head(file.fingerprint_key) is None:
            return ""
        await self._objects.copy(file.fingerprint_key, target, content_type=FINGERPRINT.content_type)
        return target

    async def delete_clip(
        self, clip: Mapping[str, Any], event_id: str, md5s: Collection[str], in_use: Collection[str]
    ) -> None:
        """Delete all objects of a clip and of its replaced copies: those in the record, side objects, evidence, scratch
        files, and the same in the trash. Objects that another clip's record refers to stay.
        """
        for key in sorted(list_object_keys(clip) - set(in_use)):
            await self._objects.delete(key)
        for prefix in sorted(_object_prefixes(clip, event_id)):
            async for info in self._objects.list(prefix):
                if md5_from_key(info.key) in md5s and info.key not in in_use and _WRONG_GOAL_FOLDER not in info.key:
                    await self._objects.delete(info.key)


def _object_prefixes(clip: Mapping[str, Any], event_id: str) -> set[str]:
    """Prefixes of the objects of a clip's files. A re-attributed goal has more than one folder."""
    folders = {key.rpartition("/")[0] for key in list_object_keys(clip)}
    goals = {folder for folder in folders if _GOAL_FOLDER.fullmatch(folder)} | {
        f"{event_id.partition('_')[0]}/{event_id}"
    }
    scratch = {f"scratch/{goal.partition('/')[2]}" for goal in goals}
    return {f"{place}{folder}/" for folder in goals | scratch for place in ("", TRASH_PREFIX)}
