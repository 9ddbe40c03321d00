"""Activities of notifications as their workflow calls them: timeouts, attempts, and the reason for them."""

from datetime import timedelta
from typing import Protocol

from found_footy.notify.messages import NotifyRequest, RecordedMoments, SendRequest, SentMessages
from found_footy.platform.temporal.steps import step

_HEARTBEAT_TIMEOUT = timedelta(seconds=15)


class NotifySteps(Protocol):
    @step(
        reason="reads the fixtures of two days and writes new moments; the next run repeats what one leaves",
        start_to_close_timeout=timedelta(seconds=60),
        maximum_attempts=3,
    )
    async def record_moments(self, request: NotifyRequest) -> RecordedMoments: ...

    @step(
        reason="calls every channel that has a message due; what is left stays in the outbox for the next run",
        start_to_close_timeout=timedelta(minutes=3),
        maximum_attempts=2,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def send_messages(self, request: SendRequest) -> SentMessages: ...
