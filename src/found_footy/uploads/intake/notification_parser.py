"""Reads a notification of any store, recognized by its shape.

Whoever sends it may send garbage: a body of no known shape is BadInput, and a record that breaks its contract is a
fault that does not hide the other records.
"""

import json
from typing import Any

from found_footy.platform.errors import BadInput
from found_footy.uploads.intake import eventbridge, r2_message, s3_records, seaweedfs
from found_footy.uploads.intake.records import NotificationDraft, ParsedNotification

MAX_NOTIFICATION_BYTES = 1_000_000
_SHAPES = (
    (s3_records.is_record_list, s3_records.read_records),
    (eventbridge.is_envelope, eventbridge.read_envelope),
    (seaweedfs.is_notification, seaweedfs.read_notification),
    (r2_message.is_message, r2_message.read_message),
)


def parse_notification(body: bytes, bucket: str) -> ParsedNotification:
    """Return the events about uploads in `bucket`. Raises BadInput if the body is no notification of a known store."""
    if len(body) > MAX_NOTIFICATION_BYTES:
        raise BadInput(f"the notification has {len(body)} bytes, more than {MAX_NOTIFICATION_BYTES}")
    draft = NotificationDraft(bucket)
    _read_value(_parse_json(body), draft)
    return draft.finish()


def _read_value(value: Any, draft: NotificationDraft) -> None:
    """A list holds one notification per item, as forwarders send them in batches."""
    if not isinstance(value, list):
        _read_object(_unwrap_topic_message(value), draft)
        return
    for item in value:
        try:
            _read_object(_unwrap_topic_message(item), draft)
        except BadInput as error:
            draft.add_fault(str(error), item)


def _read_object(body: Any, draft: NotificationDraft) -> None:
    if not isinstance(body, dict):
        raise BadInput("the notification is not a JSON object")
    if s3_records.is_test_event(body):
        draft.ignored += 1
        return
    read = next((read for is_shape, read in _SHAPES if is_shape(body)), None)
    if read is None:
        raise BadInput("the notification has the shape of no known store")
    read(body, draft)


def _unwrap_topic_message(body: Any) -> Any:
    """AWS SNS carries a notification as text in a message of its own."""
    if isinstance(body, dict) and body.get("Type") == "Notification" and isinstance(body.get("Message"), str):
        return _parse_json(body["Message"])
    return body


def _parse_json(text: bytes | str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the notification is not JSON ({type(error).__name__})") from None
