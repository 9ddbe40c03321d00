"""Notifications of SeaweedFS's filer webhook: changes of paths below `/buckets`, which are plain text.

The filer reports all of its files: also directories and the parts of multipart uploads. It omits what is zero.
"""

import base64
import binascii
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic import Field, ValidationError

from found_footy.platform.errors import BadInput
from found_footy.platform.wire import (
    Lenient,
    LenientItems,
    LenientObject,
    LenientValues,
    WireModel,
    describe_validation_error,
)
from found_footy.uploads.intake.object_event import SEAWEEDFS, ObjectAction, ObjectEvent
from found_footy.uploads.intake.records import KeyText, NotificationDraft, ReportedVersion, VersionText, build_event

_BUCKETS = "/buckets/"
_ETAG_FIELD = "Seaweed-X-Amz-ETag"
_EVENT_TYPES = frozenset({"create", "update", "delete", "rename"})


class _Attributes(WireModel):
    file_size: Lenient[int] = None
    mtime: Lenient[int] = None
    md5: VersionText = None


class _Chunk(WireModel):
    modified_ts_ns: Lenient[int] = None


class _Entry(WireModel):
    name: KeyText
    is_directory: bool = False
    attributes: LenientObject[_Attributes] = _Attributes()
    chunks: LenientItems[_Chunk] = ()
    extended: LenientValues[str] = Field(default_factory=dict)


class _Change(WireModel):
    old_entry: _Entry | None = None
    new_entry: _Entry | None = None
    new_parent_path: KeyText = ""


class _Notification(WireModel):
    key: KeyText
    event_type: str
    message: _Change = Field(default_factory=_Change)


def is_notification(body: dict[str, Any]) -> bool:
    return {"key", "event_type", "message"} <= body.keys()


def read_notification(body: dict[str, Any], draft: NotificationDraft) -> None:
    try:
        found = _build_events(_Notification.model_validate(body))
    except ValidationError as error:
        draft.add_fault(describe_validation_error(error), body)
    except BadInput as error:
        draft.add_fault(str(error), body)
    else:
        draft.ignored += not found
        draft.add_events(found)


def _build_events(told: _Notification) -> list[ObjectEvent]:
    """A rename is a removal at the old path and a creation at the new one."""
    if told.event_type not in _EVENT_TYPES:
        raise BadInput(f"event type {told.event_type[:20]} is not known")
    old, new = told.message.old_entry, told.message.new_entry
    if old is None and new is None:
        raise BadInput("the change names neither an old nor a new entry")
    events = []
    if told.event_type in {"delete", "rename"} and old is not None:
        events.append(_build_event(told.key, ObjectAction.REMOVED, old))
    if told.event_type != "delete" and new is not None:
        path = f"{told.message.new_parent_path}/{new.name}" if told.message.new_parent_path else told.key
        events.append(_build_event(path, ObjectAction.CREATED, new))
    return [event for event in events if event is not None]


def _build_event(path: str, action: ObjectAction, entry: _Entry) -> ObjectEvent | None:
    """None for a directory and for a path that is in no bucket."""
    bucket, _, key = path.removeprefix(_BUCKETS).partition("/")
    if entry.is_directory or not path.startswith(_BUCKETS) or not key:
        return None
    version = _read_version(entry)
    if action is ObjectAction.REMOVED:
        # When it happened is not told; the entry's time is that of the version that was removed.
        version = replace(version, time=None, sequencer=None)
    return build_event(bucket, key, action, version, SEAWEEDFS)


def _read_version(entry: _Entry) -> ReportedVersion:
    written_ns = [chunk.modified_ts_ns for chunk in entry.chunks if chunk.modified_ts_ns]
    return ReportedVersion(
        etag=_read_etag(entry),
        size=entry.attributes.file_size or 0,
        time=_to_time(entry.attributes.mtime),
        sequencer=f"{max(written_ns):016X}" if written_ns else None,
    )


def _read_etag(entry: _Entry) -> str | None:
    """The ETag as S3 reports it; of an object that S3 did not write, the MD5 of its content."""
    stored = _decode_base64(entry.extended.get(_ETAG_FIELD))
    if stored:
        return stored.decode("latin-1")
    digest = _decode_base64(entry.attributes.md5)
    return digest.hex() if digest else None


def _decode_base64(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "", validate=True)
    except (binascii.Error, ValueError):
        return b""


def _to_time(seconds: int | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds else None
    except (ValueError, OverflowError, OSError):
        return None
