"""The frame of the operator's pages. Who may see them is decided by `accounts.route_rules`, before a route runs."""

from typing import Any

from fastapi import Response

from found_footy.web.accounts.principals import Principal
from found_footy.web.forms import PAGE_HEADERS
from found_footy.web.state import WebState


def render_operator_page(web: WebState, principal: Principal, template: str, **context: Any) -> Response:
    """A page whose forms carry the CSRF token of the session; a key has no session, and no forms."""
    context |= {
        "csrf_token": principal.session.csrf_token if principal.session else "",
        "has_uploads": web.uploads is not None,
    }
    return web.renderer.render_page(template, headers=PAGE_HEADERS, **context)
