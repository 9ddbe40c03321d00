"""Notifications with `Records`: AWS S3 (direct, SQS, SNS, Lambda) and MinIO (webhook, NATS).

Keys are URL-encoded with `+` for a space; MinIO also encodes slashes. MinIO omits what is zero, and its event names
begin with `s3:`.
"""

from typing import Any
from urllib.parse import unquote_plus

from pydantic import AliasChoices, Field, ValidationError

from found_footy.platform.errors import BadInput
from found_footy.platform.wire import Lenient, WireModel, describe_validation_error
from found_footy.uploads.intake.object_event import AWS, MINIO, ObjectAction, ObjectEvent
from found_footy.uploads.intake.records import (
    EventTime,
    KeyText,
    NotificationDraft,
    ReportedVersion,
    VersionText,
    build_event,
)

_DIALECT_BY_SOURCE = {"aws:s3": AWS, "minio:s3": MINIO}
_ACTION_BY_FAMILY = {
    "ObjectCreated": ObjectAction.CREATED,
    "ObjectRemoved": ObjectAction.REMOVED,
    "LifecycleExpiration": ObjectAction.REMOVED,
}
_SUPPORTED_MAJOR_VERSION = "2"
_TEST_EVENT = "s3:TestEvent"


class _Bucket(WireModel):
    name: str


class _Object(WireModel):
    key: KeyText
    size: Lenient[int] = None
    etag: VersionText = Field(None, validation_alias=AliasChoices("eTag", "etag", "ETag"))
    version_id: VersionText = Field(None, validation_alias=AliasChoices("versionId", "versionID"))
    sequencer: VersionText = None


class _Entity(WireModel):
    bucket: _Bucket
    object: _Object


class _Record(WireModel):
    event_version: str = Field(_SUPPORTED_MAJOR_VERSION, validation_alias="eventVersion")
    event_source: str = Field(validation_alias="eventSource")
    event_name: str = Field(validation_alias="eventName")
    event_time: EventTime = Field(None, validation_alias="eventTime")
    s3: _Entity


def is_test_event(body: dict[str, Any]) -> bool:
    """Whether AWS sent it to try the configuration."""
    return body.get("Event") == _TEST_EVENT


def is_record_list(body: dict[str, Any]) -> bool:
    return isinstance(body.get("Records"), list)


def read_records(body: dict[str, Any], draft: NotificationDraft) -> None:
    for record in body["Records"]:
        try:
            draft.add_events(_parse_record(record, draft))
        except BadInput as error:
            draft.add_fault(str(error), {"Records": [record]})


def _parse_record(raw: Any, draft: NotificationDraft) -> list[ObjectEvent]:
    try:
        record = _Record.model_validate(raw)
    except ValidationError as error:
        raise BadInput(describe_validation_error(error)) from None
    if record.event_version.partition(".")[0] != _SUPPORTED_MAJOR_VERSION:
        raise BadInput(f"event version {record.event_version[:20]} is not supported")
    dialect = _DIALECT_BY_SOURCE.get(record.event_source)
    if dialect is None:
        raise BadInput(f"event source {record.event_source[:50]} is not known")
    action = _ACTION_BY_FAMILY.get(record.event_name.removeprefix("s3:").partition(":")[0])
    if action is None:
        draft.ignored += 1
        return []
    told = record.s3.object
    version = ReportedVersion(told.etag, told.size, record.event_time, told.sequencer, told.version_id)
    return [build_event(record.s3.bucket.name, _decode_key(told.key), action, version, dialect)]


def _decode_key(key: str) -> str:
    try:
        return unquote_plus(key, errors="strict")
    except UnicodeDecodeError:
        raise BadInput("the key is not UTF-8 when decoded") from None
