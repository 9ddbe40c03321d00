"""A simulated X: log-in wall, search page with its own script, syndication endpoint, and its failures.

It imitates the site on the wire and imports nothing of the product, so that a client that misreads the site cannot pass
by sharing its mistake. `XSite(source).app` is a complete ASGI application for a port of its own.
"""

from found_footy_sim.x.behaviour import XSiteMode
from found_footy_sim.x.posts import (
    InMemoryPosts,
    PostVisibility,
    VideoRendition,
    XPost,
    XPostSource,
    XVideo,
    make_snowflake,
)
from found_footy_sim.x.site import XSite

__all__ = [
    "InMemoryPosts",
    "PostVisibility",
    "VideoRendition",
    "XPost",
    "XPostSource",
    "XSite",
    "XSiteMode",
    "XVideo",
    "make_snowflake",
]
