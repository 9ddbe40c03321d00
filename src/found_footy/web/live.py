"""The live stream: server-sent events that name the match that changed; the browser then takes its fragment."""

import json
import secrets
from collections.abc import AsyncGenerator
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from found_footy.platform.tokens import caller_of
from found_footy.web.hub import Hub, Message, NoPlace, Subscription
from found_footy.web.problems import ProblemError
from found_footy.web.state import Site, peer_of

router = APIRouter(include_in_schema=False)

_RETRY_MS = 2000
# Browsers that lost their stream together, as by a restart, do not come back together.
_RETRY_SPREAD_MS = 4000
_RETRY_AFTER = {"Retry-After": "30"}
Cursor = Annotated[str | None, Query(max_length=64)]
LastEvent = Annotated[str | None, Header(max_length=64)]


@router.get("/events")
async def events(request: Request, web: Site, since: Cursor = None, last_event_id: LastEvent = None) -> "LiveStream":
    peer = peer_of(request)
    # A trusted proxy that does not say for whom it asks cannot be counted as one visitor.
    counted = "" if peer in web.proxies else caller_of(peer)
    return LiveStream(web.hub, last_event_id or since, counted, web.deps.settings.heartbeat)


class LiveStream(StreamingResponse):
    """Takes its place when it begins to answer, so that of many who ask at once none has one too many."""

    def __init__(self, hub: Hub, since: str | None, peer: str, heartbeat: timedelta) -> None:
        super().__init__(
            (), media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )
        self._hub = hub
        self._since = since
        self._peer = peer
        self._heartbeat = heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._hub.subscribed(self._since, self._peer) as subscription:
                self.body_iterator = stream(self._hub, subscription, self._heartbeat)
                await super().__call__(scope, receive, send)
        except NoPlace as full:
            raise _too_many(full) from full


def _too_many(full: NoPlace) -> ProblemError:
    if full.of_peer:
        detail = "Too many browsers at this address are following. The page still works; reload it for news."
        return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers=_RETRY_AFTER)
    detail = "Too many browsers are following at once. The page still works; reload it for news."
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers=_RETRY_AFTER)


def retry_ms() -> int:
    return _RETRY_MS + secrets.randbelow(_RETRY_SPREAD_MS)


async def stream(hub: Hub, subscription: Subscription, heartbeat: timedelta) -> AsyncGenerator[str, None]:
    """Messages as they come, a comment when nothing does, until the hub closes or the browser leaves."""
    yield f"retry: {retry_ms()}\n: following\n\n"
    while not subscription.closed:
        messages = await subscription.take(heartbeat)
        for message in messages:
            yield written(message, hub.name(message.place))
        if not messages:
            yield ": quiet\n\n"


def written(message: Message, place: str) -> str:
    kind = "reload" if message.is_reload else "match"
    data = json.dumps({} if message.is_reload else {"id": message.fixture_id})
    return f"id: {place}\nevent: {kind}\ndata: {data}\n\n"
