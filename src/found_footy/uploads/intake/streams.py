"""The stream of object events, its subjects and its consumers."""

from dataclasses import dataclass
from datetime import timedelta

from found_footy.domain.uploads import split_object_key
from found_footy.platform.queue import JetStreamQueue
from found_footy.uploads.intake.object_event import ObjectEvent

# The subject of a key that belongs to no organization; the consumer parks such an event.
_NO_ORGANIZATION = "_none"


@dataclass(frozen=True)
class IntakeStreams:
    """One work queue `name`. Events are on one subject per organization, each with a consumer of its own, so that a
    long backlog of one organization delays no other. Notifications that are not parsed yet, as MinIO publishes them
    itself, are on the subject `notifications`. `replicas` servers of a NATS cluster store each of them.
    """

    name: str = "UPLOADS"
    consumer: str = "uploads-intake"
    max_age: timedelta = timedelta(days=14)
    replicas: int = 1

    @property
    def notification_subject(self) -> str:
        return f"{self.name}.notifications"

    def subject_of(self, event: ObjectEvent) -> str:
        parts = split_object_key(event.key)
        return f"{self.name}.events.{parts[0] if parts else _NO_ORGANIZATION}"

    def consumer_of(self, subject: str) -> str:
        """Return the name of the durable consumer of a subject of this stream."""
        return f"{self.consumer}-{subject.removeprefix(f'{self.name}.').replace('.', '-')}"

    async def ensure(self, queue: JetStreamQueue) -> None:
        """Create or update the stream."""
        subjects = [f"{self.name}.events.*", self.notification_subject]
        await queue.ensure_stream(self.name, subjects, max_age=self.max_age, replicas=self.replicas)
