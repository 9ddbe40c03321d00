"""The parts of one running web process, and how a route gets them."""

import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from found_footy.web.checkup import Checkup
from found_footy.web.deps import WebDeps
from found_footy.web.hub import Hub
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

    @classmethod
    def of(cls, deps: WebDeps) -> "Web":
        hub = Hub(secrets.token_hex(4), capacity=deps.settings.live_clients)
        checkup = Checkup(deps.probes, hub, deps.settings.probe_timeout)
        return cls(deps, ReadStore(deps.database), hub, Rendering(deps), checkup)

    def view(self, stored: Stored) -> Match:
        return match_view(stored, attempts_wanted=self.deps.attempts_wanted)


def web_of(request: Request) -> Web:
    web: Web = request.app.state.web
    return web


Site = Annotated[Web, Depends(web_of)]
