"""Files are screened by their measures, and each rejection names its rule."""

import pytest

from found_footy.clips.fetch.variants import rank_variants
from found_footy.clips.messages import CheckResult, ClipFile, ClipFingerprint
from found_footy.clips.outcomes import build_screened_clip
from found_footy.clips.settings import ClipSettings
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.domain.screening import screen_candidate, screen_file

RULES = ClipSettings().rules


@pytest.mark.parametrize(
    ("duration", "width", "height", "outcome"),
    [
        (10, 1280, 720, None),
        (3.0, 1280, 720, None),
        (60.0, 1280, 720, None),
        (2.9, 1280, 720, ClipOutcome.FILTERED_DURATION),
        (60.1, 1280, 720, ClipOutcome.FILTERED_DURATION),
        (10, 640, 480, None),
        (10, 720, 720, ClipOutcome.FILTERED_ASPECT),
        (10, 720, 1280, ClipOutcome.FILTERED_ASPECT),
        (10, 4000, 720, ClipOutcome.FILTERED_ASPECT),
        (10, 160, 90, ClipOutcome.FILTERED_SIZE),
    ],
)
def test_a_clip_must_satisfy_every_rule(duration: float, width: int, height: int, outcome: ClipOutcome | None) -> None:
    found = screen_file(duration, width, height, RULES)
    assert (found.outcome if found else None) == outcome


def test_a_rejection_gives_its_figures() -> None:
    found = screen_file(2.5, 1280, 720, RULES)
    assert found is not None
    assert found.reason == "2.5 s is not within 3–60 s"


def make_video(*variants: VideoVariant, url: str = "https://x.com/a/status/2089000000000000001") -> ClipCandidate:
    return ClipCandidate(url, "2089000000000000001", "fan", None, 10, variants=variants)


SMALL = VideoVariant("https://v/320x180/a.mp4", 300)
MEDIUM = VideoVariant("https://v/1280x720/b.mp4?tag=28", 2_000)
FULL = VideoVariant("https://v/c.mp4", 5_000, 1920, 1080)
TALL = VideoVariant("https://v/1080x1920/t.mp4", 6_000)
ULTRA = VideoVariant("https://v/3840x2160/d.mp4", 20_000)
BLOB = VideoVariant("https://pds/xrpc/com.atproto.sync.getBlob?did=did:plc:a&cid=b")
PLAYLIST = VideoVariant("https://v/pl/p.m3u8", 9_000)


@pytest.mark.parametrize(
    ("variants", "best"),
    [
        ((SMALL, MEDIUM, FULL, ULTRA, PLAYLIST), FULL.url),
        ((SMALL, TALL), TALL.url),
        ((ULTRA,), ULTRA.url),
        ((PLAYLIST,), None),
        ((BLOB,), BLOB.url),
        ((), None),
    ],
)
def test_the_best_mp4_up_to_1080_lines_is_fetched(variants: tuple[VideoVariant, ...], best: str | None) -> None:
    found = next(iter(rank_variants(make_video(*variants))), None)
    assert (found.url if found else None) == best


def test_a_link_that_is_a_file_is_fetched_itself() -> None:
    found = rank_variants(make_video(url="https://video.example/clip.mp4"))[0]
    assert found.url == "https://video.example/clip.mp4"


def make_clip(md5: str, source: str) -> ClipFile:
    return ClipFile(md5, f"scratch/e/{md5}.mp4", source, 1280, 720, 10.0, 1000, 800, 25.0)


def reported(seconds: float | None, *variants: VideoVariant) -> ClipCandidate:
    return ClipCandidate(
        "https://x.com/a/status/2089000000000000001", "2089000000000000001", "fan", None, seconds, variants=variants
    )


@pytest.mark.parametrize(
    ("video", "outcome"),
    [
        (reported(20, MEDIUM), None),
        (reported(60.4, MEDIUM), None),
        (reported(2.5, MEDIUM), None),
        (reported(61.5, MEDIUM), ClipOutcome.FILTERED_DURATION),
        (reported(1.5, MEDIUM), ClipOutcome.FILTERED_DURATION),
        (reported(140), ClipOutcome.FILTERED_DURATION),
        (reported(20, TALL), ClipOutcome.FILTERED_ASPECT),
        (reported(None, TALL), ClipOutcome.FILTERED_ASPECT),
        (reported(20, VideoVariant("https://v/720x720/t.mp4")), ClipOutcome.FILTERED_ASPECT),
        (reported(20, VideoVariant("https://v/320x244/t.mp4")), None),
        (reported(20, PLAYLIST), None),
        (reported(None), None),
    ],
)
def test_data_of_a_source_rejects_only_what_the_check_would_reject(
    video: ClipCandidate, outcome: ClipOutcome | None
) -> None:
    found = screen_candidate(video, RULES)
    assert (found.outcome if found else None) == outcome


def test_a_clip_that_was_not_checked_is_delivered_as_such() -> None:
    clip = build_screened_clip(
        make_clip("x", "1"), CheckResult("accept-all", TimestampStatus.UNVERIFIED), ClipFingerprint()
    )
    assert clip.timestamp_status is TimestampStatus.UNVERIFIED
    assert (clip.md5, clip.scratch_key, clip.hash_version) == ("x", "scratch/e/x.mp4", "")
