"""The best file that is small enough is fetched, and what is larger is not even begun."""

import pytest

from found_footy.clips.fetch.variants import estimate_bytes, filter_by_size, rank_variants
from found_footy.domain.messages import ClipCandidate, VideoVariant

HOST = "https://video.twimg.com/amplify_video/1/vid/avc1"
SMALL = VideoVariant(f"{HOST}/480x270/a.mp4", 288_000, 480, 270)
MIDDLE = VideoVariant(f"{HOST}/1280x720/b.mp4?tag=28", 2_176_000, 1280, 720)
LARGE = VideoVariant(f"{HOST}/1920x1080/c.mp4", 10_368_000, 1920, 1080)
HUGE = VideoVariant(f"{HOST}/3840x2160/d.mp4", 25_128_000, 3840, 2160)
HEVC = VideoVariant("https://video.twimg.com/amplify_video/1/vid/hevc/1920x1080/e.mp4", 20_000_000, 1920, 1080)
PLAYLIST = VideoVariant("https://video.twimg.com/amplify_video/1/pl/p.m3u8?tag=28", 0)


def post(*variants: VideoVariant, seconds: float | None = 20.0) -> ClipCandidate:
    url = "https://x.com/fan/status/2089000000000000001"
    return ClipCandidate(url, "2089000000000000001", "fan", None, seconds, variants=variants)


@pytest.mark.parametrize(
    ("offered", "ordered"),
    [
        ((SMALL, HUGE, LARGE, PLAYLIST, MIDDLE), (LARGE, MIDDLE, SMALL)),
        ((HUGE,), (HUGE,)),
        ((SMALL, HEVC), (SMALL,)),
        ((HEVC,), (HEVC,)),
        ((PLAYLIST,), ()),
        ((), ()),
    ],
)
def test_the_best_up_to_1080_lines_comes_first(
    offered: tuple[VideoVariant, ...], ordered: tuple[VideoVariant, ...]
) -> None:
    assert rank_variants(post(*offered)) == ordered


def test_a_portrait_is_measured_by_its_short_side() -> None:
    portrait = VideoVariant("https://video.twimg.com/v/1080x1920/e.mp4", 9_000_000, 1080, 1920)
    assert rank_variants(post(portrait, SMALL)) == (portrait, SMALL)


def test_the_size_is_read_from_the_path_where_it_is_not_given() -> None:
    [found] = rank_variants(post(VideoVariant(HUGE.url, 1)))
    assert (found.width, found.height) == (3840, 2160)


@pytest.mark.parametrize(
    ("seconds", "megabytes", "kept"),
    [
        (20.0, 200, (LARGE, MIDDLE, SMALL)),
        (20.0, 10, (MIDDLE, SMALL)),
        (20.0, 1, (SMALL,)),
        (2_000.0, 1, (SMALL,)),
        (None, 1, (LARGE, MIDDLE, SMALL)),
    ],
)
def test_a_file_that_will_be_too_large_is_skipped(
    seconds: float | None, megabytes: int, kept: tuple[VideoVariant, ...]
) -> None:
    assert filter_by_size((LARGE, MIDDLE, SMALL), seconds, megabytes * 10**6) == kept


def test_without_files_there_is_nothing_to_choose() -> None:
    assert filter_by_size((), 10.0, 1) == ()


@pytest.mark.parametrize(
    ("video", "size"),
    [
        (post(SMALL, MIDDLE), 2_176_000 * 20 // 8),
        (post(SMALL, LARGE, seconds=1_000.0), 288_000 * 1_000 // 8),
        (post(LARGE, seconds=10_000.0), 50_000_000),
        (post(SMALL, seconds=None), 20_000_000),
        (post(VideoVariant(f"{HOST}/480x270/a.mp4")), 20_000_000),
        (post(), 20_000_000),
    ],
)
def test_how_large_a_file_will_be_is_known_from_its_bitrate(video: ClipCandidate, size: int) -> None:
    assert estimate_bytes(video, 50_000_000) == size
