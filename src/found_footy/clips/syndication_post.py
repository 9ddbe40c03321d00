"""What the embed endpoint says of a post: its videos, or why there are none. Pure.

Videos are named as the search names them: the first that can be played by the post's own address, every other by that
address with `/video/N`, N being its place among all that is attached to the post.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from found_footy.clips.fetch_refusal import Refusal
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.outcome import ClipOutcome
from found_footy.model.screening import with_size

_ID = re.compile(r"[0-9]{15,20}")
_HANDLE = re.compile(r"[A-Za-z0-9_]{1,20}")
_PLACE = re.compile(r"/video/(\d)/?$")
_MOST_MEDIA = 4
_GIF = "animated_gif"
_MOST_VARIANTS = 12
_LONGEST_URL = 2_000
_LONGEST_TEXT = 500
_SITE = "https://x.com"

EMPTY = Refusal(ClipOutcome.DOWNLOAD_RATE_LIMITED, "the site answered with nothing about the post", passing=True)
_NO_VIDEO = Refusal(ClipOutcome.BAD_URL, "the post has no video, or shows none to readers without an account")
_SUSPENDED = Refusal(ClipOutcome.DOWNLOAD_DELETED, "the post's author is suspended")

Post = tuple[FoundVideo, ...] | Refusal


def valid_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def read_post(body: Any, tweet_id: str) -> Post:
    """The videos of the answer to a question about this post, at least one; those of the post it quotes if it has
    none of its own, or nothing but GIFs, which are a reaction to the video that it quotes.
    """
    if not isinstance(body, dict):
        return _unknown("the answer is not an object")
    if not body:
        return EMPTY
    if body.get("__typename") == "TweetTombstone" or "tombstone" in body:
        return _withheld(_text(_part(_part(body, "tombstone"), "text").get("text")))
    if body.get("__typename") != "Tweet":
        return _unknown("the answer is no post")
    if not _is_about(body, tweet_id):
        return _unknown("the answer is about another post")
    if not isinstance(body.get("user"), dict):
        return _SUSPENDED
    quoted = _part(body, "quoted_tweet")
    own, theirs = _videos(body, tweet_id), _quoted(quoted)
    if _has_only_gifs(body) and theirs and not _has_only_gifs(quoted):
        return theirs
    return own or theirs or _lacking(body) or _lacking(quoted) or _NO_VIDEO


def the_one(videos: Sequence[FoundVideo], url: str) -> FoundVideo:
    """That of a post's videos which `url` names: the one at its place, else the first."""
    place = _PLACE.search(url)
    named = [video for video in videos if place and video.url.endswith(f"/video/{place[1]}")]
    return (named or list(videos))[0]


def _is_about(body: Mapping[str, Any], tweet_id: str) -> bool:
    """An edited post has several ids, and may be told under the latest."""
    edits = _part(body, "edit_control").get("edit_tweet_ids")
    return tweet_id in (body.get("id_str"), *(edits if isinstance(edits, list) else ()))


def _quoted(body: Mapping[str, Any]) -> tuple[FoundVideo, ...]:
    tweet_id = _text(body.get("id_str"))
    return _videos(body, tweet_id) if valid_id(tweet_id) else ()


def _videos(body: Mapping[str, Any], tweet_id: str) -> tuple[FoundVideo, ...]:
    author = _text(_part(body, "user").get("screen_name"))
    author = author if _HANDLE.fullmatch(author) else ""
    address = f"{_SITE}/{author or 'i'}/status/{tweet_id}"
    playable = [(place, media) for place, media in enumerate(_media(body), start=1) if _is_playable(media)]
    return tuple(
        FoundVideo(
            url=f"{address}/video/{place}" if number else address,
            tweet_id=tweet_id,
            author=author,
            posted_at=_time(body.get("created_at")),
            duration_seconds=_duration(media),
            text=_text(body.get("text"))[:_LONGEST_TEXT],
            variants=_variants(media),
        )
        for number, (place, media) in enumerate(playable)
    )


def _media(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Every attachment, in its place; what is not an object stands there empty."""
    listed = body.get("mediaDetails")
    return [item if isinstance(item, dict) else {} for item in listed[:_MOST_MEDIA]] if isinstance(listed, list) else []


def _is_video(media: Mapping[str, Any]) -> bool:
    return media.get("type") in ("video", _GIF) and bool(_part(media, "video_info"))


def _has_only_gifs(body: Mapping[str, Any]) -> bool:
    return {media.get("type") for media in _media(body) if _is_playable(media)} == {_GIF}


def _is_available(media: Mapping[str, Any]) -> bool:
    return _part(media, "ext_media_availability").get("status") in (None, "", "Available")


def _is_playable(media: Mapping[str, Any]) -> bool:
    return _is_video(media) and _is_available(media)


def _lacking(body: Mapping[str, Any]) -> Refusal | None:
    """Why the videos of a post that has some cannot be played."""
    kept_back = [_part(media, "ext_media_availability") for media in _media(body) if _is_video(media)]
    if not kept_back:
        return None
    why = _text(kept_back[0].get("reason"))[:_LONGEST_TEXT]
    geo = "geo" in why.lower()
    outcome = ClipOutcome.DOWNLOAD_GEO if geo else ClipOutcome.DOWNLOAD_DELETED
    return Refusal(outcome, f"the post's video is not available{f' ({why})' if why else ''}")


def _variants(media: Mapping[str, Any]) -> tuple[VideoVariant, ...]:
    """The MP4 files. Playlists are left out: one file is wanted."""
    listed = _part(media, "video_info").get("variants")
    raws = [raw for raw in listed[:_MOST_VARIANTS] if isinstance(raw, dict)] if isinstance(listed, list) else []
    return tuple(
        with_size(VideoVariant(_text(raw.get("url")), _whole(raw.get("bitrate"))))
        for raw in raws
        if raw.get("content_type") == "video/mp4" and _is_address(_text(raw.get("url")))
    )


def _is_address(url: str) -> bool:
    return url.startswith(("https://", "http://")) and len(url) <= _LONGEST_URL and url.isprintable()


def _withheld(words: str) -> Refusal:
    said = words[:_LONGEST_TEXT]
    if "deleted" in said.lower():
        return Refusal(ClipOutcome.DOWNLOAD_DELETED, f"the post is gone: {said}")
    if "withheld" in said.lower():
        return Refusal(ClipOutcome.DOWNLOAD_GEO, f"the post is not shown here: {said}")
    return Refusal(
        ClipOutcome.DOWNLOAD_FAILED, f"the post is not shown to readers without an account{f': {said}' if said else ''}"
    )


def _unknown(what: str) -> Refusal:
    return Refusal(ClipOutcome.DOWNLOAD_FAILED, what, passing=True)


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _text(value: Any) -> str:
    """Text that every store and wire can carry: an answer may hold halves of characters."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 10**12 else 0


def _duration(media: Mapping[str, Any]) -> float | None:
    millis = _whole(_part(media, "video_info").get("duration_millis"))
    return millis / 1000 if 0 < millis < 10**9 else None


def _time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
