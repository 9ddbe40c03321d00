"""Fingerprints of clips, made by a child process with limits: a stranger's file must never take the worker down."""

import asyncio
import base64
from datetime import timedelta
from pathlib import Path

from found_footy.clips.decoding import blamed_on_the_file
from found_footy.clips.messages import ClipFile, ClipHash
from found_footy.fingerprint.errors import Undecodable
from found_footy.model.ids import scratch_fingerprint_key
from found_footy.platform.media import MediaLimits, Unusable, in_child
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
            made = await in_child("found_footy.clips.prints_child", [path], self._limits)
        if isinstance(made, Unusable):
            why = blamed_on_the_file(made)
            raise Undecodable(f"{why.fault}: {why.detail}")
        content = base64.b64decode(made["print"])
        key = scratch_fingerprint_key(clip.scratch_key)
        await self._objects.put_bytes(key, content, content_type="application/octet-stream")
        return ClipHash(made["hash_version"], made["text"])
