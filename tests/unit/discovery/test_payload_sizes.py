"""What activities answer and workflows take stays far below the two megabytes that Temporal carries."""

from datetime import UTC, datetime, timedelta
from typing import Any

from found_footy.archive.messages import FingerprintRef, GoalArchiveSummary, StoredClip
from found_footy.clips.messages import CandidateNote, CheckEvidence, FrameEvidence, QueueClips
from found_footy.discovery.candidates.retries import MAX_RETRIED_CANDIDATES
from found_footy.discovery.candidates.selection import MAX_STORED_CANDIDATES, MAX_URL_LENGTH, trim_candidate
from found_footy.discovery.messages import (
    GoalSearchProgress,
    PlannedRetries,
    RetryDownload,
    RunSearch,
    SaveCandidates,
    SearchAnswer,
    SearchData,
    SearchState,
)
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.x_service import parse_search_response
from found_footy.domain.messages import ClipBatch, ClipCandidate, DownloadClips, PipelinePace, ScreenedClip
from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.platform.temporal.client import DATA_CONVERTER
from tests.support.pipeline.goals import make_goal

# Temporal refuses a payload of two megabytes, and a history of fifty.
FAR_BELOW = 1_000_000
MOST_HISTORY = 20_000_000
ATTEMPTS = 15
SOURCES = 2
NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
GOAL, PACE = make_goal(), PipelinePace()
WIDE = "\u26bd"  # three bytes in UTF-8


def size(message: Any) -> int:
    return DATA_CONVERTER.payload_converter.to_payload(message).ByteSize()


def largest_found(number: int) -> ClipCandidate:
    """As much as an answer of the search service may say of a post."""
    url = f"https://x.com/{number}/".ljust(2_000, "x")
    file = {"url": "https://video.twimg.com/".ljust(2_000, "v"), "bitrate": 10**9, "width": 9_999, "height": 9_999}
    short = {**file, "url": "https://video.twimg.com/".ljust(MAX_URL_LENGTH, "v")}
    result = {
        "url": url[:MAX_URL_LENGTH],
        "tweet_id": "2089000000000000001",
        "author": WIDE * 5_000,
        "text": WIDE * 30_000,
        "posted_at": NOW.isoformat(),
        "duration_seconds": 59.99,
        "variants": [*[file] * 10, *[short] * 30],
    }
    [video] = parse_search_response({"videos": [result]}).videos
    return video


VIDEOS = tuple(trim_candidate(largest_found(number)) for number in range(SOURCES * DiscoverySettings().search_limit))
LINKS = tuple(f"https://x.com/{number}/".ljust(MAX_URL_LENGTH, "x") for number in range(MAX_STORED_CANDIDATES))


def test_every_message_of_a_search_stays_small_and_so_does_its_history() -> None:
    answer = SearchAnswer(SearchState.SEARCHING, VIDEOS, detail="x" * 2_000, asked_at=NOW)
    progress = GoalSearchProgress(exists=True, registered=("d" * 100,) * ATTEMPTS, attempts=ATTEMPTS)
    data = SearchData("x" * 500, progress, LINKS, ("x" * 50,) * 5, ("x" * 50,) * 8)
    run = RunSearch("x" * 500, NOW, timedelta(minutes=3), LINKS, ("x" * 50,) * 5, ("x" * 50,) * 8)
    save = SaveCandidates(GOAL, 1, "d" * 100, "x" * 500, ("x" * 50,) * 8, NOW, NOW, VIDEOS)
    work = DownloadClips(GOAL, PACE, 1, VIDEOS[: 2 * PACE.clips_per_attempt])
    sizes = {type(message).__name__: size(message) for message in (answer, data, run, save, work)}
    assert max(sizes.values()) < FAR_BELOW, sizes
    assert ATTEMPTS * sum(sizes.values()) < MOST_HISTORY, sizes


def test_what_is_tried_again_stays_small() -> None:
    work = DownloadClips(GOAL, PACE, 0, VIDEOS[:MAX_RETRIED_CANDIDATES])
    assert size(PlannedRetries(tuple(RetryDownload("d" * 100, work, NOW) for _ in range(10)))) < FAR_BELOW


def test_what_a_download_delivers_stays_small() -> None:
    frames = tuple(
        FrameEvidence(9.9, True, True, WIDE * 200, WIDE * 200, WIDE * 200, WIDE * 200, "k" * 200) for _ in "123"
    )
    evidence = CheckEvidence("r" * 50, "e" * 50, WIDE * 200, frames, (WIDE * 200,) * 6)
    many = 2 * PACE.clips_per_attempt
    notes = [CandidateNote(url, ClipOutcome.WRONG_MINUTE, WIDE * 2_000, "0" * 32, evidence) for url in LINKS[:many]]
    clip = ScreenedClip(
        "0" * 32,
        "s" * 100,
        LINKS[0],
        1920,
        1080,
        60.0,
        10**8,
        10**7,
        60.0,
        TimestampStatus.VERIFIED,
        90,
        "motion:0.125",
        "h" * 6_000,
    )
    assert size(QueueClips(ClipBatch(GOAL, PACE, "d" * 100, (clip,) * many), tuple(notes))) < FAR_BELOW


def test_what_the_archive_returns_of_a_goal_stays_small() -> None:
    """Every link of a goal as a file of its own, beside a match of ten other goals with fifty clips each."""
    sample = FingerprintRef("m" * 80, "k" * 100, "motion:0.125", True)
    clips = tuple(StoredClip("c" * 20, "0" * 32, (sample,), ()) for _ in range(MAX_STORED_CANDIDATES))
    assert size(GoalArchiveSummary(exists=True, clips=clips, other_goal_files=(sample,) * 500)) < FAR_BELOW
