"""Posts of the simulated Bluesky, and their JSON views."""

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Json = dict[str, Any]
_QUOTE_NOT_FOUND: Json = {"$type": "app.bsky.embed.record#viewNotFound", "uri": "at://x", "notFound": True}


def make_did(handle: str) -> str:
    return "did:plc:" + base64.b32encode(hashlib.sha256(handle.encode()).digest()).decode().lower()[:24]


def make_cid(data: bytes) -> str:
    """Return a CID-shaped string that depends only on the bytes."""
    return "bafkrei" + base64.b32encode(hashlib.sha256(data).digest()).decode().lower().rstrip("=")


@dataclass(frozen=True)
class BlueskyPost:
    """`video` holds the bytes of the uploaded file; a file stored elsewhere has only its `cid`. A post with `quotes`
    shows its video beside another's post; `quoted` is a post that it shows, alone or beside its own video. A `gif` is a
    video that autoplays.
    """

    handle: str
    key: str
    text: str
    posted_at: datetime
    video: bytes | None = None
    width: int = 1280
    height: int = 720
    quotes: bool = False
    cid: str = ""
    quoted: "BlueskyPost | None" = None
    gif: bool = False

    @property
    def blob(self) -> str | None:
        """The CID of its file, if it has one."""
        return make_cid(self.video) if self.video is not None else self.cid or None

    @property
    def did(self) -> str:
        return make_did(self.handle)

    @property
    def uri(self) -> str:
        return f"at://{self.did}/app.bsky.feed.post/{self.key}"

    def to_view(self) -> Json:
        at = self.posted_at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        shown: Json = {
            "uri": self.uri,
            "cid": make_cid(self.uri.encode()),
            "indexedAt": at,
            "labels": [],
            "author": {"did": self.did, "handle": self.handle, "displayName": self.handle.title(), "labels": []},
            "record": {"$type": "app.bsky.feed.post", "createdAt": at, "text": self.text, "langs": ["en"]},
            "likeCount": 0,
            "replyCount": 0,
            "repostCount": 0,
            "quoteCount": 0,
        }
        embed = self._build_embed()
        return shown | ({"embed": embed} if embed else {})

    def _build_embed(self) -> Json | None:
        own = self._build_video_embed(self.blob) if self.blob else None
        if self.quoted is None and not self.quotes:
            return own
        quoted = self.quoted.to_quoted_view() if self.quoted else _QUOTE_NOT_FOUND
        record = {"$type": "app.bsky.embed.record#view", "record": quoted}
        return {"$type": "app.bsky.embed.recordWithMedia#view", "record": record, "media": own} if own else record

    def to_quoted_view(self) -> Json:
        """The view of the post as quoted by another one."""
        view = self.to_view()
        kept = {name: view[name] for name in ("uri", "cid", "author", "indexedAt", "labels")}
        embeds = [view["embed"]] if "embed" in view else []
        return {"$type": "app.bsky.embed.record#viewRecord", **kept, "value": view["record"], "embeds": embeds}

    def _build_video_embed(self, cid: str) -> Json:
        watch = f"https://video.bsky.app/watch/{self.did}/{cid}"
        return {
            "$type": "app.bsky.embed.video#view",
            "cid": cid,
            "playlist": f"{watch}/playlist.m3u8",
            "thumbnail": f"{watch}/thumbnail.jpg",
            "aspectRatio": {"width": self.width, "height": self.height},
            **({"presentation": "gif"} if self.gif else {}),
        }
