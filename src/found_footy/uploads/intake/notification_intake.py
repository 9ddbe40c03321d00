"""Takes a notification as a store sent it: its events are published, what cannot be read is parked."""

import json
from dataclasses import dataclass

from found_footy.platform.errors import BadInput
from found_footy.platform.logs import ActionLogger
from found_footy.uploads.intake import metrics
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore, LetterKind
from found_footy.uploads.intake.notification_parser import parse_notification
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.intake.records import ParsedNotification, RecordFault

logger = ActionLogger(__name__)
_NO_DIALECT = "unknown"


@dataclass(frozen=True)
class NotificationIntake:
    """`bucket` is the uploads' bucket; events of others are ignored."""

    publisher: EventPublisher
    letters: DeadLetterStore
    bucket: str

    async def accept(self, body: bytes) -> ParsedNotification:
        """Return only after every event is in the stream and every fault is parked, so that the sender may forget the
        notification. Raises Unavailable if that failed: the sender should send it again.
        """
        try:
            found = parse_notification(body, self.bucket)
        except BadInput as error:
            await self.park(body, str(error))
            return ParsedNotification(faults=(RecordFault(str(error), None),))
        for event in found.events:
            await self.publisher.publish(event)
            metrics.NOTIFICATIONS.labels(event.dialect, "published").inc()
        for fault in found.faults:
            await self.park(json.dumps(fault.record).encode(), fault.reason)
        metrics.NOTIFICATIONS.labels(_NO_DIALECT, "ignored").inc(found.ignored)
        return found

    async def park(self, body: bytes, reason: str) -> None:
        await self.letters.park(LetterKind.NOTIFICATION, body, reason)
        metrics.NOTIFICATIONS.labels(_NO_DIALECT, "parked").inc()
        logger.warning("a notification cannot be read: %s", reason, action="upload_notification_parked")
