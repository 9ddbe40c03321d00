"""A simulated Bluesky: the post search, single posts, and the video files in their authors' repositories."""

from found_footy.sim.bluesky.posts import Post, a_cid, a_did
from found_footy.sim.bluesky.site import BlueskySite, Breaks

__all__ = ["BlueskySite", "Breaks", "Post", "a_cid", "a_did"]
