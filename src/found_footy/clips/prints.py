"""Fingerprints of clips, made by a child process with limits: a stranger's file must never take the worker down."""

import asyncio
import base64
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from found_footy.clips.decoding import blamed_on_the_file
from found_footy.clips.messages import ClipFile, ClipHash
from found_footy.fingerprint import CorruptFingerprint, Fingerprint, Undecodable, VersionMismatch
from found_footy.model.ids import scratch_fingerprint_key
from found_footy.platform.media import MediaFault, MediaLimits, Unusable, in_child
from found_footy.platform.objects import ObjectStore

LIMITS = MediaLimits(time=timedelta(seconds=120), cpu_seconds=100, answer=2 * 2**20)


class PrintMaker:
    """Makes `at_once` of them at the same time; the others wait."""

    def __init__(self, objects: ObjectStore, at_once: int = 2, limits: MediaLimits = LIMITS) -> None:
        self._objects = objects
        self._turns = asyncio.Semaphore(at_once)
        self._limits = limits

    async def make(self, clip: ClipFile, path: Path) -> ClipHash:
        """The fingerprint's bytes go beside the clip; what is returned names them. Undecodable is the clip's fault,
        DiskFailed is not, DecoderFailed may be.
        """
        async with self._turns:
            said = await in_child("found_footy.clips.prints_child", [path], self._limits)
        made = said if isinstance(said, Unusable) else await asyncio.to_thread(_read, said)
        if isinstance(made, Unusable):
            why = blamed_on_the_file(made)
            raise Undecodable(f"{why.fault}: {why.detail}")
        key = scratch_fingerprint_key(clip.scratch_key)
        await self._objects.put_bytes(key, made.to_bytes(), content_type="application/octet-stream")
        return ClipHash(made.hash_version, made.dense.to_text())


def _read(said: Mapping[str, Any]) -> Fingerprint | Unusable:
    """The child's word is not taken for it: what it says must be a fingerprint, and is stored as we write one."""
    try:
        return Fingerprint.from_bytes(base64.b64decode(said["print"], validate=True))
    except (LookupError, TypeError, ValueError, CorruptFingerprint, VersionMismatch) as error:
        return Unusable(MediaFault.CRASHED, f"the decoder's answer makes no sense: {error}"[:300])
