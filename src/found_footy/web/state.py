"""The parts of one running web process, and how a route gets them."""

import asyncio
import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from found_footy.platform.tokens import Refusal, TokenGuard
from found_footy.web.checkup import Checkup
from found_footy.web.deps import WebDeps
from found_footy.web.hub import Hub
from found_footy.web.proxies import Proxies
from found_footy.web.rendered import Rendered
from found_footy.web.rendering import Rendering
from found_footy.web.store import ReadStore
from found_footy.web.views import Match, Stored, match_view


@dataclass(frozen=True)
class Web:
    deps: WebDeps
    store: ReadStore
    hub: Hub
    rendering: Rendering
    checkup: Checkup
    guard: TokenGuard
    proxies: Proxies
    rendered: Rendered

    @classmethod
    def of(cls, deps: WebDeps) -> "Web":
        settings = deps.settings
        hub = Hub(secrets.token_hex(4), capacity=settings.live_clients, per_peer=settings.live_clients_per_peer)
        checkup = Checkup(deps.probes, hub, settings.probe_timeout)
        guard, proxies = TokenGuard(settings.admin_token), Proxies(settings.trusted_proxies)
        rendered = Rendered(hub, settings.page_reuse)
        return cls(deps, ReadStore(deps.database), hub, Rendering(deps), checkup, guard, proxies, rendered)

    def view(self, stored: Stored) -> Match:
        return match_view(stored, attempts_wanted=self.deps.attempts_wanted)


def peer_of(request: Request) -> str:
    """The address that a request came from; behind a proxy that is trusted, the visitor's."""
    return request.client.host if request.client else ""


def refusal_of(web: Web, request: Request, asked: str) -> Refusal | None:
    """Why this request may not have what only the bearer of the token may; None if it may."""
    now = asyncio.get_running_loop().time()
    return web.guard.refusal(request.headers.get("authorization", ""), peer_of(request), now, asked=asked)


def web_of(request: Request) -> Web:
    web: Web = request.app.state.web
    return web


Site = Annotated[Web, Depends(web_of)]
