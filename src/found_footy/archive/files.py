"""Copies a clip and its side objects from the scratch area to their final keys, and verifies the copy."""

import hashlib
from datetime import datetime

from found_footy.archive.dedup.records import object_metadata
from found_footy.archive.messages import UploadedClip
from found_footy.domain.clip_files import FINGERPRINT, SIDE_OBJECTS, VIDEO, ClipObject
from found_footy.domain.messages import Goal, ScreenedClip
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.objects import SYSTEM, ObjectInfo, ObjectStore


class ClipUploader:
    """Idempotent: a clip that is at its final key already is left as it is."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def upload(self, goal: Goal, clip: ScreenedClip, now: datetime) -> UploadedClip:
        """Copy the clip with its thumbnail, preview and fingerprint. Only the clip itself is required."""
        key = VIDEO.key(goal.fixture_id, goal.event_id, clip.md5)
        try:
            await self._copy_clip(goal, clip, key)
        except NotFound as error:
            return UploadedClip(clip, missing_reason=str(error))
        beside = {kind.key_field: await self._copy_side_object(goal, clip, kind) for kind in SIDE_OBJECTS}
        return UploadedClip(clip, key, stored_at=now, **beside)

    async def upload_fingerprint(self, goal: Goal, clip: ScreenedClip) -> UploadedClip:
        """Copy only the fingerprint, of a clip that is not the winner."""
        return UploadedClip(clip, fingerprint_key=await self._copy_side_object(goal, clip, FINGERPRINT))

    async def _copy_clip(self, goal: Goal, clip: ScreenedClip, key: str) -> None:
        there = await self._objects.head(key)
        if there is not None and await self._has_clip_bytes(there, clip):
            return
        source = await self._objects.head(clip.scratch_key)
        if source is None or not await self._has_clip_bytes(source, clip):
            raise NotFound(f"{clip.scratch_key} is missing, or its bytes have changed")
        copied = await self._objects.copy(
            clip.scratch_key, key, content_type=VIDEO.content_type, metadata=object_metadata(goal)
        )
        if not await self._has_clip_bytes(copied, clip):
            raise Unavailable(SYSTEM, f"{key} was stored with other bytes than were sent")

    async def _has_clip_bytes(self, info: ObjectInfo, clip: ScreenedClip) -> bool:
        """Whether an object has the clip's bytes. The ETag proves it if it is an MD5; it is none for multipart uploads
        or objects encrypted with KMS keys, and then the bytes are read.
        """
        if info.size != clip.file_size:
            return False
        if info.is_etag_md5:
            return info.etag == clip.md5
        digest = hashlib.md5(usedforsecurity=False)
        async for chunk in (await self._objects.open(info.key)).chunks:
            digest.update(chunk)
        return digest.hexdigest() == clip.md5

    async def _copy_side_object(self, goal: Goal, clip: ScreenedClip, kind: ClipObject) -> str:
        """The key of the copy; empty if there is nothing to copy, which does not fail the upload."""
        if kind is FINGERPRINT and not clip.hash_version:
            return ""
        source, key = kind.key_beside(clip.scratch_key), kind.key(goal.fixture_id, goal.event_id, clip.md5)
        try:
            await self._objects.copy(source, key, content_type=kind.content_type, metadata=object_metadata(goal))
        except NotFound:
            return key if await self._objects.head(key) else ""
        return key
