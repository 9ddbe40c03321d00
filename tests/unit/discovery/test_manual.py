"""A person may point to a post or to a file, and to nothing else."""

import pytest

from found_footy.discovery.candidates.download_ids import extra_download_id
from found_footy.discovery.sources.manual import parse_clip_url
from found_footy.domain.ids import GoalSlug, download_workflow_id, is_search_attempt
from found_footy.platform.errors import BadInput

SLUG = GoalSlug("Liverpool", "Wirtz", "23min")


@pytest.mark.parametrize(
    "url",
    [
        "https://x.com/fan/status/2089000000000000001",
        "https://twitter.com/fan/status/2089000000000000001?s=20",
        "https://mobile.twitter.com/fan/statuses/2089000000000000001/video/1",
    ],
)
def test_a_post_on_x_is_known_by_its_number(url: str) -> None:
    video = parse_clip_url(url)
    assert (video.url, video.tweet_id) == ("https://x.com/fan/status/2089000000000000001", "2089000000000000001")
    assert (video.author, video.source) == ("fan", "manual")


def test_a_post_without_an_author_is_a_post_all_the_same() -> None:
    assert parse_clip_url("https://x.com/i/web/status/2089000000000000001").author == ""


def test_a_file_is_itself() -> None:
    video = parse_clip_url("https://video.twimg.com/a/b.mp4?tag=1")
    assert (video.url, video.tweet_id) == ("https://video.twimg.com/a/b.mp4?tag=1", "")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "not an address",
        "file:///etc/passwd.mp4",
        "ftp://host/a.mp4",
        "https://x.com/fan",
        "https://x.com/fan/status/123",
        "https://example.org/watch",
        "https://v/" + "x" * 2_000 + ".mp4",
        "javascript:alert(1)//.mp4",
        "https://[::1/a.mp4",
        "https://v/\ud83d.mp4",
        "https://v/a\x00.mp4",
        "https://v/a\r\nHost: evil.mp4",
    ],
)
def test_anything_else_is_refused(url: str) -> None:
    with pytest.raises(BadInput):
        parse_clip_url(url)


def test_the_same_links_are_one_download_and_no_attempt() -> None:
    extra = extra_download_id(SLUG, "1_2_3_Goal_1", ["a", "b"])
    assert extra == extra_download_id(SLUG, "1_2_3_Goal_1", ["b", "a"])
    assert extra != extra_download_id(SLUG, "1_2_3_Goal_1", ["a"])
    assert extra.endswith("-Liverpool-Wirtz-1_2_3_Goal_1")
    assert not is_search_attempt(extra)
    assert is_search_attempt(download_workflow_id(SLUG, "1_2_3_Goal_1", 10))
