"""The consumer of object events: runs as long as the worker, through every outage."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.logs import ActionLogger
from found_footy.platform.queue import JetStreamQueue, StreamBacklog
from found_footy.platform.queue_connection import QueueConnection
from found_footy.platform.tasks import cancel_and_wait
from found_footy.uploads.intake import metrics
from found_footy.uploads.intake.message_handler import MessageHandler
from found_footy.uploads.intake.streams import IntakeStreams
from found_footy.uploads.intake.subject_consumer import ConsumerTimes, SubjectConsumer

_CONNECT_WAIT = timedelta(seconds=5)
_RESTART_DELAY = timedelta(seconds=1)

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class ConsumerLimits:
    """`ingests` is how many events are ingested at the same time. How many classifications may run is the agents'
    matter: they postpone an event that is one too many.
    """

    ingests: int = 8
    subjects: int = 1000
    look_interval: timedelta = timedelta(milliseconds=500)
    times: ConsumerTimes = ConsumerTimes()  # noqa: RUF009  frozen


class IntakeConsumer:
    """Runs a consumer for every subject that has messages. `connection` must be prepared by `streams.ensure`."""

    def __init__(
        self,
        connection: QueueConnection,
        streams: IntakeStreams,
        handler: MessageHandler,
        limits: ConsumerLimits | None = None,
        now: Clock = utc_now,
    ) -> None:
        self._connection = connection
        self._streams = streams
        self._handler = handler
        self._limits = limits or ConsumerLimits()
        self._now = now
        self._places = asyncio.Semaphore(self._limits.ingests)

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            try:
                queue = await self._connection.wait_for_queue(_CONNECT_WAIT)
                await self._serve(queue)
            except ExternalSystemError as error:
                self._record_failure("unavailable")
                logger.debug("the intake waits: %s", error, action="upload_intake_waits")
            except Exception:
                self._record_failure("unexpected")
                logger.exception("the intake failed and starts again", action="upload_intake_failed")
            await asyncio.sleep(_RESTART_DELAY.total_seconds())

    async def _serve(self, queue: JetStreamQueue) -> None:
        """Serve over one connection until it is closed for good. Subjects' consumers outlive one that comes back."""
        running: dict[str, asyncio.Task[None]] = {}
        try:
            while not queue.client.is_closed:
                _remove_finished(running)
                await self._look_for_messages(queue, running)
                await asyncio.sleep(self._limits.look_interval.total_seconds())
        finally:
            await cancel_and_wait(running.values())

    async def _look_for_messages(self, queue: JetStreamQueue, running: dict[str, asyncio.Task[None]]) -> None:
        try:
            backlog = await queue.read_backlog(self._streams.name)
        except ExternalSystemError as error:
            self._record_failure("unavailable")
            # Checked and prepared again: the stream may be gone with the disk of its server.
            self._connection.report_failure(queue, error)
            return
        self._record_backlog(backlog)
        for subject, count in backlog.by_subject.items():
            if count and subject not in running and len(running) < self._limits.subjects:
                consumer = SubjectConsumer(
                    queue, self._streams, subject, self._handler, self._places, self._limits.times
                )
                running[subject] = asyncio.create_task(consumer.run(), name=f"upload-consumer-{subject}")

    def _record_backlog(self, backlog: StreamBacklog) -> None:
        metrics.CONNECTED.set(1)
        metrics.BACKLOG.set(backlog.messages)
        age = (self._now() - backlog.oldest).total_seconds() if backlog.oldest else 0.0
        metrics.OLDEST_SECONDS.set(max(0.0, age))

    def _record_failure(self, cause: str) -> None:
        metrics.CONNECTED.set(0)
        metrics.CONSUMER_FAILURES.labels(cause).inc()


def _remove_finished(running: dict[str, "asyncio.Task[None]"]) -> None:
    """A consumer that failed is started again as long as its subject has messages."""
    for subject in [subject for subject, task in running.items() if task.done()]:
        error = running.pop(subject).exception()
        if error is not None:
            metrics.CONSUMER_FAILURES.labels("subject").inc()
            logger.warning(
                "the consumer of %s failed: %s", subject, error, action="upload_consumer_failed", subject=subject
            )
