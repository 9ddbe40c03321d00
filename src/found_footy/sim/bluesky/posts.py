"""Posts as the simulated Bluesky keeps and shows them."""

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Json = dict[str, Any]


def a_did(handle: str) -> str:
    return "did:plc:" + base64.b32encode(hashlib.sha256(handle.encode()).digest()).decode().lower()[:24]


def a_cid(data: bytes) -> str:
    """Of the right shape, and the same for the same bytes."""
    return "bafkrei" + base64.b32encode(hashlib.sha256(data).digest()).decode().lower().rstrip("=")


@dataclass(frozen=True)
class Post:
    """`video` holds the bytes of the uploaded file; a file that lies elsewhere is named by `cid` alone. A post with
    `quotes` shows its video beside another's post.
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

    @property
    def blob(self) -> str | None:
        """The name of its file, if it has one."""
        return a_cid(self.video) if self.video is not None else self.cid or None

    @property
    def did(self) -> str:
        return a_did(self.handle)

    @property
    def uri(self) -> str:
        return f"at://{self.did}/app.bsky.feed.post/{self.key}"

    def view(self) -> Json:
        at = self.posted_at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        shown: Json = {
            "uri": self.uri, "cid": a_cid(self.uri.encode()), "indexedAt": at, "labels": [],
            "author": {"did": self.did, "handle": self.handle, "displayName": self.handle.title(), "labels": []},
            "record": {"$type": "app.bsky.feed.post", "createdAt": at, "text": self.text, "langs": ["en"]},
            "likeCount": 0, "replyCount": 0, "repostCount": 0, "quoteCount": 0,
        }  # fmt: skip
        return shown | ({"embed": self._embed(self.blob)} if self.blob else {})

    def _embed(self, cid: str) -> Json:
        watch = f"https://video.bsky.app/watch/{self.did}/{cid}"
        view: Json = {
            "$type": "app.bsky.embed.video#view", "cid": cid, "playlist": f"{watch}/playlist.m3u8",
            "thumbnail": f"{watch}/thumbnail.jpg", "aspectRatio": {"width": self.width, "height": self.height},
        }  # fmt: skip
        if not self.quotes:
            return view
        quoted = {"record": {"$type": "app.bsky.embed.record#viewNotFound", "uri": "at://x", "notFound": True}}
        return {"$type": "app.bsky.embed.recordWithMedia#view", "record": quoted, "media": view}
