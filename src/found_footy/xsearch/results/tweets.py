"""Reads one post of a timeline and the videos it carries."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from found_footy.domain.messages import ClipCandidate
from found_footy.domain.tweets import is_tweet_id, tweet_id_time
from found_footy.x_media import MediaPost
from found_footy.xsearch.results.wire import ItemContent, Tweet, TweetResults, is_absent

_STATUS_PATH = re.compile(r"/status/([0-9]+)(?:/video/([0-9]{1,2}))?")
_MAX_QUOTE_DEPTH = 3


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


def video_key(url: str) -> str | None:
    """Identify a video by its post's id and its position, independent of the author's name: `<id>/1` for the first one.
    None if `url` is not a post's URL.
    """
    found = _STATUS_PATH.search(url)
    return f"{found[1]}/{int(found[2] or 1)}" if found and is_tweet_id(found[1]) else None


def parse_item(content: ItemContent, site: str) -> ParsedTweet:
    """A post that the site marks as deleted, or leaves blank, is readable and empty."""
    if content.tweet_results is None:
        return ParsedTweet(readable=False)
    return _parse_nested(content.tweet_results, site, depth=-1)


def parse_tweet(result: Any, site: str, depth: int = 0) -> ParsedTweet:
    """Parse a post or, if it carries no video of its own, the post it quotes or reposts. A GIF is a reaction to the
    quoted video; it counts as a video only if there is no other.
    """
    tweet = Tweet.model_validate(result)
    if tweet.reposted is not None:
        return _parse_nested(tweet.reposted, site, depth)
    if not is_tweet_id(tweet.tweet_id):
        return ParsedTweet(readable=bool(tweet.tweet_id), rejected_ids=1)
    posted_at = tweet.created_at or tweet_id_time(tweet.tweet_id)
    post = MediaPost(site, tweet.tweet_id, tweet.author, posted_at, tweet.text, tweet.media)
    videos = tuple(map(_sort_variants, post.list_videos()))
    if videos and not post.has_only_gifs:
        return ParsedTweet(True, videos, posted_at)
    quoted = _parse_nested(tweet.quoted, site, depth)
    if videos and (quoted.has_only_gifs or not quoted.videos):
        return ParsedTweet(True, videos, posted_at, quoted.rejected_ids, has_only_gifs=True)
    return ParsedTweet(True, quoted.videos, posted_at, quoted.rejected_ids, quoted.has_only_gifs)


def _parse_nested(results: TweetResults, site: str, depth: int) -> ParsedTweet:
    if results.result is None or depth >= _MAX_QUOTE_DEPTH or is_absent(results.result):
        return ParsedTweet(readable=True)
    return parse_tweet(results.result, site, depth + 1)


def _sort_variants(video: ClipCandidate) -> ClipCandidate:
    """Best first."""
    return replace(video, variants=tuple(sorted(video.variants, key=lambda variant: -variant.bitrate)))
