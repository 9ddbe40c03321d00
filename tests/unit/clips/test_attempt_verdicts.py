"""What is said of a clip after it was looked at and fingerprinted, and whose clips come first."""

import pytest

from found_footy.clips.messages import ClipFile, ClipHash, ClipNote, Sighting
from found_footy.clips.verdicts import Looked, kept_for_another_try, noted, priority
from found_footy.model.outcome import ClipOutcome, TimestampStatus

CLIP = ClipFile("0" * 32, "scratch/e/0.mp4", "https://x.com/fan/status/1", 320, 180, 8.0, 1000, 1000, 25.0)
PASSED = Sighting("reader", TimestampStatus.VERIFIED, 23, reason="23 is 23")
REFUSED = Sighting("reader", TimestampStatus.REJECTED, 67, ClipOutcome.WRONG_MINUTE, "67 is not 23")


@pytest.mark.parametrize(
    ("looked", "outcome", "reason"),
    [
        (Looked(PASSED, ClipHash("v", "x")), None, "reader: 23 is 23"),
        (Looked(REFUSED), ClipOutcome.WRONG_MINUTE, "reader: 67 is not 23"),
        (Looked(failed="nobody there"), ClipOutcome.VISION_UNAVAILABLE, "nobody there"),
        (Looked(PASSED, failed="cannot be decoded"), ClipOutcome.DOWNLOAD_FAILED, "cannot be decoded"),
    ],
)
def test_the_note_tells_the_last_thing_that_is_known(looked: Looked, outcome: ClipOutcome | None, reason: str) -> None:
    note = noted(CLIP, looked)
    assert (note.source_url, note.md5) == (CLIP.source_url, CLIP.md5)
    assert (note.outcome, note.reason) == (outcome, reason)


def test_only_a_file_that_is_there_and_was_not_looked_at_is_kept() -> None:
    every = [ClipNote(f"https://x.com/{outcome}", outcome, "", "0" * 32) for outcome in (*ClipOutcome, None)]
    assert kept_for_another_try(every) == {"https://x.com/vision_unavailable"}
    assert kept_for_another_try([ClipNote("https://x.com/1", ClipOutcome.VISION_UNAVAILABLE)]) == set()


@pytest.mark.parametrize(("attempt", "expected"), [(0, 1), (1, 1), (2, 2), (5, 5), (10, 5), (15, 5)])
def test_the_first_attempts_come_first(attempt: int, expected: int) -> None:
    assert priority(attempt) == expected
