"""Batches as stage three delivers them: files in the scratch area, and the message that names them."""

import hashlib
from collections.abc import Iterable

from found_footy.domain.ids import download_workflow_id, scratch_key
from found_footy.domain.messages import ClipBatch, Goal, PipelinePace, ScreenedClip
from found_footy.domain.outcomes import TimestampStatus
from found_footy.platform.objects import ObjectStore


def content(number: int) -> bytes:
    """Bytes of a clip; the archive looks into none, so they need not be a video."""
    return f"clip {number} ".encode() * (100 + number)


def make_clip(
    goal: Goal, number: int, source: str, status: TimestampStatus = TimestampStatus.UNVERIFIED
) -> ScreenedClip:
    md5 = hashlib.md5(content(number), usedforsecurity=False).hexdigest()
    return ScreenedClip(
        md5=md5,
        scratch_key=scratch_key(goal.event_id, md5),
        source_url=f"https://x.com/{source}",
        width=1280,
        height=720,
        duration=12.0,
        file_size=len(content(number)),
        bitrate=800_000,
        fps=25.0,
        timestamp_status=status,
    )


def make_batch(goal: Goal, pace: PipelinePace, attempt: int, clips: Iterable[ScreenedClip] = ()) -> ClipBatch:
    return ClipBatch(goal, pace, download_workflow_id(goal.slug, goal.event_id, attempt), tuple(clips))


async def put_scratch(objects: ObjectStore, goal: Goal, *numbers: int) -> None:
    for number in numbers:
        key = make_clip(goal, number, "").scratch_key
        await objects.put_bytes(key, content(number), content_type="video/mp4")
        await objects.put_bytes(key.removesuffix(".mp4") + ".jpg", b"jpeg", content_type="image/jpeg")
