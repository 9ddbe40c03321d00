"""A post of r/soccer as its lists show it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RedditPost:
    """`link` is where the post leads: the page of a clip host, or a video on Reddit. `removed` posts are no longer
    shown to readers. `mirrors` are other copies of its clip, which comments name.
    """

    id: str
    title: str
    author: str
    created_at: datetime
    link: str
    flair: str = ""
    removed: bool = False
    duration: float | None = None
    width: int = 0
    height: int = 0
    mirrors: tuple[str, ...] = ()

    @property
    def page(self) -> str:
        return f"https://www.reddit.com/comments/{self.id}"


@dataclass(frozen=True)
class PostPage:
    """One page of new posts, newest first. `after` names the next older page; `wait_seconds` is how long the site asks
    not to be called."""

    posts: tuple[RedditPost, ...]
    after: str | None = None
    wait_seconds: float = 0.0
