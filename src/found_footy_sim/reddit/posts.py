"""Posts of the simulated r/soccer, as the API and the feed show them."""

from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

Json = dict[str, Any]
_GOAL_FLAIR = ":n_goal: Goal Clip"


@dataclass(frozen=True)
class RedditSimPost:
    """`visible_at` is when the lists begin to show it, if later than it was posted; `removed_at` when moderators
    removed it: the API then says so, and the feed leaves it out. A `link` without a host leads to the host of the
    request.
    """

    id: str
    title: str
    author: str
    posted_at: datetime
    link: str
    flair: str = _GOAL_FLAIR
    visible_at: datetime | None = None
    removed_at: datetime | None = None
    video: Json | None = None

    def is_listed(self, now: datetime) -> bool:
        return (self.visible_at or self.posted_at) <= now

    def is_removed(self, now: datetime) -> bool:
        return self.removed_at is not None and self.removed_at <= now

    def to_child(self, now: datetime) -> Json:
        removed = self.is_removed(now)
        return {
            "kind": "t3",
            "data": {
                "id": self.id,
                "name": f"t3_{self.id}",
                "title": self.title,
                "subreddit": "soccer",
                "author": self.author,
                "created_utc": self.posted_at.timestamp(),
                "permalink": f"/r/soccer/comments/{self.id}/slug/",
                "url": self.link,
                "url_overridden_by_dest": self.link,
                "link_flair_text": self.flair,
                "is_self": False,
                "stickied": False,
                "removed_by_category": "moderator" if removed else None,
                "is_robot_indexable": not removed,
                "crosspost_parent_list": None,
                "secure_media": {"reddit_video": self.video} if self.video else None,
            },
        }

    def to_entry(self) -> str:
        page = f"https://www.reddit.com/r/soccer/comments/{self.id}/slug/"
        content = f'<span><a href="{escape(self.link)}">[link]</a></span> <span><a href="{page}">[comments]</a></span>'
        moment = self.posted_at.isoformat()
        return (
            f"<entry><author><name>/u/{escape(self.author)}</name></author><category term='soccer'/>"
            f"<content type='html'>{escape(content)}</content><id>t3_{self.id}</id><link href='{page}'/>"
            f"<updated>{moment}</updated><published>{moment}</published><title>{escape(self.title)}</title></entry>"
        )
