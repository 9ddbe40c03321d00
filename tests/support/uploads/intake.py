"""An intake on a stream of a test's own, with agents that answer as the test says."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from found_footy.platform.mongo import Database
from found_footy.platform.queue import StreamBacklog
from found_footy.platform.queue_connection import QueueConnection
from found_footy.platform.tasks import cancel_and_wait
from found_footy.uploads.intake.consumer import ConsumerLimits, IntakeConsumer
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore
from found_footy.uploads.intake.dead_letters import DeadLetters
from found_footy.uploads.intake.message_handler import MessageHandler
from found_footy.uploads.intake.notification_intake import NotificationIntake
from found_footy.uploads.intake.object_event import ObjectAction, ObjectEvent
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.intake.retry_rules import RetryRules
from found_footy.uploads.intake.streams import IntakeStreams
from found_footy.uploads.intake.subject_consumer import ConsumerTimes
from found_footy.uploads.messages import IngestOutcome, ObjectEventResult
from tests.support.patience import PATIENCE, eventually
from tests.support.uploads.notifications import BUCKET

QUICK_RULES = RetryRules(
    max_deliveries=3, first_delay=timedelta(milliseconds=50), longest_delay=timedelta(milliseconds=200)
)
QUICK_LIMITS = ConsumerLimits(
    ingests=4,
    look_interval=timedelta(milliseconds=50),
    times=ConsumerTimes(ack_wait=timedelta(seconds=6), fetch_wait=timedelta(seconds=1)),
)
Answer = Callable[[ObjectEvent], Awaitable[ObjectEventResult]]


async def accept(_event: ObjectEvent) -> ObjectEventResult:
    return ObjectEventResult.QUEUED


@dataclass
class RecordingAgents:
    """The agents of all organizations: `ingested` holds the keys of calls that returned, `calls` of all of them."""

    answer: Answer = accept
    ingested: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    running: int = 0
    most_running: int = 0

    def for_organization(self, organization_id: str) -> "RecordingAgents":
        return self

    async def ingest_upload_event(self, name: str, key: str, etag: str | None, event: ObjectEvent) -> IngestOutcome:
        assert event.key == key
        assert key.endswith(f"/{name}")
        self.calls[key] += 1
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            result = await self.answer(event)
        finally:
            self.running -= 1
        if result is not ObjectEventResult.POSTPONED:
            self.ingested.append(key)
        return IngestOutcome(result)


@dataclass
class Intake:
    connection: QueueConnection
    streams: IntakeStreams
    publisher: EventPublisher
    letters: DeadLetterStore
    notifications: NotificationIntake
    agents: RecordingAgents

    async def publish(self, *keys: str) -> None:
        for key in keys:
            await self.publisher.publish(created(key))

    async def read_backlog(self) -> StreamBacklog:
        return await self.connection.get_queue().read_backlog(self.streams.name)

    async def wait_until_empty(self) -> None:
        async def is_empty() -> bool:
            return (await self.read_backlog()).messages == 0

        emptied: bool = await eventually(is_empty)
        assert emptied

    @property
    def dead_letters(self) -> DeadLetters:
        return DeadLetters(self.letters, self.publisher, BUCKET)

    @asynccontextmanager
    async def consume(
        self,
        limits: ConsumerLimits = QUICK_LIMITS,
        rules: RetryRules = QUICK_RULES,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        ingest_timeout: timedelta = PATIENCE,
    ) -> AsyncIterator["asyncio.Task[None]"]:
        subject = self.streams.notification_subject
        handler = MessageHandler(self.agents, self.notifications, subject, self.letters, rules, timeout=ingest_timeout)
        task = asyncio.create_task(IntakeConsumer(self.connection, self.streams, handler, limits, now).run())
        try:
            yield task
        finally:
            await cancel_and_wait([task])


def created(key: str, etag: str = "e1") -> ObjectEvent:
    return ObjectEvent(BUCKET, key, ObjectAction.CREATED, etag, 7, datetime.now(UTC), uuid4().hex, None, "upload_route")


@asynccontextmanager
async def open_intake(
    nats_url: str, database: Database, streams: IntakeStreams | None = None, answer: Answer = accept
) -> AsyncIterator[Intake]:
    streams = streams or IntakeStreams(name=f"T{uuid4().hex}", max_age=timedelta(hours=1))
    letters = DeadLetterStore(database)
    async with QueueConnection(nats_url, streams.ensure) as connection:
        queue = await connection.wait_for_queue(PATIENCE)
        publisher = EventPublisher(connection, streams)
        notifications = NotificationIntake(publisher, letters, BUCKET)
        try:
            yield Intake(connection, streams, publisher, letters, notifications, RecordingAgents(answer))
        finally:
            if connection.is_ready:
                queue = connection.get_queue()
                await queue.stream.delete_stream(streams.name)
