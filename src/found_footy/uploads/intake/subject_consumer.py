"""Fetches the messages of one subject and has them handled, as many at a time as there are places."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from found_footy.platform.errors import Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.queue import JetStreamQueue, PullConsumer, QueueMessage
from found_footy.platform.tasks import cancel_and_wait
from found_footy.uploads.intake.message_handler import MessageHandler
from found_footy.uploads.intake.streams import IntakeStreams

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class ConsumerTimes:
    """`ack_wait` is the time after which a message of a killed consumer is delivered again."""

    ack_wait: timedelta = timedelta(seconds=30)
    fetch_wait: timedelta = timedelta(seconds=5)
    close_after: timedelta = timedelta(minutes=2)
    delete_consumer_after: timedelta = timedelta(days=1)


class SubjectConsumer:
    """The consumer of one subject. All of them share `places`, which wakes those that wait in the order in which
    they came: each has one message waiting at most, so each gets its turn however long the others' backlogs are.
    """

    def __init__(
        self,
        queue: JetStreamQueue,
        streams: IntakeStreams,
        subject: str,
        handler: MessageHandler,
        places: asyncio.Semaphore,
        times: ConsumerTimes,
    ) -> None:
        self._queue = queue
        self._streams = streams
        self._subject = subject
        self._handler = handler
        self._places = places
        self._times = times
        self._resume_at = 0.0

    async def run(self) -> None:
        """Return once no message has come for a while. Raises Unavailable if the server does not work with us."""
        consumer = await self._queue.open_consumer(
            self._streams.name,
            self._streams.consumer_of(self._subject),
            self._subject,
            ack_wait=self._times.ack_wait,
            inactive_after=self._times.delete_consumer_after,
        )
        try:
            async with asyncio.TaskGroup() as group:
                await self._handle_until_idle(consumer, group)
        finally:
            await consumer.close()

    async def _handle_until_idle(self, consumer: PullConsumer, group: asyncio.TaskGroup) -> None:
        loop = asyncio.get_running_loop()
        close_at = loop.time() + self._times.close_after.total_seconds()
        while loop.time() < close_at:
            await asyncio.sleep(max(0.0, self._resume_at - loop.time()))
            message = await consumer.fetch(self._times.fetch_wait)
            if message is None:
                continue
            close_at = loop.time() + self._times.close_after.total_seconds()
            async with self._keep(message):
                await self._places.acquire()
            # The callback frees the place also if the task is cancelled before it begins.
            group.create_task(self._handle(message)).add_done_callback(lambda _: self._places.release())

    async def _handle(self, message: QueueMessage) -> None:
        async with self._keep(message):
            pause = await self._handler.handle(message)
        if pause:
            self._resume_at = asyncio.get_running_loop().time() + pause.total_seconds()

    @asynccontextmanager
    async def _keep(self, message: QueueMessage) -> AsyncIterator[None]:
        """Keep the message from being delivered to another consumer meanwhile."""
        keeper = asyncio.create_task(self._extend_until_cancelled(message))
        try:
            yield
        finally:
            for error in await cancel_and_wait([keeper]):
                raise error

    async def _extend_until_cancelled(self, message: QueueMessage) -> None:
        while True:
            await asyncio.sleep(self._times.ack_wait.total_seconds() / 3)
            try:
                await message.extend()
            except Unavailable as error:
                logger.debug("not extended: %s", error, action="upload_message_not_extended")
