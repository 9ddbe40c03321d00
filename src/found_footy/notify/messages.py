"""Messages of NotifyWorkflow and its activities."""

from dataclasses import dataclass
from datetime import timedelta

NOTIFY_WORKFLOW = "NotifyWorkflow"
NOTIFY_SCHEDULE = "notify-goals"
NOTIFY_SCHEDULED = "notify-scheduled"


@dataclass(frozen=True)
class NotifyRequest:
    look_back: timedelta = timedelta(days=2)


@dataclass(frozen=True)
class RecordedMoments:
    """How many moments were new, and how many messages they are for."""

    moments: int = 0
    messages: int = 0


@dataclass(frozen=True)
class SendRequest:
    """All that is due."""


@dataclass(frozen=True)
class SentMessages:
    """Messages by what became of them."""

    sent: int = 0
    postponed: int = 0
    failed: int = 0
    held: int = 0


@dataclass(frozen=True)
class NotifySummary:
    recorded: RecordedMoments
    sent: SentMessages
