"""Figures of the intake, for health pages."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.queue_connection import QueueConnection
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore
from found_footy.uploads.intake.streams import IntakeStreams

# An event waits longer only if nothing takes it, or if very many are before it.
_LONGEST_WAIT = timedelta(minutes=10)


@dataclass(frozen=True)
class IntakeReport:
    """`backlog` and `oldest` are unknown, None, without a connection."""

    is_connected: bool
    backlog: int | None
    oldest: datetime | None
    dead_letters: int
    problem: str = ""

    def is_ok(self, now: datetime) -> bool:
        return self.is_connected and (self.oldest is None or now - self.oldest < _LONGEST_WAIT)

    def describe(self, now: datetime) -> str:
        if not self.is_connected:
            parts = [f"no connection to NATS ({self.problem})"]
        else:
            waiting = f", the oldest for {(now - self.oldest).total_seconds():.0f} s" if self.oldest else ""
            parts = [f"{self.backlog} events in the queue{waiting}"]
        parts += [f"{self.dead_letters} dead letters"] if self.dead_letters else []
        return "; ".join(parts)


async def build_intake_report(
    connection: QueueConnection, streams: IntakeStreams, letters: DeadLetterStore
) -> IntakeReport:
    """Raises Unavailable if MongoDB does not answer."""
    dead = await letters.count()
    try:
        backlog = await connection.get_queue().read_backlog(streams.name)
    except ExternalSystemError as error:
        return IntakeReport(False, None, None, dead, error.message)
    return IntakeReport(True, backlog.messages, backlog.oldest, dead)
