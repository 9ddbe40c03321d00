"""Timeline responses, in the shapes the site is known to send."""

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

from found_footy_sim.x.posts import PostVisibility, XPost, XVideo

Json = dict[str, Any]
PAGE_SIZE = 20
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def build_timeline_page(
    found: Sequence[XPost], cursor: str | None, *, product: str = "Latest", hoist_legacy: bool = False
) -> Json:
    """One page of `found` (newest first) after `cursor`. `hoist_legacy` is the protocol drift that leaves `legacy`
    empty.
    """
    after = _decode_cursor(cursor)
    rest = [post for post in found if after is None or int(post.id) < after]
    page = rest[:PAGE_SIZE]
    bottom = _encode_cursor(page[-1].id) if page else (cursor or _encode_cursor("0"))
    build = _grid_instructions if product == "Media" else _list_instructions
    return wrap_instructions(build(page, bottom, first=cursor is None, hoisted=hoist_legacy))


def wrap_instructions(instructions: list[Json]) -> Json:
    inner = {"search_timeline": {"timeline": {"instructions": instructions}}}
    return {"data": {"search_by_raw_query": inner}}


def _encode_cursor(post_id: str) -> str:
    return "DAAD" + base64.urlsafe_b64encode(json.dumps({"before": post_id}).encode()).decode()


def _decode_cursor(cursor: str | None) -> int | None:
    if not cursor:
        return None
    try:
        return int(json.loads(base64.urlsafe_b64decode(cursor.removeprefix("DAAD")))["before"])
    except (binascii.Error, ValueError, KeyError):
        return None


def _list_instructions(page: list[XPost], bottom: str, *, first: bool, hoisted: bool) -> list[Json]:
    entries = [_post_entry(post, hoisted) for post in page]
    if first and entries:
        entries.insert(min(2, len(entries)), _who_to_follow())
    cursors = [_cursor_entry("Top", "DAADtop"), _cursor_entry("Bottom", bottom)]
    if first:
        return [{"type": "TimelineAddEntries", "entries": entries + cursors}]
    replaced = [
        {"type": "TimelineReplaceEntry", "entry_id_to_replace": entry["entryId"], "entry": entry} for entry in cursors
    ]
    return [{"type": "TimelineAddEntries", "entries": entries}, *replaced]


def _grid_instructions(page: list[XPost], bottom: str, *, first: bool, hoisted: bool) -> list[Json]:
    items = [
        {"entryId": f"search-grid-0-tweet-{p.id}", "item": {"itemContent": _item_content(p, hoisted)}} for p in page
    ]
    cursor = _cursor_entry("Bottom", bottom)
    if first:
        grid = {"entryType": "TimelineTimelineModule", "displayType": "VerticalGrid", "items": items}
        return [
            {"type": "TimelineAddEntries", "entries": [{"entryId": "search-grid-0", "content": grid}, cursor]},
        ]
    return [
        {"type": "TimelineAddToModule", "moduleEntryId": "search-grid-0", "moduleItems": items},
        {"type": "TimelineReplaceEntry", "entry_id_to_replace": cursor["entryId"], "entry": cursor},
    ]


def _cursor_entry(kind: str, value: str) -> Json:
    number = "9223372036854775807" if kind == "Top" else "0"
    content = {"entryType": "TimelineTimelineCursor", "cursorType": kind, "value": value}
    return {"entryId": f"cursor-{kind.lower()}-{number}", "sortIndex": number, "content": content}


def _who_to_follow() -> Json:
    user = {"item": {"itemContent": {"__typename": "TimelineUser", "user_results": {"result": _build_user("someone")}}}}
    return {
        "entryId": "who-to-follow-1",
        "content": {"entryType": "TimelineTimelineModule", "items": [user]},
    }


def _post_entry(post: XPost, hoisted: bool) -> Json:
    prefix = "promoted-tweet" if post.promoted else "tweet"
    content = {"entryType": "TimelineTimelineItem", "itemContent": _item_content(post, hoisted)}
    return {"entryId": f"{prefix}-{post.id}", "sortIndex": post.id, "content": content}


def _item_content(post: XPost, hoisted: bool) -> Json:
    content: Json = {
        "__typename": "TimelineTweet",
        "itemType": "TimelineTweet",
        "tweetDisplayType": "Tweet",
        "tweet_results": _tweet_results(post, hoisted),
    }
    return content | ({"promotedMetadata": {"advertiser_results": {}}} if post.promoted else {})


def _tweet_results(post: XPost, hoisted: bool) -> Json:
    match post.visibility:
        case PostVisibility.BLANK:
            return {}
        case PostVisibility.TOMBSTONE:
            text = {"text": "This Post was deleted by the Post author."}
            return {"result": {"__typename": "TweetTombstone", "tombstone": {"text": text}}}
        case PostVisibility.UNAVAILABLE:
            return {"result": {"__typename": "TweetUnavailable", "reason": "Protected"}}
        case PostVisibility.LIMITED:
            inner = _build_tweet(post, hoisted)
            return {"result": {"__typename": "TweetWithVisibilityResults", "tweet": inner, "limitedActionResults": {}}}
        case _:
            return {"result": {"__typename": "Tweet", **_build_tweet(post, hoisted)}}


def _build_tweet(post: XPost, hoisted: bool) -> Json:
    fields = _tweet_fields(post, hoisted)
    tweet: Json = {
        "rest_id": post.id,
        "core": {"user_results": {"result": _build_user(post.author, post.author_name)}},
        "views": {"state": "EnabledWithCount", "count": "4821"},
    }
    tweet |= {"legacy": None, **fields} if hoisted else {"legacy": fields}
    if post.long_text:
        tweet["note_tweet"] = {"note_tweet_results": {"result": {"text": post.long_text}}}
    if post.quoted:
        tweet["quoted_status_result"] = _tweet_results(post.quoted, hoisted)
    return tweet


def _tweet_fields(post: XPost, hoisted: bool) -> Json:
    media = [build_media_item(post, number, video) for number, video in enumerate(post.videos, start=1)]
    fields: Json = {
        "id_str": post.id,
        "full_text": post.text,
        "created_at": _format_created_at(post),
        "lang": post.lang,
        "is_quote_status": post.quoted is not None,
        "favorite_count": 3,
        "entities": {"media": media, "urls": [], "hashtags": []},
    }
    if media:
        fields["extended_entities"] = {"media": media}
    if post.reply_to:
        fields["in_reply_to_status_id_str"] = post.reply_to
    if post.reposted:
        fields["retweeted_status_result"] = _tweet_results(post.reposted, hoisted)
    return fields


def _format_created_at(post: XPost) -> str:
    at = post.posted_at
    return f"{_WEEKDAYS[at.weekday()]} {_MONTHS[at.month - 1]} {at:%d %H:%M:%S} +0000 {at.year}"


def _build_user(handle: str, name: str = "") -> Json:
    return {
        "__typename": "User",
        "rest_id": str(10_000 + sum(map(ord, handle))),
        "core": {"screen_name": handle, "name": name or handle},
        "legacy": {},
        "avatar": {"image_url": "/img/avatar.png"},
    }


def build_media_item(post: XPost, number: int, video: XVideo) -> Json:
    info: Json = {"aspect_ratio": [16, 9], "variants": _build_variants(video)}
    if video.duration_ms is not None:
        info["duration_millis"] = video.duration_ms
    return {
        "type": video.kind,
        "id_str": video.id,
        "media_key": f"13_{video.id}",
        "expanded_url": f"https://x.com/{post.author}/status/{post.id}/video/{number}",
        "media_url_https": "/img/poster.png",
        "ext_media_availability": {"status": "Available" if video.available else "Unavailable"},
        "video_info": info,
    }


def _build_variants(video: XVideo) -> list[Json]:
    playlist = [{"content_type": "application/x-mpegURL", "url": video.playlist}] if video.playlist else []
    return playlist + [
        {"bitrate": r.bitrate, "content_type": "video/mp4", "url": r.url}
        for r in sorted(video.renditions, key=lambda r: r.bitrate)
    ]
