"""What the parsers of all dialects share: their result, and which events matter."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator

from found_footy.domain.uploads import split_object_key, strip_etag
from found_footy.platform.errors import BadInput
from found_footy.platform.wire import IsoTime, Lenient
from found_footy.uploads.intake.object_event import ObjectAction, ObjectEvent

_MAX_KEY_BYTES = 1024
_MAX_TEXT_LENGTH = 1024


@dataclass(frozen=True)
class RecordFault:
    """A part of a notification that breaks its contract."""

    reason: str
    record: Any


@dataclass(frozen=True)
class ParsedNotification:
    """`ignored` counts records that concern no upload: other buckets, directories, parts, tags, our own previews."""

    events: tuple[ObjectEvent, ...] = ()
    faults: tuple[RecordFault, ...] = ()
    ignored: int = 0


@dataclass
class NotificationDraft:
    """Collects the records of one notification."""

    bucket: str
    events: list[ObjectEvent] = field(default_factory=list)
    faults: list[RecordFault] = field(default_factory=list)
    ignored: int = 0

    def add_events(self, events: Sequence[ObjectEvent]) -> None:
        for event in events:
            if event.bucket == self.bucket and split_object_key(event.key) is not None:
                self.events.append(event)
            else:
                self.ignored += 1

    def add_fault(self, reason: str, record: Any) -> None:
        self.faults.append(RecordFault(reason, record))

    def finish(self) -> ParsedNotification:
        return ParsedNotification(tuple(self.events), tuple(self.faults), self.ignored)


@dataclass(frozen=True)
class ReportedVersion:
    """What a record says about the version, as far as it says anything."""

    etag: str | None = None
    size: int | None = None
    time: datetime | None = None
    sequencer: str | None = None
    version_id: str | None = None


def build_event(bucket: str, key: str, action: ObjectAction, version: ReportedVersion, dialect: str) -> ObjectEvent:
    """Build an event whose ETag has no quotes. Raises BadInput for a key that no store can have."""
    if not key or len(key.encode("utf-8", "surrogatepass")) > _MAX_KEY_BYTES or not _is_text(key):
        raise BadInput("the key is empty, longer than 1,024 bytes, or not text")
    if any(len(text) > _MAX_TEXT_LENGTH for text in (version.etag, version.sequencer, version.version_id) if text):
        raise BadInput("the ETag, sequencer or version id is too long")
    etag = strip_etag(version.etag) if version.etag else None
    size = version.size if version.size is not None and version.size >= 0 else None
    return ObjectEvent(
        bucket, key, action, etag or None, size, version.time, version.sequencer or None, version.version_id, dialect
    )


def _is_text(key: str) -> bool:
    """Whether it is free of halves of surrogate pairs, which UTF-8 cannot carry."""
    return not any("\ud800" <= character <= "\udfff" for character in key)


def _check_encodable(value: Any) -> Any:
    if isinstance(value, str) and not _is_text(value):
        raise ValueError("half a surrogate pair")
    return value


KeyText = Annotated[str, BeforeValidator(_check_encodable)]
"""A key, or a part of one: never changed, since it would be another object's."""

VersionText = Lenient[KeyText]
EventTime = Lenient[IsoTime]
