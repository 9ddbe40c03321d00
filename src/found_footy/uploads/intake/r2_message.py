"""Notifications of Cloudflare R2, one object per message. Keys are plain text."""

from typing import Any

from pydantic import Field, ValidationError

from found_footy.platform.errors import BadInput
from found_footy.platform.wire import Lenient, WireModel, describe_validation_error
from found_footy.uploads.intake.object_event import R2, ObjectAction
from found_footy.uploads.intake.records import (
    EventTime,
    KeyText,
    NotificationDraft,
    ReportedVersion,
    VersionText,
    build_event,
)

_ACTIONS = {
    "PutObject": ObjectAction.CREATED,
    "CopyObject": ObjectAction.CREATED,
    "CompleteMultipartUpload": ObjectAction.CREATED,
    "DeleteObject": ObjectAction.REMOVED,
    "LifecycleDeletion": ObjectAction.REMOVED,
}


class _Object(WireModel):
    key: KeyText
    size: Lenient[int] = None
    etag: VersionText = Field(None, validation_alias="eTag")


class _Message(WireModel):
    action: str
    bucket: str
    object: _Object
    event_time: EventTime = Field(None, validation_alias="eventTime")


def is_message(body: dict[str, Any]) -> bool:
    return {"action", "bucket", "object"} <= body.keys()


def read_message(body: dict[str, Any], draft: NotificationDraft) -> None:
    try:
        message = _Message.model_validate(body)
        action = _ACTIONS.get(message.action)
        if action is None:
            draft.ignored += 1
            return
        version = ReportedVersion(message.object.etag, message.object.size, message.event_time)
        draft.add_events([build_event(message.bucket, message.object.key, action, version, R2)])
    except ValidationError as error:
        draft.add_fault(describe_validation_error(error), body)
    except BadInput as error:
        draft.add_fault(str(error), body)
