"""Notifications of AWS S3 by EventBridge. Keys are plain text."""

from typing import Any

from pydantic import Field, ValidationError

from found_footy.platform.errors import BadInput
from found_footy.platform.wire import Lenient, WireModel, describe_validation_error
from found_footy.uploads.intake.object_event import EVENTBRIDGE, ObjectAction
from found_footy.uploads.intake.records import (
    EventTime,
    KeyText,
    NotificationDraft,
    ReportedVersion,
    VersionText,
    build_event,
)

_SOURCE = "aws.s3"
_ACTION_BY_TYPE = {"Object Created": ObjectAction.CREATED, "Object Deleted": ObjectAction.REMOVED}


class _Bucket(WireModel):
    name: str


class _Object(WireModel):
    key: KeyText
    size: Lenient[int] = None
    etag: VersionText = None
    sequencer: VersionText = None
    version_id: VersionText = Field(None, validation_alias="version-id")


class _Detail(WireModel):
    bucket: _Bucket
    object: _Object


class _Envelope(WireModel):
    detail_type: str = Field(validation_alias="detail-type")
    time: EventTime = None
    detail: _Detail


def is_envelope(body: dict[str, Any]) -> bool:
    return body.get("source") == _SOURCE and "detail-type" in body


def read_envelope(body: dict[str, Any], draft: NotificationDraft) -> None:
    action = _ACTION_BY_TYPE.get(str(body["detail-type"]))
    if action is None:
        draft.ignored += 1
        return
    try:
        envelope = _Envelope.model_validate(body)
        told = envelope.detail.object
        version = ReportedVersion(told.etag, told.size, envelope.time, told.sequencer, told.version_id)
        draft.add_events([build_event(envelope.detail.bucket.name, told.key, action, version, EVENTBRIDGE)])
    except ValidationError as error:
        draft.add_fault(describe_validation_error(error), body)
    except BadInput as error:
        draft.add_fault(str(error), body)
