"""Putting a clip and what lies beside it from the scratch area to their final place, and proving that it arrived."""

import hashlib
from datetime import datetime

from found_footy.archive.messages import Uploaded
from found_footy.archive.records import object_metadata
from found_footy.model.handoff import Goal, ScreenedClip
from found_footy.model.ids import (
    clip_key,
    fingerprint_key,
    preview_key,
    scratch_fingerprint_key,
    scratch_preview_key,
    scratch_thumbnail_key,
    thumbnail_key,
)
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.objects import SYSTEM, ObjectInfo, ObjectStore


class Placer:
    """A clip that is in its place already is left as it is, so doing it again changes nothing."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def place(self, goal: Goal, clip: ScreenedClip, now: datetime) -> Uploaded:
        """The clip with its picture, preview and fingerprint. Only the clip itself is indispensable."""
        key = clip_key(goal.fixture_id, goal.event_id, clip.md5)
        try:
            await self._copy_clip(goal, clip, key)
        except NotFound as error:
            return Uploaded(clip, lost=str(error))
        picture = scratch_thumbnail_key(clip.scratch_key), thumbnail_key(goal.fixture_id, goal.event_id, clip.md5)
        loop = scratch_preview_key(clip.scratch_key), preview_key(goal.fixture_id, goal.event_id, clip.md5)
        return Uploaded(
            clip,
            key,
            thumbnail_key=await self._beside(goal, *picture, "image/jpeg"),
            stored_at=now,
            preview_key=await self._beside(goal, *loop, "video/mp4"),
            print_key=await self._print(goal, clip),
        )

    async def place_print(self, goal: Goal, clip: ScreenedClip) -> Uploaded:
        """The fingerprint alone, of a clip that lost to another."""
        return Uploaded(clip, print_key=await self._print(goal, clip))

    async def _copy_clip(self, goal: Goal, clip: ScreenedClip, key: str) -> None:
        there = await self._objects.head(key)
        if there is not None and await self._is(there, clip):
            return
        source = await self._objects.head(clip.scratch_key)
        if source is None or not await self._is(source, clip):
            raise NotFound(f"{clip.scratch_key} is gone, or is not what it was")
        copied = await self._objects.copy(
            clip.scratch_key, key, content_type="video/mp4", metadata=object_metadata(goal)
        )
        if not await self._is(copied, clip):
            raise Unavailable(SYSTEM, f"{key} arrived with other bytes than were sent")

    async def _is(self, info: ObjectInfo, clip: ScreenedClip) -> bool:
        """Whether an object has the clip's bytes. Its tag proves it where that is an MD5; it is none for what was
        stored in parts or is encrypted with keys of a key service, and there the bytes are read.
        """
        if info.size != clip.file_size:
            return False
        if info.tag_is_md5:
            return info.etag == clip.md5
        digest = hashlib.md5(usedforsecurity=False)
        async for chunk in (await self._objects.open(info.key)).chunks:
            digest.update(chunk)
        return digest.hexdigest() == clip.md5

    async def _print(self, goal: Goal, clip: ScreenedClip) -> str:
        if not clip.hash_version:
            return ""
        key = fingerprint_key(goal.fixture_id, goal.event_id, clip.md5)
        return await self._beside(goal, scratch_fingerprint_key(clip.scratch_key), key, "application/octet-stream")

    async def _beside(self, goal: Goal, source: str, key: str, content_type: str) -> str:
        """The key of the copy; empty if there is nothing to copy, which is no reason to lose the clip."""
        try:
            await self._objects.copy(source, key, content_type=content_type, metadata=object_metadata(goal))
        except NotFound:
            return key if await self._objects.head(key) else ""
        return key
