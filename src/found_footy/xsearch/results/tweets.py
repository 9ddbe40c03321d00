"""Parses one post of a timeline and the videos it carries."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.xsearch.results.json_access import dig, dig_int, dig_list, dig_text

_TWEET_ID = re.compile(r"[0-9]{15,20}")
_HANDLE = re.compile(r"[A-Za-z0-9_]{1,20}")
_VIDEO_SIZE = re.compile(r"/(\d{2,5})x(\d{2,5})/")
_SNOWFLAKE_EPOCH = datetime(2010, 11, 4, 1, 42, 54, 657_000, tzinfo=UTC)
_ABSENT_TYPES = frozenset({"TweetTombstone", "TweetUnavailable"})
_STATUS_PATH = re.compile(r"/status/([0-9]+)(?:/video/([0-9]{1,2}))?")
_GIF = "animated_gif"
_MAX_QUOTE_DEPTH = 3
_MAX_TEXT_LENGTH = 4_000


@dataclass(frozen=True)
class ParsedTweet:
    """The result of one timeline item. `readable` is false if the item has an unknown shape; `has_only_gifs` if all its
    videos are animated GIFs.
    """

    readable: bool
    videos: tuple[ClipCandidate, ...] = ()
    posted_at: datetime | None = None
    rejected_ids: int = 0
    has_only_gifs: bool = False


def is_tweet_id(text: object) -> bool:
    """Post ids are text of 15 to 20 digits; anything else is an artefact and would fetch another post, or none."""
    return isinstance(text, str) and _TWEET_ID.fullmatch(text) is not None


def video_key(url: str) -> str | None:
    """Identify a video by its post's id and its position, independent of the author's name: `<id>/1` for the first one.
    None if `url` is not a post's URL.
    """
    found = _STATUS_PATH.search(url)
    return f"{found[1]}/{int(found[2] or 1)}" if found and is_tweet_id(found[1]) else None


def parse_item(content: object, site: str) -> ParsedTweet:
    """`content` is an `itemContent`. A post that the site marks as deleted, or leaves blank, is readable and empty."""
    results = dig(content, "tweet_results")
    if not isinstance(results, dict):
        return ParsedTweet(readable=False)
    result = results.get("result")
    if result is None or dig_text(result, "__typename") in _ABSENT_TYPES:
        return ParsedTweet(readable=True)
    return parse_tweet(result, site)


def parse_tweet(result: object, site: str, depth: int = 0) -> ParsedTweet:
    """Parse a post or, if it carries no video of its own, the post it quotes or reposts. A GIF is a reaction to the
    quoted video; it counts as a video only if there is no other.
    """
    tweet = _unwrap_tweet(result)
    if original := _tweet_field(tweet, "retweeted_status_result"):
        return _parse_nested(original, site, depth)
    tweet_id = dig_text(tweet, "rest_id") or _text_field(tweet, "id_str")
    if not is_tweet_id(tweet_id):
        return ParsedTweet(readable=bool(tweet_id), rejected_ids=1)
    posted_at = _posted_at(tweet, tweet_id)
    videos, gifs = _parse_videos(tweet, tweet_id, posted_at, site), _has_only_gifs(tweet)
    if videos and not gifs:
        return ParsedTweet(True, videos, posted_at)
    quoted = _parse_nested(_tweet_field(tweet, "quoted_status_result"), site, depth)
    if videos and (quoted.has_only_gifs or not quoted.videos):
        return ParsedTweet(True, videos, posted_at, quoted.rejected_ids, has_only_gifs=True)
    return ParsedTweet(True, quoted.videos, posted_at, quoted.rejected_ids, quoted.has_only_gifs)


def _parse_nested(results: object, site: str, depth: int) -> ParsedTweet:
    result = dig(results, "result")
    if result is None or depth >= _MAX_QUOTE_DEPTH or dig_text(result, "__typename") in _ABSENT_TYPES:
        return ParsedTweet(readable=True)
    return parse_tweet(result, site, depth + 1)


def _unwrap_tweet(result: object) -> object:
    inner = dig(result, "tweet")
    return inner if isinstance(inner, dict) else result


def _tweet_field(tweet: object, name: str) -> Any:
    """Return `legacy.name`, or `name` itself: in some answers the post has the fields of `legacy`."""
    value = dig(tweet, "legacy", name)
    return dig(tweet, name) if value is None else value


def _text_field(tweet: object, name: str) -> str:
    value = _tweet_field(tweet, name)
    return value if isinstance(value, str) else ""


def _author_handle(tweet: object) -> str:
    user = dig(tweet, "core", "user_results", "result")
    handle = dig_text(user, "core", "screen_name") or dig_text(user, "legacy", "screen_name")
    return handle if _HANDLE.fullmatch(handle) else ""


def _tweet_text(tweet: object) -> str:
    whole = dig_text(tweet, "note_tweet", "note_tweet_results", "result", "text")
    return (whole or _text_field(tweet, "full_text"))[:_MAX_TEXT_LENGTH]


def _posted_at(tweet: object, tweet_id: str) -> datetime:
    """Return the stated time; if it is missing or malformed, the time encoded in the id."""
    try:
        stated = parsedate_to_datetime(_text_field(tweet, "created_at"))
        return stated.astimezone(UTC) if stated.tzinfo else stated.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return _SNOWFLAKE_EPOCH + timedelta(milliseconds=int(tweet_id) >> 22)


def _parse_videos(tweet: object, tweet_id: str, posted_at: datetime, site: str) -> tuple[ClipCandidate, ...]:
    author, text = _author_handle(tweet), _tweet_text(tweet)
    address = f"{site}/{author or 'i'}/status/{tweet_id}"
    playable = [(place, media) for place, media in enumerate(_media_entries(tweet), start=1) if _is_playable(media)]
    return tuple(
        ClipCandidate(
            url=f"{address}/video/{place}" if number else address,
            tweet_id=tweet_id,
            author=author,
            posted_at=posted_at,
            duration_seconds=_duration_seconds(media),
            text=text,
            variants=_parse_variants(media),
        )
        for number, (place, media) in enumerate(playable)
    )


def _media_entries(tweet: object) -> list[Any]:
    extended = dig_list(_tweet_field(tweet, "extended_entities"), "media")
    return extended or dig_list(_tweet_field(tweet, "entities"), "media")


def _is_playable(media: object) -> bool:
    available = dig_text(media, "ext_media_availability", "status") in ("", "Available")
    return available and dig_text(media, "type") in ("video", _GIF) and bool(dig(media, "video_info"))


def _has_only_gifs(tweet: object) -> bool:
    kinds = {dig_text(media, "type") for media in _media_entries(tweet) if _is_playable(media)}
    return kinds == {_GIF}


def _duration_seconds(media: object) -> float | None:
    millis = dig_int(media, "video_info", "duration_millis")
    return millis / 1000 if millis is not None and 0 < millis < 10**9 else None


def _parse_variants(media: object) -> tuple[VideoVariant, ...]:
    """Return the MP4 variants, best first. Playlists are left out: the download needs one file."""
    found = (_parse_variant(raw) for raw in dig_list(media, "video_info", "variants"))
    return tuple(sorted((v for v in found if v), key=lambda v: -v.bitrate))


def _parse_variant(raw: object) -> VideoVariant | None:
    url = dig_text(raw, "url")
    if dig_text(raw, "content_type") != "video/mp4" or not url.startswith(("https://", "http://")):
        return None
    size = _VIDEO_SIZE.search(url)
    width, height = (int(size[1]), int(size[2])) if size else (0, 0)
    return VideoVariant(url, max(0, dig_int(raw, "bitrate") or 0), width, height)
