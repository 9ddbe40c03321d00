"""A simulated Bluesky: the post search, single posts, and the video files in their authors' repositories."""

from found_footy_sim.bluesky.posts import BlueskyPost, make_cid, make_did
from found_footy_sim.bluesky.site import BlueskyFault, BlueskySite

__all__ = ["BlueskyFault", "BlueskyPost", "BlueskySite", "make_cid", "make_did"]
