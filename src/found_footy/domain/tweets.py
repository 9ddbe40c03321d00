"""Posts on X: their ids, and the URLs of their videos. Pure."""

import re
from datetime import UTC, datetime, timedelta

X_SITE = "https://x.com"
_TWEET_ID = re.compile(r"[0-9]{15,20}")
# A post has at most four attachments.
_VIDEO_PATH = re.compile(r"/video/([1-4])/?$")
_SNOWFLAKE_EPOCH = datetime(2010, 11, 4, 1, 42, 54, 657_000, tzinfo=UTC)
_SNOWFLAKE_SHIFT = 22


def is_tweet_id(text: str) -> bool:
    """Post ids have 15 to 20 digits; anything else is an artefact and would fetch another post, or none."""
    return _TWEET_ID.fullmatch(text) is not None


def tweet_id_time(tweet_id: str) -> datetime:
    """Return the time that is encoded in the id of a post."""
    return _SNOWFLAKE_EPOCH + timedelta(milliseconds=int(tweet_id) >> _SNOWFLAKE_SHIFT)


def build_tweet_url(site: str, author: str, tweet_id: str) -> str:
    return f"{site}/{author or 'i'}/status/{tweet_id}"


def build_video_url(tweet_url: str, position: int, *, is_first: bool) -> str:
    """Return the URL that names one video of a post: the first playable one by the post's URL, every other by its
    position among the post's attachments.
    """
    return tweet_url if is_first else f"{tweet_url}/video/{position}"


def find_video_position(url: str) -> int | None:
    """Return the position that a URL without a query names, as `build_video_url` writes it."""
    found = _VIDEO_PATH.search(url)
    return int(found[1]) if found else None
