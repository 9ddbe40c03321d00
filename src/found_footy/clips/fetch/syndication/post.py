"""Parses the embed endpoint's answer: the videos of a post, or why there are none. Pure.

Videos are named as the search names them: the first playable one by the post's URL, every other by that URL with
`/video/N`, N being its position among the post's attachments.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.screening import infer_variant_size

_TWEET_ID = re.compile(r"[0-9]{15,20}")
_HANDLE = re.compile(r"[A-Za-z0-9_]{1,20}")
_VIDEO_INDEX = re.compile(r"/video/(\d)/?$")
_MAX_MEDIA = 4
_GIF = "animated_gif"
_MAX_VARIANTS = 12
_MAX_URL_LENGTH = 2_000
_MAX_TEXT_LENGTH = 500
_SITE = "https://x.com"

EMPTY_ANSWER = FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, "the answer is empty", transient=True)
_NO_VIDEO = FetchFailure(ClipOutcome.BAD_URL, "the post has no video, or shows none to readers without an account")
_SUSPENDED = FetchFailure(ClipOutcome.DOWNLOAD_DELETED, "the post's author is suspended")

PostVideos = tuple[ClipCandidate, ...] | FetchFailure


def is_tweet_id(text: str) -> bool:
    return _TWEET_ID.fullmatch(text) is not None


def parse_post(body: Any, tweet_id: str) -> PostVideos:
    """The videos of the post, at least one; those of the post it quotes if it has none of its own, or only GIFs, which
    are a reaction to the quoted video.
    """
    if not isinstance(body, dict):
        return _transient_failure("the answer is not an object")
    if not body:
        return EMPTY_ANSWER
    if body.get("__typename") == "TweetTombstone" or "tombstone" in body:
        return _parse_tombstone(_to_text(_get_object(_get_object(body, "tombstone"), "text").get("text")))
    if body.get("__typename") != "Tweet":
        return _transient_failure("the answer is not a post")
    if not _is_about(body, tweet_id):
        return _transient_failure("the answer is about another post")
    if not isinstance(body.get("user"), dict):
        return _SUSPENDED
    quoted = _get_object(body, "quoted_tweet")
    own, theirs = _parse_videos(body, tweet_id), _parse_quoted_videos(quoted)
    if _has_only_gifs(body) and theirs and not _has_only_gifs(quoted):
        return theirs
    return own or theirs or _explain_unavailable(body) or _explain_unavailable(quoted) or _NO_VIDEO


def select_video(videos: Sequence[ClipCandidate], url: str) -> ClipCandidate:
    """The video that `url` names by position, else the first."""
    place = _VIDEO_INDEX.search(url)
    named = [video for video in videos if place and video.url.endswith(f"/video/{place[1]}")]
    return (named or list(videos))[0]


def _is_about(body: Mapping[str, Any], tweet_id: str) -> bool:
    """An edited post has several ids, and the answer may carry the latest."""
    edits = _get_object(body, "edit_control").get("edit_tweet_ids")
    return tweet_id in (body.get("id_str"), *(edits if isinstance(edits, list) else ()))


def _parse_quoted_videos(body: Mapping[str, Any]) -> tuple[ClipCandidate, ...]:
    tweet_id = _to_text(body.get("id_str"))
    return _parse_videos(body, tweet_id) if is_tweet_id(tweet_id) else ()


def _parse_videos(body: Mapping[str, Any], tweet_id: str) -> tuple[ClipCandidate, ...]:
    author = _to_text(_get_object(body, "user").get("screen_name"))
    author = author if _HANDLE.fullmatch(author) else ""
    address = f"{_SITE}/{author or 'i'}/status/{tweet_id}"
    playable = [(place, media) for place, media in enumerate(_list_media(body), start=1) if _is_playable(media)]
    return tuple(
        ClipCandidate(
            url=f"{address}/video/{place}" if number else address,
            tweet_id=tweet_id,
            author=author,
            posted_at=_parse_time(body.get("created_at")),
            duration_seconds=_parse_duration(media),
            text=_to_text(body.get("text"))[:_MAX_TEXT_LENGTH],
            variants=_parse_variants(media),
        )
        for number, (place, media) in enumerate(playable)
    )


def _list_media(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Every attachment in its position; one that is not an object becomes empty."""
    listed = body.get("mediaDetails")
    return [item if isinstance(item, dict) else {} for item in listed[:_MAX_MEDIA]] if isinstance(listed, list) else []


def _is_video(media: Mapping[str, Any]) -> bool:
    return media.get("type") in ("video", _GIF) and bool(_get_object(media, "video_info"))


def _has_only_gifs(body: Mapping[str, Any]) -> bool:
    return {media.get("type") for media in _list_media(body) if _is_playable(media)} == {_GIF}


def _is_available(media: Mapping[str, Any]) -> bool:
    return _get_object(media, "ext_media_availability").get("status") in (None, "", "Available")


def _is_playable(media: Mapping[str, Any]) -> bool:
    return _is_video(media) and _is_available(media)


def _explain_unavailable(body: Mapping[str, Any]) -> FetchFailure | None:
    """Why the videos of a post that has some cannot be played."""
    kept_back = [_get_object(media, "ext_media_availability") for media in _list_media(body) if _is_video(media)]
    if not kept_back:
        return None
    why = _to_text(kept_back[0].get("reason"))[:_MAX_TEXT_LENGTH]
    geo = "geo" in why.lower()
    outcome = ClipOutcome.DOWNLOAD_GEO if geo else ClipOutcome.DOWNLOAD_DELETED
    return FetchFailure(outcome, f"the post's video is not available{f' ({why})' if why else ''}")


def _parse_variants(media: Mapping[str, Any]) -> tuple[VideoVariant, ...]:
    """The MP4 files. Playlists are left out: a single file is needed."""
    listed = _get_object(media, "video_info").get("variants")
    raws = [raw for raw in listed[:_MAX_VARIANTS] if isinstance(raw, dict)] if isinstance(listed, list) else []
    return tuple(
        infer_variant_size(VideoVariant(_to_text(raw.get("url")), _to_positive_int(raw.get("bitrate"))))
        for raw in raws
        if raw.get("content_type") == "video/mp4" and _is_http_url(_to_text(raw.get("url")))
    )


def _is_http_url(url: str) -> bool:
    return url.startswith(("https://", "http://")) and len(url) <= _MAX_URL_LENGTH and url.isprintable()


def _parse_tombstone(tombstone_text: str) -> FetchFailure:
    said = tombstone_text[:_MAX_TEXT_LENGTH]
    if "deleted" in said.lower():
        return FetchFailure(ClipOutcome.DOWNLOAD_DELETED, f"the post is deleted: {said}")
    if "withheld" in said.lower():
        return FetchFailure(ClipOutcome.DOWNLOAD_GEO, f"the post is not shown here: {said}")
    return FetchFailure(
        ClipOutcome.DOWNLOAD_FAILED, f"the post is not shown to readers without an account{f': {said}' if said else ''}"
    )


def _transient_failure(reason: str) -> FetchFailure:
    return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, reason, transient=True)


def _get_object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _to_text(value: Any) -> str:
    """Text without lone surrogates, which an answer may contain and MongoDB and JSON cannot carry."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _to_positive_int(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 10**12 else 0


def _parse_duration(media: Mapping[str, Any]) -> float | None:
    millis = _to_positive_int(_get_object(media, "video_info").get("duration_millis"))
    return millis / 1000 if 0 < millis < 10**9 else None


def _parse_time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
