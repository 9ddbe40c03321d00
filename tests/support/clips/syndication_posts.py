"""Answers about a post as the embed service of X gives them."""

from typing import Any

ID = "2089000000000000001"
QUOTED = "2088000000000000007"


def media(number: int = 1, **changes: Any) -> dict[str, Any]:
    base = f"https://video.twimg.com/amplify_video/{number}"
    variants = [
        {"content_type": "application/x-mpegURL", "url": f"{base}/pl/p.m3u8?tag=28"},
        {"bitrate": 832_000, "content_type": "video/mp4", "url": f"{base}/vid/avc1/640x360/b.mp4?tag=28"},
        {"bitrate": 2_176_000, "content_type": "video/mp4", "url": f"{base}/vid/avc1/1280x720/c.mp4?tag=28"},
    ]
    info = {"aspect_ratio": [16, 9], "duration_millis": 21_500, "variants": variants}
    available = {"ext_media_availability": {"status": "Available"}}
    return {"type": "video", **available, "video_info": info, **changes}


def post(*details: Any, **changes: Any) -> dict[str, Any]:
    body = {
        "__typename": "Tweet",
        "created_at": "2026-11-15T15:41:07.000Z",
        "id_str": ID,
        "text": "GOAL",
        "user": {"id_str": "12345", "name": "Clip Guy", "screen_name": "clipguy"},
        **changes,
    }
    return {**body, "mediaDetails": list(details)} if details else body
