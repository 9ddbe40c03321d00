"""The unauthenticated endpoint behind embedded posts."""

from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response

from found_footy_sim.x.posts import PostVisibility, XPost
from found_footy_sim.x.timeline_json import build_media_item

Json = dict[str, Any]

_HIDDEN_VISIBILITIES = frozenset(
    {PostVisibility.TOMBSTONE, PostVisibility.DELETED, PostVisibility.UNAVAILABLE, PostVisibility.BLANK}
)


def tweet_response(post: XPost | None, token: str) -> Response:
    """The response to an embed. Without a token it is an empty object, which the site does not treat as an error."""
    if not token:
        return JSONResponse({})
    if post is None:
        return HTMLResponse("<!doctype html><title>Not found</title>", 404)
    if post.visibility in _HIDDEN_VISIBILITIES:
        return JSONResponse(_build_tombstone(post))
    return JSONResponse(_build_tweet(post))


def _build_tombstone(post: XPost) -> Json:
    if post.visibility in (PostVisibility.TOMBSTONE, PostVisibility.DELETED):
        text = {"text": "This Post was deleted by the Post author."}
        return {"__typename": "TweetTombstone", "tombstone": {"text": text}}
    return {"__typename": "TweetTombstone", "tombstone": {}}


def _build_tweet(post: XPost) -> Json:
    body: Json = {
        "__typename": "Tweet",
        "lang": post.lang,
        "created_at": f"{post.posted_at:%Y-%m-%dT%H:%M:%S}.000Z",
        "id_str": post.id,
        "text": post.text,
        "favorite_count": 3,
        "user": {"id_str": "12345", "name": post.author_name or post.author, "screen_name": post.author},
    }
    if post.videos:
        body["mediaDetails"] = [_media_detail(post, number) for number in range(1, len(post.videos) + 1)]
        body["video"] = _build_first_video(post)
    if post.quoted:
        body["quoted_tweet"] = _build_tweet(post.quoted)
    if post.visibility is PostVisibility.SUSPENDED:
        del body["user"]
    return body


def _media_detail(post: XPost, number: int) -> Json:
    item = build_media_item(post, number, post.videos[number - 1])
    return {key: value for key, value in item.items() if key not in ("id_str", "media_key")}


def _build_first_video(post: XPost) -> Json:
    first = post.videos[0]
    return {
        "contentType": "media_entity",
        "durationMs": first.duration_ms or 0,
        "mediaAvailability": {"status": "available" if first.available else "unavailable"},
        "videoId": {"type": "tweet", "id": post.id},
        "variants": [{"type": "video/mp4", "src": rendition.url} for rendition in first.renditions],
    }
