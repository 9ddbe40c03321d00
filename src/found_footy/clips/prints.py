"""Fingerprints of clips, made by a child process with limits: a stranger's file must never take the worker down."""

import asyncio
import base64
from datetime import timedelta
from pathlib import Path

from found_footy.clips.decoding import DecoderFailed
from found_footy.clips.messages import ClipFile, ClipHash
from found_footy.fingerprint.errors import Undecodable
from found_footy.model.ids import scratch_fingerprint_key
from found_footy.platform.errors import Unavailable
from found_footy.platform.media import MediaFault, MediaLimits, Unusable, in_child
from found_footy.platform.objects import ObjectStore

_LIMITS = MediaLimits(time=timedelta(seconds=120), cpu_seconds=100, answer=2 * 2**20)


class PrintMaker:
    """Makes `at_once` of them at the same time; the others wait."""

    def __init__(self, objects: ObjectStore, at_once: int = 2, limits: MediaLimits = _LIMITS) -> None:
        self._objects = objects
        self._turns = asyncio.Semaphore(at_once)
        self._limits = limits

    async def make(self, clip: ClipFile, path: Path) -> ClipHash:
        """The fingerprint's bytes go beside the clip; what is returned names them. Undecodable is the clip's fault,
        DecoderFailed perhaps not.
        """
        async with self._turns:
            made = await in_child("found_footy.clips.prints_child", [path], self._limits)
        if isinstance(made, Unusable):
            # A file that was read before and is now too slow to read says more about the machine than about itself.
            if made.fault is MediaFault.TOO_SLOW:
                raise Unavailable("decoder", made.detail)
            if made.fault is MediaFault.CRASHED:
                raise DecoderFailed(f"{made.fault}: {made.detail}")
            raise Undecodable(f"{made.fault}: {made.detail}")
        content = base64.b64decode(made["print"])
        key = scratch_fingerprint_key(clip.scratch_key)
        await self._objects.put_bytes(key, content, content_type="application/octet-stream")
        return ClipHash(made["hash_version"], made["text"])
