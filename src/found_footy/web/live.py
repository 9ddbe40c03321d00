"""The live stream: server-sent events that name the fixture that changed; the browser then fetches its fragment."""

import json
import secrets
from collections.abc import AsyncGenerator
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from found_footy.platform.http.access_tokens import caller_key
from found_footy.web.hub import LiveHub, LiveMessage, LiveSubscription, SubscriberLimitReached
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebStateDep, peer_address

router = APIRouter(include_in_schema=False)

_RECONNECT_MS = 2000
# Spreads the reconnects of browsers that lost their streams at the same time, as by a restart.
_RECONNECT_JITTER_MS = 4000
_RETRY_AFTER_HEADERS = {"Retry-After": "30"}
CursorQuery = Annotated[str | None, Query(max_length=64)]
LastEventId = Annotated[str | None, Header(max_length=64)]


@router.get("/events")
async def open_live_stream(
    request: Request, web: WebStateDep, since: CursorQuery = None, last_event_id: LastEventId = None
) -> "LiveStreamResponse":
    peer = peer_address(request)
    # A trusted proxy that sends no X-Forwarded-For stands for many visitors: it is not counted as one peer.
    counted = "" if peer in web.trusted_proxies else caller_key(peer)
    return LiveStreamResponse(web.hub, last_event_id or since, counted, web.deps.settings.heartbeat)


class LiveStreamResponse(StreamingResponse):
    """Subscribes when the response starts, so that concurrent requests cannot exceed the limit."""

    def __init__(self, hub: LiveHub, since: str | None, peer: str, heartbeat: timedelta) -> None:
        super().__init__(
            (), media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )
        self._hub = hub
        self._since = since
        self._peer = peer
        self._heartbeat = heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._hub.subscribe(self._since, self._peer) as subscription:
                self.body_iterator = stream_messages(self._hub, subscription, self._heartbeat)
                await super().__call__(scope, receive, send)
        except SubscriberLimitReached as full:
            raise build_limit_problem(full) from full


def build_limit_problem(error: SubscriberLimitReached) -> ProblemError:
    if error.is_per_peer:
        detail = "Too many live connections from this address. The page still works; reload it for changes."
        return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers=_RETRY_AFTER_HEADERS)
    detail = "Too many live connections. The page still works; reload it for changes."
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers=_RETRY_AFTER_HEADERS)


def random_reconnect_ms() -> int:
    return _RECONNECT_MS + secrets.randbelow(_RECONNECT_JITTER_MS)


async def stream_messages(
    hub: LiveHub, subscription: LiveSubscription, heartbeat: timedelta
) -> AsyncGenerator[str, None]:
    """Yield messages as they come and a comment per heartbeat, until the hub closes or the browser disconnects."""
    yield f"retry: {random_reconnect_ms()}\n: following\n\n"
    while not subscription.closed:
        messages = await subscription.take(heartbeat)
        for message in messages:
            yield format_message(message, hub.format_cursor(message.position))
        if not messages:
            yield ": quiet\n\n"


def format_message(message: LiveMessage, cursor: str) -> str:
    kind = "reload" if message.is_reload else "match"
    data = json.dumps({} if message.is_reload else {"id": message.fixture_id})
    return f"id: {cursor}\nevent: {kind}\ndata: {data}\n\n"
