"""Keeps the hub fed from the database's change stream, for as long as the process lives."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from found_footy.platform.errors import FoundFootyError
from found_footy.web import metrics
from found_footy.web.hub import Hub
from found_footy.web.store import HistoryLost, ReadStore

_log = logging.getLogger(__name__)
_FIRST_PAUSE = timedelta(milliseconds=250)
_LONGEST_PAUSE = timedelta(seconds=10)


class Follower:
    """Publishes changes. A lost stream is resumed where it stood; where that cannot be, browsers are told to reload."""

    def __init__(self, store: ReadStore, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._token: Mapping[str, Any] | None = None
        self._pause = _FIRST_PAUSE

    async def run(self) -> None:
        while True:
            try:
                await self._follow()
                self._lost("invalidated", "the database was dropped or renamed")
                self._token = None
            except HistoryLost as error:
                self._lost("history_lost", str(error))
                self._token = None
            except FoundFootyError as error:
                self._lost("unavailable", str(error))
            await asyncio.sleep(self._pause.total_seconds())
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    async def _follow(self) -> None:
        """Until the stream ends. Without a token, what happened before it began is unknown: hence the reload."""
        resumed = self._token is not None
        async with self._store.changes(self._token) as changes:
            async for change in changes:
                self._begun(resumed=resumed)
                resumed = True
                self._token = change.token
                if change.fixture_id is not None:
                    self._hub.changed(change.fixture_id)

    def _begun(self, *, resumed: bool) -> None:
        self._pause = _FIRST_PAUSE
        if self._hub.following:
            return
        self._hub.following = True
        if not resumed:
            self._hub.reload()
        _log.info("following changes", extra={"action": "live_following", "resumed": resumed})

    def _lost(self, cause: str, detail: str) -> None:
        self._hub.following = False
        metrics.STREAM_BREAKS.labels(cause).inc()
        _log.warning("change stream lost", extra={"action": "live_lost", "cause": cause, "detail": detail})
