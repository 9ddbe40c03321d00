"""What is said of a clip after each step."""

from collections.abc import Iterable
from dataclasses import dataclass

from found_footy.clips.messages import ClipFile, ClipHash, ClipNote, Sighting
from found_footy.model.handoff import FoundVideo, ScreenedClip
from found_footy.model.outcome import ClipOutcome, Retry, retry_of


@dataclass(frozen=True)
class Failure:
    """Why a step failed for good, and whether another download may get past it."""

    cause: str
    retry: Retry


@dataclass(frozen=True)
class Looked:
    """What became of a file: what was seen and its fingerprint, or why one of the two is missing."""

    seen: Sighting | None = None
    made: ClipHash | None = None
    failed: Failure | None = None


# A step names the class of its error; these say something of the file, all others of the world around it.
_RETRIES = {
    "Undecodable": Retry.NEVER,
    "BadInput": Retry.NEVER,
    "Refused": Retry.NEVER,
    "TooLarge": Retry.NEVER,
    "DecoderGaveUp": Retry.FEW,
}


def retry_after(error: str) -> Retry:
    """Whether a clip is tried again after a step has failed with an error of this class."""
    return _RETRIES.get(error, Retry.ALWAYS)


def removed(video: FoundVideo) -> ClipNote:
    return ClipNote(video.url, ClipOutcome.EVENT_REMOVED, "the goal was struck out")


def failed_fetch(video: FoundVideo, failure: Failure) -> ClipNote:
    return ClipNote(video.url, ClipOutcome.DOWNLOAD_FAILED, failure.cause, retry=failure.retry)


def failed_look(clip: ClipFile, failure: Failure) -> ClipNote:
    """Not looked at is not refused: the clip is skipped, and its link is tried again."""
    few = failure.retry is Retry.FEW
    retry = Retry.FEW if few else Retry.ALWAYS
    return ClipNote(clip.source_url, ClipOutcome.VISION_UNAVAILABLE, failure.cause, clip.md5, retry=retry)


def failed_hash(clip: ClipFile, failure: Failure) -> ClipNote:
    return ClipNote(clip.source_url, ClipOutcome.DOWNLOAD_FAILED, failure.cause, clip.md5, retry=failure.retry)


def seen_as(clip: ClipFile, seen: Sighting) -> ClipNote:
    return ClipNote(clip.source_url, seen.rejected, f"{seen.reader}: {seen.reason}", clip.md5, seen.evidence)


def noted(clip: ClipFile, looked: Looked) -> ClipNote:
    if looked.failed:
        return failed_hash(clip, looked.failed) if looked.seen else failed_look(clip, looked.failed)
    return seen_as(clip, looked.seen) if looked.seen else ClipNote(clip.source_url, md5=clip.md5)


def kept_for_another_try(notes: Iterable[ClipNote]) -> set[str]:
    """The links whose file is there and whose verdict is not: a later attempt takes them up where this one ended."""
    return {
        note.source_url
        for note in notes
        if note.md5 and note.outcome and retry_of(note.outcome, note.retry) is not Retry.NEVER
    }


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
