"""Handles one message of the queue: ingested and acknowledged, postponed, or parked."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from found_footy.domain.uploads import split_object_key
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import BadInput, FoundFootyError
from found_footy.platform.failpoints import failpoint
from found_footy.platform.logs import ActionLogger
from found_footy.platform.queue import QueueMessage
from found_footy.uploads.intake import metrics
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore, LetterKind
from found_footy.uploads.intake.notification_intake import NotificationIntake
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.intake.retry_rules import ParkDecision, RetryRules, decide_after_failure, is_outage
from found_footy.uploads.messages import IngestOutcome, ObjectEventResult

_INGEST_TIMEOUT = timedelta(seconds=60)
# How long an organization waits whose classifications have all their places taken.
_FULL_DELAY = timedelta(milliseconds=500)
_LONGEST_FULL_DELAY = timedelta(seconds=5)

logger = ActionLogger(__name__)


class UploadAgent(Protocol):
    async def ingest_upload_event(self, name: str, key: str, etag: str | None, event: ObjectEvent) -> IngestOutcome: ...


class AgentSource(Protocol):
    def for_organization(self, organization_id: str) -> UploadAgent: ...


@dataclass(frozen=True)
class MessageHandler:
    """`handle` answers every message and raises nothing but what cancels it. `failures` counts, by sequence, how often
    a message failed for a reason of its own: deliveries that were postponed or met an outage say nothing about it.
    """

    agents: AgentSource
    notifications: NotificationIntake
    notification_subject: str
    letters: DeadLetterStore
    rules: RetryRules = RetryRules()  # noqa: RUF009  frozen
    now: Clock = utc_now
    timeout: timedelta = _INGEST_TIMEOUT
    failures: Counter[int] = field(default_factory=Counter)

    async def handle(self, message: QueueMessage) -> timedelta:
        """Return how long no further message of this subject should be started; zero if there is no reason to wait."""
        try:
            return await self._handle(message)
        except FoundFootyError as error:
            # MongoDB or NATS is away: the message is delivered again.
            logger.warning("a message was not answered: %s", error, action="upload_message_unanswered")
        except Exception:
            logger.exception("a message was not answered", action="upload_message_failed", subject=message.subject)
        metrics.CONSUMER_FAILURES.labels("unanswered").inc()
        return self.rules.first_delay

    async def _handle(self, message: QueueMessage) -> timedelta:
        try:
            with metrics.INGEST_SECONDS.time():
                async with asyncio.timeout(self.timeout.total_seconds()):
                    outcome = await self._process(message)
        except Exception as error:  # noqa: BLE001  whatever it is, the message is answered and the intake goes on
            return await self._answer_failure(message, error)
        metrics.INGESTED_EVENTS.labels(outcome.value).inc()
        if outcome is ObjectEventResult.POSTPONED:
            await message.postpone(min(_FULL_DELAY * message.deliveries, _LONGEST_FULL_DELAY))
            return _FULL_DELAY
        failpoint("uploads.before_ack")
        await message.acknowledge()
        self.failures.pop(message.sequence, None)
        return timedelta(0)

    async def _process(self, message: QueueMessage) -> ObjectEventResult:
        if message.subject == self.notification_subject:
            await self.notifications.accept(message.data)
            return ObjectEventResult.QUEUED
        event = ObjectEvent.from_bytes(message.data)
        parts = split_object_key(event.key)
        if parts is None:
            raise BadInput("the key belongs to no organization")
        organization_id, name = parts
        agent = self.agents.for_organization(organization_id)
        return (await agent.ingest_upload_event(name, event.key, event.etag, event)).result

    async def _answer_failure(self, message: QueueMessage, error: Exception) -> timedelta:
        if not is_outage(error):
            self.failures[message.sequence] += 1
        attempts = message.deliveries if is_outage(error) else self.failures[message.sequence]
        decision = decide_after_failure(error, attempts, self.now() - message.stored_at, self.rules)
        details = {"subject": message.subject, "sequence": message.sequence, "deliveries": message.deliveries}
        if isinstance(decision, ParkDecision):
            await self._park(message, decision.reason)
            logger.error("parked: %s", decision.reason, action="upload_message_parked", **details)
            return timedelta(0)
        metrics.INGESTED_EVENTS.labels("error").inc()
        if is_outage(error):
            logger.warning("postponed: %s", error, action="upload_message_postponed", **details)
        else:
            logger.error("postponed", exc_info=error, action="upload_message_postponed", **details)
        await message.postpone(decision.delay)
        # The next message would fail by the same outage; a failure of another kind says nothing about it.
        return self.rules.first_delay if is_outage(error) else timedelta(0)

    async def _park(self, message: QueueMessage, reason: str) -> None:
        """Acknowledge only after the letter is stored: a crash in between parks it again, as the same letter."""
        is_notification = message.subject == self.notification_subject
        kind = LetterKind.NOTIFICATION if is_notification else LetterKind.EVENT
        organization_id = None if is_notification else _read_organization(message.data)
        await self.letters.park(
            kind, message.data, reason, organization_id=organization_id, origin=str(message.sequence)
        )
        metrics.INGESTED_EVENTS.labels("parked").inc()
        await message.acknowledge()
        self.failures.pop(message.sequence, None)


def _read_organization(data: bytes) -> str | None:
    try:
        parts = split_object_key(ObjectEvent.from_bytes(data).key)
    except BadInput:
        return None
    return parts[0] if parts else None
