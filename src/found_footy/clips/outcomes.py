"""The notes on a candidate after each activity."""

from collections.abc import Iterable
from dataclasses import dataclass

from found_footy.clips.messages import CandidateNote, CheckResult, ClipFile, ClipFingerprint
from found_footy.domain.messages import ClipCandidate, ScreenedClip
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice, retry_advice


@dataclass(frozen=True)
class StepFailure:
    """Why an activity failed for good, and whether another download may succeed."""

    cause: str
    retry: RetryAdvice


@dataclass(frozen=True)
class ScreeningResult:
    """The check result and the fingerprint of a file, or why one of the two is missing."""

    check: CheckResult | None = None
    fingerprint: ClipFingerprint | None = None
    failure: StepFailure | None = None


# Error classes that say something about the file; all others are failures of the environment.
_RETRY_BY_ERROR = {
    "Undecodable": RetryAdvice.NEVER,
    "BadInput": RetryAdvice.NEVER,
    "Refused": RetryAdvice.NEVER,
    "TooLarge": RetryAdvice.NEVER,
    "DecoderGaveUp": RetryAdvice.FEW,
}


def retry_for_error(error_type: str) -> RetryAdvice:
    """Whether a clip is retried after an activity failed with an error of this class."""
    return _RETRY_BY_ERROR.get(error_type, RetryAdvice.ALWAYS)


def note_removed_goal(candidate: ClipCandidate) -> CandidateNote:
    return CandidateNote(candidate.url, ClipOutcome.EVENT_REMOVED, "the goal was removed")


def note_failed_fetch(candidate: ClipCandidate, failure: StepFailure) -> CandidateNote:
    return CandidateNote(candidate.url, ClipOutcome.DOWNLOAD_FAILED, failure.cause, retry=failure.retry)


def note_failed_check(clip: ClipFile, failure: StepFailure) -> CandidateNote:
    """A clip that could not be checked is not rejected: it is skipped, and its candidate is retried."""
    few = failure.retry is RetryAdvice.FEW
    retry = RetryAdvice.FEW if few else RetryAdvice.ALWAYS
    return CandidateNote(clip.source_url, ClipOutcome.VISION_UNAVAILABLE, failure.cause, clip.md5, retry=retry)


def note_failed_fingerprint(clip: ClipFile, failure: StepFailure) -> CandidateNote:
    return CandidateNote(clip.source_url, ClipOutcome.DOWNLOAD_FAILED, failure.cause, clip.md5, retry=failure.retry)


def note_check_result(clip: ClipFile, check: CheckResult) -> CandidateNote:
    return CandidateNote(clip.source_url, check.rejected, f"{check.reader}: {check.reason}", clip.md5, check.evidence)


def note_screening(clip: ClipFile, screening: ScreeningResult) -> CandidateNote:
    if screening.failure:
        return (
            note_failed_fingerprint(clip, screening.failure)
            if screening.check
            else note_failed_check(clip, screening.failure)
        )
    return note_check_result(clip, screening.check) if screening.check else CandidateNote(clip.source_url, md5=clip.md5)


def find_retryable_urls(notes: Iterable[CandidateNote]) -> set[str]:
    """The candidates whose file is fetched but has no verdict: a later attempt continues with that file."""
    return {
        note.source_url
        for note in notes
        if note.md5 and note.outcome and retry_advice(note.outcome, note.retry) is not RetryAdvice.NEVER
    }


def build_screened_clip(
    clip: ClipFile, check: CheckResult, fingerprint: ClipFingerprint, post_doubts: int = 0
) -> ScreenedClip:
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
        timestamp_status=check.timestamp_status,
        extracted_minute=check.extracted_minute,
        hash_version=fingerprint.hash_version,
        perceptual_hash=fingerprint.perceptual_hash,
        proof=check.evidence.proof if check.evidence else None,
        post_doubts=post_doubts,
    )


def download_priority(attempt: int) -> int:
    """From 1, the highest, to 5: a goal's first clip is more urgent than its tenth."""
    return min(max(attempt, 1), 5)
