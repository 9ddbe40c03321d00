"""Makes fingerprints of clips in a sandboxed child process, so that an untrusted file cannot crash the worker."""

import asyncio
import base64
from collections import OrderedDict
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from found_footy.clips.decoding import require_file_fault
from found_footy.clips.messages import ClipFile, ClipFingerprint
from found_footy.domain.clip_files import FINGERPRINT
from found_footy.fingerprint import CorruptFingerprint, Fingerprint, Undecodable, VersionMismatch
from found_footy.platform.media.probe import MediaFault, MediaLimits, UnusableMedia, run_in_sandbox
from found_footy.platform.objects import ObjectStore

# Of the last clips, in memory; one takes about a kilobyte per second of video.
_REMEMBERED = 128
FINGERPRINT_LIMITS = MediaLimits(timeout=timedelta(seconds=120), cpu_seconds=100, max_answer_bytes=2 * 2**20)


class FingerprintMaker:
    """Makes at most `concurrency` fingerprints at the same time; of the same bytes, which are posted again and again,
    only one.
    """

    def __init__(self, objects: ObjectStore, concurrency: int = 2, limits: MediaLimits = FINGERPRINT_LIMITS) -> None:
        self._objects = objects
        self._semaphore = asyncio.Semaphore(concurrency)
        self._limits = limits
        self._made: OrderedDict[str, Fingerprint] = OrderedDict()

    async def make_fingerprint(self, clip: ClipFile, path: Path) -> ClipFingerprint:
        """Store the fingerprint next to the clip and return its version and text. Undecodable: the file is at fault;
        DiskFailed: the machine is; DecoderFailed: unclear.
        """
        if (made := self._made.get(clip.md5)) is None:
            made = self._made[clip.md5] = await self._compute(path)
        while len(self._made) > _REMEMBERED:
            self._made.popitem(last=False)
        key = FINGERPRINT.key_beside(clip.scratch_key)
        await self._objects.put_bytes(key, made.to_bytes(), content_type=FINGERPRINT.content_type)
        return ClipFingerprint(made.hash_version, made.dense.to_text())

    async def _compute(self, path: Path) -> Fingerprint:
        async with self._semaphore:
            answer = await run_in_sandbox("found_footy.clips.fingerprints.child", [path], self._limits)
        made = answer if isinstance(answer, UnusableMedia) else await asyncio.to_thread(_read, answer)
        if isinstance(made, UnusableMedia):
            why = require_file_fault(made)
            raise Undecodable(f"{why.fault}: {why.detail}")
        return made


def _read(answer: Mapping[str, Any]) -> Fingerprint | UnusableMedia:
    """The child is not trusted: its answer must parse as a fingerprint, and is stored re-encoded."""
    try:
        return Fingerprint.from_bytes(base64.b64decode(answer["print"], validate=True))
    except (LookupError, TypeError, ValueError, CorruptFingerprint, VersionMismatch) as error:
        return UnusableMedia(MediaFault.CRASHED, f"the decoder's answer is invalid: {error}"[:300])
