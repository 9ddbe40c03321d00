"""The unauthenticated endpoint behind embedded posts."""

from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response

from found_footy.sim.xsite.posts import Post, Standing
from found_footy.sim.xsite.shapes import media_item

Json = dict[str, Any]

_HIDDEN = frozenset({Standing.TOMBSTONE, Standing.DELETED, Standing.UNAVAILABLE, Standing.BLANK})


def tweet_result(post: Post | None, token: str) -> Response:
    """What an embed gets. Without a token the answer is an empty object, which is not an error to the site."""
    if not token:
        return JSONResponse({})
    if post is None:
        return HTMLResponse("<!doctype html><title>Not found</title>", 404)
    if post.standing in _HIDDEN:
        return JSONResponse(_tombstone(post))
    return JSONResponse(_post(post))


def _tombstone(post: Post) -> Json:
    if post.standing in (Standing.TOMBSTONE, Standing.DELETED):
        text = {"text": "This Post was deleted by the Post author."}
        return {"__typename": "TweetTombstone", "tombstone": {"text": text}}
    return {"__typename": "TweetTombstone", "tombstone": {}}


def _post(post: Post) -> Json:
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
        body["mediaDetails"] = [_detail(post, number) for number in range(1, len(post.videos) + 1)]
        body["video"] = _first_video(post)
    if post.quoted:
        body["quoted_tweet"] = _post(post.quoted)
    if post.standing is Standing.SUSPENDED:
        del body["user"]
    return body


def _detail(post: Post, number: int) -> Json:
    item = media_item(post, number, post.videos[number - 1])
    return {key: value for key, value in item.items() if key not in ("id_str", "media_key")}


def _first_video(post: Post) -> Json:
    first = post.videos[0]
    return {
        "contentType": "media_entity",
        "durationMs": first.duration_ms or 0,
        "mediaAvailability": {"status": "available" if first.available else "unavailable"},
        "videoId": {"type": "tweet", "id": post.id},
        "variants": [{"type": "video/mp4", "src": rendition.url} for rendition in first.renditions],
    }
