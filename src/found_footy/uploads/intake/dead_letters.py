"""Listing and replaying parked messages."""

from dataclasses import dataclass, field

from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import BadInput
from found_footy.uploads.intake.dead_letter_store import DeadLetter, DeadLetterStore, LetterKind
from found_footy.uploads.intake.notification_parser import parse_notification
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.intake.publisher import EventPublisher

_BATCH_SIZE = 50


@dataclass
class ReplayReport:
    """`kept` are the ids of letters that cannot be replayed, with the reason."""

    replayed: int = 0
    kept: dict[str, str] = field(default_factory=dict)


class DeadLetters:
    def __init__(self, store: DeadLetterStore, publisher: EventPublisher, bucket: str, now: Clock = utc_now) -> None:
        self._store = store
        self._publisher = publisher
        self._bucket = bucket
        self._now = now

    async def list_letters(self, limit: int = 100, organization_id: str | None = None) -> list[DeadLetter]:
        return await self._store.list_letters(limit, organization_id=organization_id)

    async def replay(self, organization_id: str | None = None) -> ReplayReport:
        """Put the messages of all letters, or of one organization's, into the queue again and delete the letters.

        A letter that cannot be replayed stays and stops no other. Raises Unavailable if the queue or the database is
        away; what was replayed until then is done.
        """
        report, until, after = ReplayReport(), self._now(), ""
        while letters := await self._store.list_letters(
            _BATCH_SIZE, organization_id=organization_id, until=until, after=after
        ):
            for letter in letters:
                await self._replay_letter(letter, report)
            after = letters[-1].id
        return report

    async def _replay_letter(self, letter: DeadLetter, report: ReplayReport) -> None:
        try:
            for number, event in enumerate(self._read_events(letter)):
                # An id of its own: the queue remembers the first publication and would drop this one.
                await self._publisher.publish_again(event, f"replay:{letter.id}:{letter.at.isoformat()}:{number}")
        except BadInput as error:
            report.kept[letter.id] = str(error)
            return
        await self._store.delete(letter)
        report.replayed += 1

    def _read_events(self, letter: DeadLetter) -> tuple[ObjectEvent, ...]:
        if letter.is_truncated:
            raise BadInput("the message was too large to be kept whole")
        if letter.kind is LetterKind.EVENT:
            return (ObjectEvent.from_bytes(letter.body),)
        found = parse_notification(letter.body, self._bucket)
        if found.faults:
            raise BadInput(found.faults[0].reason)
        return found.events
