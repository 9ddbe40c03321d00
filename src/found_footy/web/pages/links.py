"""Full addresses of pages, which other sites and programs need."""

from fastapi import Request

from found_footy.web.state import WebState


def read_site_address(web: WebState, request: Request) -> str:
    """The address of this site without a slash at its end: the configured one, else the one that was requested."""
    configured = web.deps.settings.public_url
    return str(configured or request.base_url).rstrip("/")
