"""The live stream of an organization: an event says that its uploads have changed; the page then fetches itself."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.logs import ActionLogger
from found_footy.web.hub import SubscriberLimitReached
from found_footy.web.live import CursorQuery, LastEventId, build_limit_problem, random_reconnect_ms
from found_footy.web.state import WebStateDep
from found_footy.web.uploads.access import AccessDep, UploadsStateDep, is_still_open
from found_footy.web.uploads.feed import FeedSubscription, UploadFeed

router = APIRouter(include_in_schema=False)
logger = ActionLogger(__name__)

IsOpen = Callable[[], Awaitable[bool]]


@router.get("/organizations/{organization_id}/events")
async def open_upload_stream(
    request: Request,
    web: WebStateDep,
    uploads: UploadsStateDep,
    access: AccessDep,
    since: CursorQuery = None,
    last_event_id: LastEventId = None,
) -> "UploadStreamResponse":
    async def is_open() -> bool:
        """A stream ends with the session or the key that opened it. Without the database nobody knows, so it ends too,
        and the browser opens another one.
        """
        try:
            return await is_still_open(uploads, request, access)
        except ExternalSystemError as error:
            logger.warning("a live stream ends: %s", error, action="upload_stream_ended")
            return False

    heartbeat = web.deps.settings.heartbeat
    return UploadStreamResponse(uploads.feed, access.organization_id, last_event_id or since, heartbeat, is_open)


class UploadStreamResponse(StreamingResponse):
    """Subscribes when the response starts, so that concurrent requests cannot exceed the limit."""

    def __init__(
        self, feed: UploadFeed, organization_id: str, since: str | None, heartbeat: timedelta, is_open: IsOpen
    ) -> None:
        super().__init__(
            (), media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )
        self._feed = feed
        self._organization_id = organization_id
        self._since = since
        self._heartbeat = heartbeat
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._feed.subscribe(self._organization_id, self._since) as subscription:
                self.body_iterator = self._stream(subscription)
                await super().__call__(scope, receive, send)
        except SubscriberLimitReached as full:
            raise build_limit_problem(full) from full

    async def _stream(self, subscription: FeedSubscription) -> AsyncGenerator[str, None]:
        yield f"retry: {random_reconnect_ms()}\n: following\n\n"
        while not subscription.closed:
            has_changed = await subscription.wait(self._heartbeat)
            if not await self._is_open():
                return
            if has_changed:
                cursor = self._feed.format_cursor(self._organization_id)
                yield f"id: {cursor}\nevent: uploads\ndata: {{}}\n\n"
            else:
                yield ": quiet\n\n"
