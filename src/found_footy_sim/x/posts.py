"""Posts: the input of the simulated site."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Protocol

_EPOCH_MS = 1_288_834_974_657
_CLOCK_BITS = 22


class PostVisibility(StrEnum):
    """How the site shows a post to a logged-in reader."""

    NORMAL = "normal"
    LIMITED = "limited"  # shown, but wrapped in a visibility notice
    TOMBSTONE = "tombstone"
    UNAVAILABLE = "unavailable"
    BLANK = "blank"  # an entry without its post
    DELETED = "deleted"  # the search still lists it, its embed is a tombstone
    SUSPENDED = "suspended"  # syndication only: the post without its author


@dataclass(frozen=True)
class VideoRendition:
    """One encoding of a video; `url` may point to another simulated host."""

    url: str
    bitrate: int
    width: int
    height: int


@dataclass(frozen=True)
class XVideo:
    id: str
    renditions: tuple[VideoRendition, ...]
    duration_ms: int | None = 20_000
    kind: str = "video"
    available: bool = True
    playlist: str | None = None


@dataclass(frozen=True)
class XPost:
    """A post. `id` is a snowflake as text; `long_text` is the full text of a post whose `text` is truncated."""

    id: str
    author: str
    text: str
    posted_at: datetime
    videos: tuple[XVideo, ...] = ()
    author_name: str = ""
    long_text: str | None = None
    quoted: "XPost | None" = None
    reposted: "XPost | None" = None
    reply_to: str | None = None
    visibility: PostVisibility = PostVisibility.NORMAL
    promoted: bool = False
    lang: str = "en"


class XPostSource(Protocol):
    """Supplies the posts that exist at `now`, in any order."""

    def posts(self, now: datetime) -> Iterable[XPost]: ...


class InMemoryPosts:
    """A source of given posts; a post is published when its time has come."""

    def __init__(self, posts: Iterable[XPost] = ()) -> None:
        self._posts = {post.id: post for post in posts}

    def add(self, *posts: XPost) -> None:
        self._posts.update({post.id: post for post in posts})

    def remove(self, post_id: str) -> None:
        self._posts.pop(post_id, None)

    def clear(self) -> None:
        self._posts.clear()

    def posts(self, now: datetime) -> list[XPost]:
        return [post for post in self._posts.values() if post.posted_at <= now]


def make_snowflake(at: datetime, sequence: int = 0) -> str:
    """The id of the `sequence`-th post of that millisecond."""
    milliseconds = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    return str(((milliseconds - _EPOCH_MS) << _CLOCK_BITS) | sequence)
