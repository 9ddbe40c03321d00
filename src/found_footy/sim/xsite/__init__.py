"""A simulated X: log-in wall, search page with its own script, syndication endpoint, and every way to fail.

It imitates the site on the wire and imports nothing of the product, so that a client that misreads the site cannot be
right against it by sharing its mistake. `XSite(source).app` is a complete ASGI application for a port of its own.
"""

from found_footy.sim.xsite.conduct import Mode
from found_footy.sim.xsite.posts import Post, PostShelf, PostSource, Rendition, Standing, Video, snowflake
from found_footy.sim.xsite.site import XSite

__all__ = ["Mode", "Post", "PostShelf", "PostSource", "Rendition", "Standing", "Video", "XSite", "snowflake"]
