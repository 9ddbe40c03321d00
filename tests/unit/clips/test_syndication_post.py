"""An answer about a post is its videos, or the reason why there are none, whatever it looks like."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from found_footy.clips.fetch.failures import FetchFailure, merge_failures
from found_footy.clips.fetch.syndication.post import EMPTY_ANSWER, parse_post, select_video
from found_footy.domain.messages import ClipCandidate
from found_footy.domain.outcomes import ClipOutcome
from tests.support.clips.syndication_posts import ID, QUOTED, media, post


def videos(body: Any) -> tuple[ClipCandidate, ...]:
    found = parse_post(body, ID)
    assert not isinstance(found, FetchFailure), found
    return found


def test_a_video_comes_with_its_facts_and_its_files() -> None:
    [video] = videos(post(media()))
    assert video.url == f"https://x.com/clipguy/status/{ID}"
    assert (video.tweet_id, video.author, video.duration_seconds) == (ID, "clipguy", 21.5)
    assert video.posted_at is not None
    assert [(v.bitrate, v.width, v.height) for v in video.variants] == [(832_000, 640, 360), (2_176_000, 1280, 720)]
    assert all(variant.url.endswith(".mp4?tag=28") for variant in video.variants)


def test_every_video_of_a_post_has_an_address_of_its_own_by_its_place() -> None:
    photo = {"type": "photo"}
    found = videos(post(photo, media(1), media(2), media(3)))
    address = f"https://x.com/clipguy/status/{ID}"
    assert [video.url for video in found] == [address, f"{address}/video/3", f"{address}/video/4"]


def test_one_video_is_found_by_its_address() -> None:
    found = videos(post(media(1), media(2)))
    assert select_video(found, f"https://x.com/other/status/{ID}/video/2") is found[1]
    for url in (f"https://x.com/clipguy/status/{ID}", f"https://x.com/clipguy/status/{ID}/video/1"):
        assert select_video(found, url) is found[0]


def test_a_quoted_post_gives_its_video_under_its_own_address() -> None:
    quoted = post(media(5), id_str=QUOTED, user={"screen_name": "source"})
    [video] = videos(post(quoted_tweet=quoted))
    assert (video.url, video.tweet_id) == (f"https://x.com/source/status/{QUOTED}", QUOTED)


def test_a_post_with_a_video_of_its_own_does_not_give_the_quoted_one() -> None:
    quoted = post(media(5), id_str=QUOTED)
    assert [video.tweet_id for video in videos(post(media(1), quoted_tweet=quoted))] == [ID]


def gif() -> dict[str, Any]:
    files = [{"content_type": "video/mp4", "bitrate": 0, "url": "https://video.twimg.com/tweet_video/a.mp4"}]
    return media(type="animated_gif", video_info={"variants": files})


def test_a_moving_picture_without_a_length_is_a_video() -> None:
    [video] = videos(post(gif()))
    assert video.duration_seconds is None


@pytest.mark.parametrize(
    ("own", "quoted", "given"),
    [
        ((gif(),), (media(5),), QUOTED),
        ((gif(),), (gif(),), ID),
        ((gif(), media(1)), (media(5),), ID),
        ((gif(),), ({"type": "photo"},), ID),
    ],
    ids=["a video", "a gif", "a video of its own besides", "a photo"],
)
def test_a_gif_is_a_reaction_to_the_video_that_it_quotes(
    own: tuple[Any, ...], quoted: tuple[Any, ...], given: str
) -> None:
    found = videos(post(*own, quoted_tweet=post(*quoted, id_str=QUOTED)))
    assert {video.tweet_id for video in found} == {given}


def test_an_edited_post_is_returned_under_its_latest_id() -> None:
    assert videos(post(media(), id_str="2089000000000000009", edit_control={"edit_tweet_ids": [ID]}))


def withheld(words: str) -> dict[str, Any]:
    return {"__typename": "TweetTombstone", "tombstone": {"text": {"text": words}}}


UNAVAILABLE = {"status": "Unavailable"}
NO_VIDEOS: list[tuple[Any, ClipOutcome, bool, str]] = [
    ({}, ClipOutcome.DOWNLOAD_RATE_LIMITED, True, "is empty"),
    ([], ClipOutcome.DOWNLOAD_FAILED, True, "not an object"),
    ("<html>", ClipOutcome.DOWNLOAD_FAILED, True, "not an object"),
    ({"__typename": "Other"}, ClipOutcome.DOWNLOAD_FAILED, True, "not a post"),
    (post(media(), id_str="2089000000000000009"), ClipOutcome.DOWNLOAD_FAILED, True, "another post"),
    (withheld("This Post was deleted by the Post author."), ClipOutcome.DOWNLOAD_DELETED, False, "deleted by the"),
    (withheld("Age-restricted adult content."), ClipOutcome.DOWNLOAD_FAILED, False, "Age-restricted"),
    (withheld("This Post has been withheld in Germany."), ClipOutcome.DOWNLOAD_GEO, False, "Germany"),
    ({"__typename": "TweetTombstone"}, ClipOutcome.DOWNLOAD_FAILED, False, "without an account"),
    ({"tombstone": {}}, ClipOutcome.DOWNLOAD_FAILED, False, "without an account"),
    ({**post(media()), "user": None}, ClipOutcome.DOWNLOAD_DELETED, False, "suspended"),
    (post(), ClipOutcome.BAD_URL, False, "no video"),
    (post({"type": "photo"}), ClipOutcome.BAD_URL, False, "no video"),
    (post(quoted_tweet=post(media(), id_str="../../etc")), ClipOutcome.DOWNLOAD_DELETED, False, "not available"),
    (post(media(ext_media_availability=UNAVAILABLE)), ClipOutcome.DOWNLOAD_DELETED, False, "not available"),
    (
        post(media(ext_media_availability={**UNAVAILABLE, "reason": "Geoblocked"})),
        ClipOutcome.DOWNLOAD_GEO,
        False,
        "Geoblocked",
    ),
]


@pytest.mark.parametrize(("body", "outcome", "passing", "words"), NO_VIDEOS)
def test_without_a_video_it_says_why(body: Any, outcome: ClipOutcome, passing: bool, words: str) -> None:
    refusal = parse_post(body, ID)
    assert isinstance(refusal, FetchFailure)
    assert (refusal.outcome, refusal.transient) == (outcome, passing)
    assert words in refusal.reason


def test_malformed_addresses_and_names_are_dropped() -> None:
    files = [
        {"content_type": "video/mp4", "url": url}
        for url in (
            "file:///etc/passwd.mp4",
            "ftp://h/a.mp4",
            "https://h/a\x00.mp4",
            "https://h/" + "x" * 4_000,
            7,
            None,
        )
    ]
    body = post(media(video_info={"variants": files}), user={"screen_name": "../../etc/passwd"}, text="\ud83d half")
    [video] = videos(body)
    assert (video.variants, video.author, video.url) == ((), "", f"https://x.com/i/status/{ID}")
    assert video.text.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KEYS = (
    "mediaDetails",
    "user",
    "quoted_tweet",
    "tombstone",
    "edit_control",
    "created_at",
    "text",
    "id_str",
    "video_info",
    "ext_media_availability",
)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(KEYS), JSON), st.booleans(), JSON)
def test_no_answer_whatever_is_an_error(parts: dict[str, Any], post_like: bool, other: Any) -> None:
    detail = {**media(), **{key: parts[key] for key in parts if key in ("video_info", "ext_media_availability")}}
    body = {**post(detail), **parts} if post_like else other
    found = parse_post(body, ID)
    assert isinstance(found, FetchFailure) or found


def test_the_later_answer_counts_unless_it_only_has_no_video() -> None:
    gone = FetchFailure(ClipOutcome.DOWNLOAD_DELETED, "status 404", try_other_source=True)
    assert merge_failures(gone, EMPTY_ANSWER) == FetchFailure(
        EMPTY_ANSWER.outcome, f"status 404; {EMPTY_ANSWER.reason}", transient=True, try_other_source=True
    )
    bare = FetchFailure(ClipOutcome.BAD_URL, "no video")
    assert merge_failures(gone, bare) == FetchFailure(
        ClipOutcome.DOWNLOAD_DELETED, "status 404; no video", try_other_source=True
    )
    deleted = FetchFailure(ClipOutcome.DOWNLOAD_DELETED, "the post is deleted")
    assert not merge_failures(bare, deleted).try_other_source
