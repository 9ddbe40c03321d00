"""What is said of a clip after it was looked at and fingerprinted, and whose clips come first."""

import pytest

from found_footy.clips.messages import CandidateNote, CheckResult, ClipFile, ClipFingerprint
from found_footy.clips.outcomes import (
    ScreeningResult,
    StepFailure,
    download_priority,
    find_retryable_urls,
    note_screening,
    retry_for_error,
)
from found_footy.domain.outcomes import TRANSIENT_OUTCOMES, ClipOutcome, RetryAdvice, TimestampStatus

CLIP = ClipFile("0" * 32, "scratch/e/0.mp4", "https://x.com/fan/status/1", 320, 180, 8.0, 1000, 1000, 25.0)
PASSED = CheckResult("reader", TimestampStatus.VERIFIED, 23, reason="23 is 23")
REFUSED = CheckResult("reader", TimestampStatus.REJECTED, 67, ClipOutcome.WRONG_MINUTE, "67 is not 23")


@pytest.mark.parametrize(
    ("looked", "outcome", "reason"),
    [
        (ScreeningResult(PASSED, ClipFingerprint("v", "x")), None, "reader: 23 is 23"),
        (ScreeningResult(REFUSED), ClipOutcome.WRONG_MINUTE, "reader: 67 is not 23"),
        (
            ScreeningResult(failure=StepFailure("nobody there", RetryAdvice.ALWAYS)),
            ClipOutcome.VISION_UNAVAILABLE,
            "nobody there",
        ),
        (
            ScreeningResult(PASSED, failure=StepFailure("no decoder", RetryAdvice.NEVER)),
            ClipOutcome.DOWNLOAD_FAILED,
            "no decoder",
        ),
    ],
)
def test_the_note_has_the_last_known_outcome(looked: ScreeningResult, outcome: ClipOutcome | None, reason: str) -> None:
    note = note_screening(CLIP, looked)
    assert (note.source_url, note.md5) == (CLIP.source_url, CLIP.md5)
    assert (note.outcome, note.reason) == (outcome, reason)


@pytest.mark.parametrize(
    ("error", "after_look", "after_hash"),
    [
        ("Unavailable", RetryAdvice.ALWAYS, RetryAdvice.ALWAYS),
        ("DiskFailed", RetryAdvice.ALWAYS, RetryAdvice.ALWAYS),
        ("DiskLow", RetryAdvice.ALWAYS, RetryAdvice.ALWAYS),
        ("StoreDenied", RetryAdvice.ALWAYS, RetryAdvice.ALWAYS),
        ("DecoderGaveUp", RetryAdvice.FEW, RetryAdvice.FEW),
        ("Undecodable", RetryAdvice.ALWAYS, RetryAdvice.NEVER),
    ],
)
def test_only_a_verdict_on_the_file_itself_is_final(
    error: str, after_look: RetryAdvice, after_hash: RetryAdvice
) -> None:
    """A clip that nobody looked at has no verdict, whatever the reason."""
    failure = StepFailure("why", retry_for_error(error))
    assert note_screening(CLIP, ScreeningResult(failure=failure)).retry is after_look
    assert note_screening(CLIP, ScreeningResult(PASSED, failure=failure)).retry is after_hash


def test_only_a_stored_file_that_was_not_checked_is_kept() -> None:
    every = [CandidateNote(f"https://x.com/{outcome}", outcome, "", "0" * 32) for outcome in (*ClipOutcome, None)]
    assert find_retryable_urls(every) == {f"https://x.com/{outcome}" for outcome in TRANSIENT_OUTCOMES}
    passing = CandidateNote("https://x.com/1", ClipOutcome.DOWNLOAD_FAILED, "", "0" * 32, retry=RetryAdvice.ALWAYS)
    assert find_retryable_urls([passing]) == {"https://x.com/1"}
    assert find_retryable_urls([CandidateNote("https://x.com/1", ClipOutcome.VISION_UNAVAILABLE)]) == set()


@pytest.mark.parametrize(("attempt", "expected"), [(0, 1), (1, 1), (2, 2), (5, 5), (10, 5), (15, 5)])
def test_the_first_attempts_come_first(attempt: int, expected: int) -> None:
    assert download_priority(attempt) == expected
