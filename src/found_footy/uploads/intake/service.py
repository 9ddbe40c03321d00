"""The parts of the intake that a process needs, over one connection to NATS."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from found_footy.platform.mongo import Database
from found_footy.platform.queue_connection import QueueConnection
from found_footy.uploads.intake.consumer import ConsumerLimits, IntakeConsumer
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore
from found_footy.uploads.intake.dead_letters import DeadLetters
from found_footy.uploads.intake.message_handler import AgentSource, MessageHandler
from found_footy.uploads.intake.notification_intake import NotificationIntake
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.intake.report import IntakeReport, build_intake_report
from found_footy.uploads.intake.retry_rules import RetryRules
from found_footy.uploads.intake.streams import IntakeStreams


@dataclass(frozen=True)
class IntakeService:
    """Usable at once, also while NATS is away: then publishing raises Unavailable without waiting."""

    connection: QueueConnection
    streams: IntakeStreams
    publisher: EventPublisher
    letters: DeadLetterStore
    notifications: NotificationIntake
    dead_letters: DeadLetters

    def build_consumer(self, agents: AgentSource, *, max_deliveries: int, ingests: int) -> IntakeConsumer:
        rules = RetryRules(max_deliveries=max_deliveries)
        subject = self.streams.notification_subject
        handler = MessageHandler(agents, self.notifications, subject, self.letters, rules)
        return IntakeConsumer(self.connection, self.streams, handler, ConsumerLimits(ingests=ingests))

    async def build_report(self) -> IntakeReport:
        """Raises Unavailable if MongoDB does not answer."""
        return await build_intake_report(self.connection, self.streams, self.letters)


@asynccontextmanager
async def open_intake(
    nats_url: str, database: Database, bucket: str, streams: IntakeStreams
) -> AsyncIterator[IntakeService]:
    """Connect in the background; `bucket` is the uploads' bucket."""
    letters = DeadLetterStore(database)
    async with QueueConnection(nats_url, streams.ensure) as connection:
        publisher = EventPublisher(connection, streams)
        yield IntakeService(
            connection,
            streams,
            publisher,
            letters,
            NotificationIntake(publisher, letters, bucket),
            DeadLetters(letters, publisher, bucket),
        )
