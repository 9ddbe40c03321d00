"""Publishes the database's change stream to the hub, for as long as the process runs."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger
from found_footy.views.store import ChangeHistoryLost, ReadStore
from found_footy.web import metrics
from found_footy.web.hub import LiveHub

logger = ActionLogger(__name__)
_INITIAL_RETRY_DELAY = timedelta(milliseconds=250)
_MAX_RETRY_DELAY = timedelta(seconds=10)


class ChangeStreamFollower:
    """Publishes changes to the hub. A lost stream is resumed from its token; if that is impossible, browsers reload."""

    def __init__(self, store: ReadStore, hub: LiveHub) -> None:
        self._store = store
        self._hub = hub
        self._resume_token: Mapping[str, Any] | None = None
        self._retry_delay = _INITIAL_RETRY_DELAY

    async def run(self) -> None:
        while True:
            try:
                await self._follow_stream()
                self._on_stream_lost("invalidated", "the database was dropped or renamed")
                self._resume_token = None
            except ChangeHistoryLost as error:
                self._on_stream_lost("history_lost", str(error))
                self._resume_token = None
            except FoundFootyError as error:
                self._on_stream_lost("unavailable", str(error))
            await asyncio.sleep(self._retry_delay.total_seconds())
            self._retry_delay = min(2 * self._retry_delay, _MAX_RETRY_DELAY)

    async def _follow_stream(self) -> None:
        """Publish changes until the stream ends. Without a token, earlier changes are unknown: browsers must reload."""
        resumed = self._resume_token is not None
        async with self._store.watch_changes(self._resume_token) as changes:
            async for change in changes:
                self._on_stream_started(resumed=resumed)
                resumed = True
                self._resume_token = change.resume_token
                if change.fixture_id is not None:
                    self._hub.publish_change(change.fixture_id)

    def _on_stream_started(self, *, resumed: bool) -> None:
        self._retry_delay = _INITIAL_RETRY_DELAY
        if self._hub.is_following:
            return
        self._hub.is_following = True
        if not resumed:
            self._hub.publish_reload()
        logger.info("following changes", action="live_following", resumed=resumed)

    def _on_stream_lost(self, cause: str, detail: str) -> None:
        self._hub.is_following = False
        metrics.CHANGE_STREAM_BREAKS.labels(cause).inc()
        logger.warning("change stream lost", action="live_lost", cause=cause, detail=detail)
