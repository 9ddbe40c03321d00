"""The event that every notification about an object becomes, whoever sent it."""

import hashlib
import json
import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import ValidationError

from found_footy.platform.errors import BadInput
from found_footy.platform.wire import CleanText, IsoTime, WireModel, describe_validation_error

UPLOAD_ROUTE = "upload_route"
SEAWEEDFS = "seaweedfs"
AWS = "aws"
EVENTBRIDGE = "eventbridge"
MINIO = "minio"
R2 = "r2"
RECONCILIATION = "reconciliation"


class ObjectAction(StrEnum):
    CREATED = "created"
    REMOVED = "removed"


@dataclass(frozen=True)
class ObjectEvent:
    """Something happened to an object. The key is decoded and the ETag has no quotes, whatever the dialect."""

    bucket: str
    key: str
    action: ObjectAction
    etag: str | None
    size: int | None
    event_time: datetime | None
    sequencer: str | None
    version_id: str | None
    dialect: str

    def to_bytes(self) -> bytes:
        fields = {
            "bucket": self.bucket,
            "key": self.key,
            "action": self.action.value,
            "etag": self.etag,
            "size": self.size,
            "event_time": self.event_time.isoformat() if self.event_time else None,
            "sequencer": self.sequencer,
            "version_id": self.version_id,
            "dialect": self.dialect,
        }
        return json.dumps(fields).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "ObjectEvent":
        """Raises BadInput if the bytes are not what `to_bytes` returns."""
        try:
            fields = _EventFields.model_validate_json(data)
        except ValidationError as error:
            raise BadInput(f"not an object event: {describe_validation_error(error)}") from None
        return cls(**dict(fields))

    @property
    def message_id(self) -> str:
        """The id under which the queue drops a second publication of this event.

        Without a sequencer, a version or a time finer than seconds, two events about one key may look the same, for
        example two removals: such an event gets another id each time, since a duplicate is harmless and a lost event is
        not.
        """
        has_exact_time = self.event_time is not None and self.event_time.microsecond != 0
        if not (has_exact_time or self.sequencer or self.version_id):
            return f"{self.dialect}:{uuid.uuid4().hex}"
        return f"{self.dialect}:{hashlib.sha256(self.to_bytes()).hexdigest()}"


class _EventFields(WireModel):
    bucket: CleanText
    key: CleanText
    action: ObjectAction
    etag: CleanText | None
    size: int | None
    event_time: IsoTime | None
    sequencer: CleanText | None
    version_id: CleanText | None
    dialect: CleanText
