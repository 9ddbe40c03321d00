"""A connection to NATS that outlives every outage."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from types import TracebackType
from typing import Self

from found_footy.platform.errors import ExternalSystemError, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.queue import DEFAULT_TIMEOUT, SYSTEM, JetStreamQueue, connect, raise_if_cancelled
from found_footy.platform.tasks import cancel_and_wait

logger = ActionLogger(__name__)
_CHECK_INTERVAL = timedelta(seconds=1)

PrepareQueue = Callable[[JetStreamQueue], Awaitable[None]]
"""Creates what a connection needs, such as streams."""


class QueueConnection:
    """`async with QueueConnection(url) as connection:` keeps a connection in a task of its own.

    The task connects, calls `prepare`, and connects anew if the library has closed the connection for good, as it does
    when a restarted server rejects the credentials. While there is no connection, or since a request failed and until
    one succeeds again, requests fail at once: a caller never waits for a server that is known to be away.
    """

    def __init__(self, url: str, prepare: PrepareQueue | None = None, *, timeout: timedelta = DEFAULT_TIMEOUT) -> None:
        self._url = url
        self._prepare = prepare
        self._timeout = timeout
        self._queue: JetStreamQueue | None = None
        self._error: ExternalSystemError = Unavailable(SYSTEM, "not connected yet")
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_connected(), name="queue-connection")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            await cancel_and_wait([self._task])
        self._queue = None

    @property
    def is_ready(self) -> bool:
        return self._queue is not None and self._queue.client.is_connected

    def get_queue(self) -> JetStreamQueue:
        """Return the working connection. Raises the error of the last attempt if there is none."""
        if self._queue is None:
            raise self._error.with_traceback(None)
        if not self._queue.client.is_connected:
            raise Unavailable(SYSTEM, "the connection is lost and being made again")
        return self._queue

    async def wait_for_queue(self, limit: timedelta) -> JetStreamQueue:
        """Return the working connection, once there is one. Raises like `get_queue` after `limit`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit.total_seconds()):
                while not self.is_ready:
                    await self._sleep()
        return self.get_queue()

    async def publish(self, subject: str, data: bytes, *, message_id: str) -> bool:
        """Like `JetStreamQueue.publish`; after a failure the connection is checked before it is used again."""
        queue = self.get_queue()
        try:
            return await queue.publish(subject, data, message_id=message_id)
        except Unavailable as error:
            self.report_failure(queue, error)
            raise

    def report_failure(self, queue: JetStreamQueue, error: ExternalSystemError) -> None:
        """Use `queue` no more until a check has succeeded."""
        if self._queue is queue:
            self._withdraw(error)

    async def _keep_connected(self) -> None:
        while True:
            try:
                async with connect(self._url, timeout=self._timeout) as queue:
                    raise_if_cancelled()
                    await self._check_until_closed(queue)
                self._withdraw(Unavailable(SYSTEM, "the connection was closed"))
            except ExternalSystemError as error:
                self._withdraw(error)
            except Exception as error:
                logger.exception("the connection to NATS failed", action="queue_connection_failed")
                self._withdraw(Unavailable(SYSTEM, f"unexpected failure: {type(error).__name__}"))
            await asyncio.sleep(_CHECK_INTERVAL.total_seconds())

    async def _check_until_closed(self, queue: JetStreamQueue) -> None:
        while not queue.client.is_closed:
            if self._queue is None and queue.client.is_connected:
                await self._offer(queue)
            await asyncio.sleep(_CHECK_INTERVAL.total_seconds())

    async def _offer(self, queue: JetStreamQueue) -> None:
        """Let `queue` be used if it answers."""
        try:
            await (self._prepare(queue) if self._prepare else queue.account_info())
        except ExternalSystemError as error:
            self._withdraw(error)
            return
        self._queue = queue
        logger.info("connected to NATS", action="queue_connected")
        self._announce_change()

    def _withdraw(self, error: ExternalSystemError) -> None:
        if self._queue is not None or str(error) != str(self._error):
            logger.warning("no connection to NATS: %s", error, action="queue_disconnected")
        self._queue, self._error = None, error
        self._announce_change()

    def _announce_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _sleep(self) -> None:
        """Until something changes; a reconnection by the library is not announced."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CHECK_INTERVAL.total_seconds() / 4):
                await self._changed.wait()
