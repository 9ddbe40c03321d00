"""Publishes a change stream of the database to a hub, for as long as the process runs."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, Generic, Protocol, TypeVar

from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger
from found_footy.views.store import ChangeHistoryLost
from found_footy.web import metrics

logger = ActionLogger(__name__)
_INITIAL_RETRY_DELAY = timedelta(milliseconds=250)
_MAX_RETRY_DELAY = timedelta(seconds=10)


SubjectT = TypeVar("SubjectT")
SubjectT_co = TypeVar("SubjectT_co", covariant=True)
SubjectT_contra = TypeVar("SubjectT_contra", contravariant=True)


class StoredChange(Protocol[SubjectT_co]):
    """A change, and the position after it. Without a subject only the position advanced."""

    @property
    def resume_token(self) -> Mapping[str, Any] | None: ...

    @property
    def subject(self) -> SubjectT_co | None: ...


class ChangeSource(Protocol[SubjectT_co]):
    def watch_changes(
        self, resume_token: Mapping[str, Any] | None
    ) -> AbstractAsyncContextManager[AsyncIterator[StoredChange[SubjectT_co]]]: ...


class ChangeHub(Protocol[SubjectT_contra]):
    is_following: bool

    def publish_change(self, subject: SubjectT_contra, /) -> None: ...

    def publish_reload(self) -> None: ...


class ChangeStreamFollower(Generic[SubjectT]):
    """Publishes changes to the hub. A lost stream is resumed from its token; if that is impossible, browsers reload."""

    def __init__(self, store: ChangeSource[SubjectT], hub: ChangeHub[SubjectT]) -> None:
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
                if change.subject is not None:
                    self._hub.publish_change(change.subject)

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
