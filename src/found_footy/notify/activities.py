"""The activities of notifications."""

from temporalio import activity

from found_footy.notify.messages import NotifyRequest, RecordedMoments, SendRequest, SentMessages
from found_footy.notify.recorder import MomentRecorder
from found_footy.notify.sender import OutboxSender
from found_footy.notify.steps import NotifySteps
from found_footy.platform.heartbeat import send_heartbeats


class NotifyActivities(NotifySteps):
    """Without a recorder, notifications are switched off: a schedule that is left over does nothing."""

    def __init__(self, recorder: MomentRecorder | None, sender: OutboxSender) -> None:
        self._recorder = recorder
        self._sender = sender

    @activity.defn
    async def record_moments(self, request: NotifyRequest) -> RecordedMoments:
        return RecordedMoments() if self._recorder is None else await self._recorder.record_new(request.look_back)

    @activity.defn
    async def send_messages(self, request: SendRequest) -> SentMessages:  # noqa: ARG002  a step has a message
        async with send_heartbeats():
            return await self._sender.send_due()
