"""What is said of a clip after each step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from found_footy.clips.messages import ClipFile, ClipHash, ClipNote, Sighting
from found_footy.model.handoff import FoundVideo, ScreenedClip
from found_footy.model.outcome import ClipOutcome


@dataclass(frozen=True)
class Looked:
    """What became of a file: what was seen and its fingerprint, or why one of the two is missing."""

    seen: Sighting | None = None
    made: ClipHash | None = None
    failed: str = ""


def removed(video: FoundVideo) -> ClipNote:
    return ClipNote(video.url, ClipOutcome.EVENT_REMOVED, "the goal was struck out")


def failed_fetch(video: FoundVideo, cause: str) -> ClipNote:
    return ClipNote(video.url, ClipOutcome.DOWNLOAD_FAILED, cause)


def failed_look(clip: ClipFile, cause: str) -> ClipNote:
    """Not looked at is not refused: the clip is skipped, and its link may be tried again."""
    return ClipNote(clip.source_url, ClipOutcome.VISION_UNAVAILABLE, cause, clip.md5)


def failed_hash(clip: ClipFile, cause: str) -> ClipNote:
    return ClipNote(clip.source_url, ClipOutcome.DOWNLOAD_FAILED, cause, clip.md5)


def seen_as(clip: ClipFile, seen: Sighting) -> ClipNote:
    return ClipNote(clip.source_url, seen.rejected, f"{seen.reader}: {seen.reason}", clip.md5, seen.evidence)


def noted(clip: ClipFile, looked: Looked) -> ClipNote:
    if looked.seen is None:
        return failed_look(clip, looked.failed)
    return failed_hash(clip, looked.failed) if looked.failed else seen_as(clip, looked.seen)


def kept_for_another_try(notes: Iterable[ClipNote]) -> set[str]:
    """The links whose file is there and whose verdict is not: a later attempt takes them up where this one ended."""
    return {note.source_url for note in notes if note.outcome is ClipOutcome.VISION_UNAVAILABLE and note.md5}


def same_bytes(clips: Sequence[ClipFile]) -> list[list[ClipFile]]:
    """The clips grouped by their bytes, in the order in which each was first met."""
    groups: dict[str, list[ClipFile]] = {}
    for clip in clips:
        groups.setdefault(clip.md5, []).append(clip)
    return list(groups.values())


def screened(clip: ClipFile, seen: Sighting, made: ClipHash) -> ScreenedClip:
    return ScreenedClip(
        md5=clip.md5,
        scratch_key=clip.scratch_key,
        source_url=clip.source_url,
        width=clip.width,
        height=clip.height,
        duration=clip.duration,
        file_size=clip.file_size,
        bitrate=clip.bitrate,
        fps=clip.fps,
        timestamp_status=seen.timestamp_status,
        extracted_minute=seen.extracted_minute,
        hash_version=made.hash_version,
        perceptual_hash=made.perceptual_hash,
    )


def priority(attempt: int) -> int:
    """From 1, which comes first, to 5: a goal's first clip is waited for, its tenth is not."""
    return min(max(attempt, 1), 5)
