"""Recordings and the copies that people make of them: small real videos with their real fingerprints, made once."""

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from found_footy.domain.clip_files import FINGERPRINT, PREVIEW, THUMBNAIL
from found_footy.domain.ids import scratch_key
from found_footy.domain.messages import Goal, ScreenedClip
from found_footy.domain.outcomes import TimestampStatus
from found_footy.fingerprint import MOTION_VERSION, Fingerprint, compute_fingerprint
from found_footy.platform.objects import ObjectStore
from tests.support.fingerprint.scenes import Film, Scene, resized, trimmed, write

SECONDS = 6.0
# How a copy differs from the recording, and how well it is encoded. The first is the best: long, and the largest file.
KINDS: dict[str, tuple[Callable[[Film], Film], int]] = {
    "best": (lambda film: film, 12),
    "good": (lambda film: film, 20),
    "poor": (lambda film: film, 32),
    "small": (lambda film: resized(film, 128, 72), 23),
    "start": (lambda film: trimmed(film, 0.0, SECONDS / 2), 12),
    "end": (lambda film: trimmed(film, SECONDS / 2, SECONDS), 12),
}


@dataclass(frozen=True)
class Copy:
    """One file of a recording."""

    content: bytes
    print: Fingerprint
    width: int
    height: int

    @property
    def md5(self) -> str:
        return hashlib.md5(self.content, usedforsecurity=False).hexdigest()

    def found(self, goal: Goal, source: str, *, verified: bool = False) -> ScreenedClip:
        """The copy as stage three hands it on, found at this place."""
        return ScreenedClip(
            md5=self.md5,
            scratch_key=scratch_key(goal.event_id, self.md5),
            source_url=f"https://x.com/{source}",
            width=self.width,
            height=self.height,
            duration=self.print.duration,
            file_size=len(self.content),
            bitrate=800_000,
            fps=25.0,
            timestamp_status=TimestampStatus.VERIFIED if verified else TimestampStatus.UNVERIFIED,
            extracted_minute=goal.elapsed if verified else None,
            hash_version=MOTION_VERSION,
            perceptual_hash=self.print.dense.to_text(),
        )


@cache
def copy_of(recording: int, kind: str = "best") -> Copy:
    change, crf = KINDS[kind]
    film = change(Scene(recording, seconds=SECONDS).film())
    with tempfile.TemporaryDirectory() as folder:
        path = write(film, Path(folder) / "clip.mp4", crf=crf)
        _, height, width = film.pictures.shape
        return Copy(path.read_bytes(), compute_fingerprint(path), width, height)


async def put_copies(objects: ObjectStore, goal: Goal, *copies: Copy) -> None:
    """The files in the scratch area, each with all that lies beside it."""
    for copy in copies:
        key = scratch_key(goal.event_id, copy.md5)
        await objects.put_bytes(THUMBNAIL.key_beside(key), b"jpeg " + copy.md5.encode(), content_type="image/jpeg")
        await objects.put_bytes(PREVIEW.key_beside(key), b"loop " + copy.md5.encode(), content_type="video/mp4")
        await objects.put_bytes(
            FINGERPRINT.key_beside(key), copy.print.to_bytes(), content_type="application/octet-stream"
        )
        await objects.put_bytes(key, copy.content, content_type="video/mp4")
