"""The names of the stream, its subjects and its consumers."""

import re
from dataclasses import dataclass
from datetime import timedelta

from found_footy.platform.queue import JetStreamQueue
from found_footy.uploads.intake.object_event import ObjectEvent

_SUBJECT_TOKEN = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
# Of a key that names no organization; the consumer parks such an event.
NO_ORGANIZATION = "_none"


@dataclass(frozen=True)
class IntakeStreams:
    """One work queue `name`: events on one subject per organization, so that each organization's backlog is its own,
    and unparsed notifications, as MinIO publishes them, on another.
    """

    name: str = "footy-uploads"
    max_age: timedelta = timedelta(days=14)

    @property
    def notification_subject(self) -> str:
        return f"{self.name}.notifications"

    @property
    def event_subjects(self) -> str:
        return f"{self.name}.events.*"

    def subject_of(self, event: ObjectEvent) -> str:
        first = event.key.split("/", 1)[0]
        return f"{self.name}.events.{first if _SUBJECT_TOKEN.fullmatch(first) else NO_ORGANIZATION}"

    async def ensure(self, queue: JetStreamQueue) -> None:
        """Create or update the stream."""
        await queue.ensure_stream(self.name, [self.event_subjects, self.notification_subject], max_age=self.max_age)
