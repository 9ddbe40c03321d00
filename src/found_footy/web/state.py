"""The components of one running web process, and how a route gets them."""

import asyncio
import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from found_footy.platform.http.access_tokens import TokenDenial, TokenGuard
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from found_footy.views.store import ReadStore
from found_footy.web.accounts.deps import AccessDeps
from found_footy.web.accounts.state import AccessState
from found_footy.web.browsing import BrowsingState
from found_footy.web.cached_answers import CachedAnswers
from found_footy.web.dependency_checks import DependencyChecker
from found_footy.web.deps import WebDeps
from found_footy.web.hub import LiveHub
from found_footy.web.page_cache import PageCache
from found_footy.web.page_renderer import PageRenderer
from found_footy.web.trusted_proxies import TrustedProxies
from found_footy.web.uploads.state import UploadsState


@dataclass(frozen=True)
class WebState:
    deps: WebDeps
    store: ReadStore
    hub: LiveHub
    renderer: PageRenderer
    dependency_checker: DependencyChecker
    token_guard: TokenGuard
    trusted_proxies: TrustedProxies
    page_cache: PageCache
    uploads: UploadsState | None
    browsing: BrowsingState
    access: AccessState
    cached_answers: CachedAnswers

    @classmethod
    def from_deps(cls, deps: WebDeps) -> "WebState":
        settings = deps.settings
        hub = LiveHub(
            secrets.token_hex(4), max_clients=settings.live_clients, max_clients_per_peer=settings.live_clients_per_peer
        )
        checkup = DependencyChecker(deps.probes, hub, settings.probe_timeout)
        guard, proxies = TokenGuard(settings.admin_token), TrustedProxies(settings.trusted_proxies)
        rendered = PageCache(hub, settings.page_reuse)
        uploads = UploadsState.from_deps(deps.uploads, deps.database, settings) if deps.uploads else None
        browsing = BrowsingState.from_deps(deps)
        store = ReadStore(deps.database)
        access = AccessState(deps.access or AccessDeps(), deps.database, deps.objects)
        return cls(
            deps,
            store,
            hub,
            PageRenderer(deps),
            checkup,
            guard,
            proxies,
            rendered,
            uploads,
            browsing,
            access,
            CachedAnswers(rendered, is_public=access.deps.settings.public),
        )

    def close_streams(self) -> None:
        """End every live stream so that the server can stop; browsers reconnect by themselves."""
        self.hub.close()
        if self.uploads is not None:
            self.uploads.feed.close()

    def build_view(self, stored: StoredFixture) -> FixtureView:
        return build_fixture_view(stored, attempts_wanted=self.deps.attempts_wanted)


def peer_address(request: Request) -> str:
    """Return the address of the request; behind a trusted proxy, the visitor's."""
    return request.client.host if request.client else ""


def check_admin_token(web: WebState, request: Request, purpose: str) -> TokenDenial | None:
    """Return why this request is not authorized by the admin token; None if it is."""
    now = asyncio.get_running_loop().time()
    return web.token_guard.check_token(
        request.headers.get("authorization", ""), peer_address(request), now, operation=purpose
    )


def get_web_state(request: Request) -> WebState:
    web: WebState = request.app.state.web
    return web


async def _provide_web_state(request: Request) -> WebState:
    """Not a plain function: those run in a thread, which costs more than all else of a cached answer."""
    return get_web_state(request)


WebStateDep = Annotated[WebState, Depends(_provide_web_state)]
