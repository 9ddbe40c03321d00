"""What activities answer and workflows take stays far below the two megabytes that Temporal carries."""

from datetime import UTC, datetime, timedelta
from typing import Any

from found_footy.archive.messages import EventData, Sample, StoredClip
from found_footy.clips.messages import ClipNote, Evidence, FrameSeen, QueueVideos
from found_footy.discovery.links import LONGEST_URL, MOST_LINKS, carried
from found_footy.discovery.messages import (
    RetryDownload,
    RunSearch,
    SaveDiscovered,
    SearchAnswer,
    SearchData,
    SearchState,
    TakenUp,
)
from found_footy.discovery.retries import MOST_AGAIN
from found_footy.discovery.search_pool import parse_found
from found_footy.discovery.settings import DiscoverySettings
from found_footy.model.handoff import ClipBatch, DownloadClips, FoundVideo, Pace, ScreenedClip
from found_footy.model.outcome import ClipOutcome, TimestampStatus
from found_footy.platform.temporal import DATA_CONVERTER
from tests.pipeline.goals import a_goal

# Temporal refuses a payload of two megabytes, and a history of fifty.
FAR_BELOW = 1_000_000
MOST_HISTORY = 20_000_000
ATTEMPTS = 15
SOURCES = 2
NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
GOAL, PACE = a_goal(), Pace()
WIDE = "\u26bd"  # three bytes in UTF-8


def size(message: Any) -> int:
    return DATA_CONVERTER.payload_converter.to_payload(message).ByteSize()


def largest_found(number: int) -> FoundVideo:
    """As much as an answer of the search service may say of a post."""
    url = f"https://x.com/{number}/".ljust(2_000, "x")
    file = {"url": "https://video.twimg.com/".ljust(2_000, "v"), "bitrate": 10**9, "width": 9_999, "height": 9_999}
    short = {**file, "url": "https://video.twimg.com/".ljust(LONGEST_URL, "v")}
    result = {
        "url": url[:LONGEST_URL], "tweet_id": "2089000000000000001", "author": WIDE * 5_000, "text": WIDE * 30_000,
        "posted_at": NOW.isoformat(), "duration_seconds": 59.99, "variants": [*[file] * 10, *[short] * 30],
    }  # fmt: skip
    [video] = parse_found({"videos": [result]}).videos
    return video


VIDEOS = tuple(carried(largest_found(number)) for number in range(SOURCES * DiscoverySettings().search_limit))
LINKS = tuple(f"https://x.com/{number}/".ljust(LONGEST_URL, "x") for number in range(MOST_LINKS))


def test_every_message_of_a_search_stays_small_and_so_does_its_history() -> None:
    answer = SearchAnswer(SearchState.SEARCHING, VIDEOS, detail="x" * 2_000, asked_at=NOW)
    data = SearchData("x" * 500, LINKS, ("x" * 50,) * 5, ("x" * 50,) * 8)
    run = RunSearch("x" * 500, NOW, timedelta(minutes=3), LINKS, ("x" * 50,) * 5, ("x" * 50,) * 8)
    save = SaveDiscovered(GOAL, 1, "d" * 100, "x" * 500, ("x" * 50,) * 8, NOW, NOW, VIDEOS)
    work = DownloadClips(GOAL, PACE, 1, VIDEOS[: 2 * PACE.clips_per_attempt])
    sizes = {type(message).__name__: size(message) for message in (answer, data, run, save, work)}
    assert max(sizes.values()) < FAR_BELOW, sizes
    assert ATTEMPTS * sum(sizes.values()) < MOST_HISTORY, sizes


def test_what_is_tried_again_stays_small() -> None:
    work = DownloadClips(GOAL, PACE, 0, VIDEOS[:MOST_AGAIN])
    assert size(TakenUp(tuple(RetryDownload("d" * 100, work, NOW) for _ in range(10)))) < FAR_BELOW


def test_what_a_download_hands_on_stays_small() -> None:
    frames = tuple(FrameSeen(9.9, True, True, WIDE * 200, WIDE * 200, WIDE * 200, WIDE * 200, "k" * 200) for _ in "123")
    evidence = Evidence("r" * 50, "e" * 50, WIDE * 200, frames, (WIDE * 200,) * 6)
    many = 2 * PACE.clips_per_attempt
    notes = [ClipNote(url, ClipOutcome.WRONG_MINUTE, WIDE * 2_000, "0" * 32, evidence) for url in LINKS[:many]]
    clip = ScreenedClip(
        "0" * 32, "s" * 100, LINKS[0], 1920, 1080, 60.0, 10**8, 10**7, 60.0, TimestampStatus.VERIFIED, 90,
        "motion:0.125", "h" * 6_000,
    )  # fmt: skip
    assert size(QueueVideos(ClipBatch(GOAL, PACE, "d" * 100, (clip,) * many), tuple(notes))) < FAR_BELOW


def test_what_the_archive_tells_of_a_goal_stays_small() -> None:
    """Every link of a goal as a file of its own, beside a match of ten other goals with fifty clips each."""
    sample = Sample("m" * 80, "k" * 100, "motion:0.125", True)
    clips = tuple(StoredClip("c" * 20, "0" * 32, (sample,), ()) for _ in range(MOST_LINKS))
    assert size(EventData(exists=True, clips=clips, others=(sample,) * 500)) < FAR_BELOW
