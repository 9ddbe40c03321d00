"""A simulated r/soccer: Atom feed, API with keys, walls and limits."""

from found_footy_sim.reddit.posts import RedditSimPost
from found_footy_sim.reddit.site import RedditFault, RedditSite

__all__ = ["RedditFault", "RedditSimPost", "RedditSite"]
