"""What is said of a clip after it was looked at and fingerprinted, and whose clips come first."""

import pytest

from found_footy.clips.messages import ClipFile, ClipHash, ClipNote, Sighting
from found_footy.clips.verdicts import Failure, Looked, kept_for_another_try, noted, priority, retry_after
from found_footy.model.outcome import PASSING, ClipOutcome, Retry, TimestampStatus

CLIP = ClipFile("0" * 32, "scratch/e/0.mp4", "https://x.com/fan/status/1", 320, 180, 8.0, 1000, 1000, 25.0)
PASSED = Sighting("reader", TimestampStatus.VERIFIED, 23, reason="23 is 23")
REFUSED = Sighting("reader", TimestampStatus.REJECTED, 67, ClipOutcome.WRONG_MINUTE, "67 is not 23")


@pytest.mark.parametrize(
    ("looked", "outcome", "reason"),
    [
        (Looked(PASSED, ClipHash("v", "x")), None, "reader: 23 is 23"),
        (Looked(REFUSED), ClipOutcome.WRONG_MINUTE, "reader: 67 is not 23"),
        (Looked(failed=Failure("nobody there", Retry.ALWAYS)), ClipOutcome.VISION_UNAVAILABLE, "nobody there"),
        (Looked(PASSED, failed=Failure("no decoder", Retry.NEVER)), ClipOutcome.DOWNLOAD_FAILED, "no decoder"),
    ],
)
def test_the_note_tells_the_last_thing_that_is_known(looked: Looked, outcome: ClipOutcome | None, reason: str) -> None:
    note = noted(CLIP, looked)
    assert (note.source_url, note.md5) == (CLIP.source_url, CLIP.md5)
    assert (note.outcome, note.reason) == (outcome, reason)


@pytest.mark.parametrize(
    ("error", "after_look", "after_hash"),
    [
        ("Unavailable", Retry.ALWAYS, Retry.ALWAYS),
        ("DiskFailed", Retry.ALWAYS, Retry.ALWAYS),
        ("DiskLow", Retry.ALWAYS, Retry.ALWAYS),
        ("StoreDenied", Retry.ALWAYS, Retry.ALWAYS),
        ("DecoderGaveUp", Retry.FEW, Retry.FEW),
        ("Undecodable", Retry.ALWAYS, Retry.NEVER),
    ],
)
def test_only_what_the_file_itself_says_is_final(error: str, after_look: Retry, after_hash: Retry) -> None:
    """A clip that nobody looked at has no verdict, whatever the reason."""
    failure = Failure("why", retry_after(error))
    assert noted(CLIP, Looked(failed=failure)).retry is after_look
    assert noted(CLIP, Looked(PASSED, failed=failure)).retry is after_hash


def test_only_a_file_that_is_there_and_was_not_looked_at_is_kept() -> None:
    every = [ClipNote(f"https://x.com/{outcome}", outcome, "", "0" * 32) for outcome in (*ClipOutcome, None)]
    assert kept_for_another_try(every) == {f"https://x.com/{outcome}" for outcome in PASSING}
    passing = ClipNote("https://x.com/1", ClipOutcome.DOWNLOAD_FAILED, "", "0" * 32, retry=Retry.ALWAYS)
    assert kept_for_another_try([passing]) == {"https://x.com/1"}
    assert kept_for_another_try([ClipNote("https://x.com/1", ClipOutcome.VISION_UNAVAILABLE)]) == set()


@pytest.mark.parametrize(("attempt", "expected"), [(0, 1), (1, 1), (2, 2), (5, 5), (10, 5), (15, 5)])
def test_the_first_attempts_come_first(attempt: int, expected: int) -> None:
    assert priority(attempt) == expected
