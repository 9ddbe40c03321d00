"""The live stream: server-sent events that name the match that changed; the browser then takes its fragment."""

import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from found_footy.web.hub import Hub, Message
from found_footy.web.problems import ProblemError
from found_footy.web.state import Site

router = APIRouter(include_in_schema=False)

_RETRY_MS = 2000
Cursor = Annotated[str | None, Query(max_length=64)]
LastEvent = Annotated[str | None, Header(max_length=64)]


@router.get("/events")
async def events(web: Site, since: Cursor = None, last_event_id: LastEvent = None) -> StreamingResponse:
    if web.hub.full:
        detail = "Too many browsers are following at once. The page still works; reload it for news."
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "30"})
    return StreamingResponse(
        stream(web.hub, last_event_id or since, web.deps.settings.heartbeat),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def stream(hub: Hub, since: str | None, heartbeat: timedelta) -> AsyncGenerator[str, None]:
    """Messages as they come, a comment when nothing does, until the hub closes or the browser leaves."""
    with hub.subscribed(since) as subscription:
        yield f"retry: {_RETRY_MS}\n: following\n\n"
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
