"""Puts object events into the durable stream."""

from found_footy.platform.queue_connection import QueueConnection
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.intake.streams import IntakeStreams


class EventPublisher:
    """Publishes events to their organizations' subjects, over a connection that `streams.ensure` has prepared."""

    def __init__(self, connection: QueueConnection, streams: IntakeStreams | None = None) -> None:
        self._connection = connection
        self._streams = streams or IntakeStreams()

    async def publish(self, event: ObjectEvent) -> None:
        """Store the event; returns only after the stream has stored it.

        Raises Unavailable if it may not have been stored: within a bounded time, at once while NATS is known to be
        away.
        """
        await self._connection.publish(self._streams.subject_of(event), event.to_bytes(), message_id=event.message_id)

    async def publish_again(self, event: ObjectEvent, message_id: str) -> None:
        """Store an event under an id of its own, so that the queue does not drop it as a duplicate."""
        await self._connection.publish(self._streams.subject_of(event), event.to_bytes(), message_id=message_id)
