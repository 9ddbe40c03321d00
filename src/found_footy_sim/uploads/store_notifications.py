"""Notifications as object stores write them."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import quote_plus


class StoreDialect(StrEnum):
    AWS = "aws"
    MINIO = "minio"


@dataclass(frozen=True)
class StoredObject:
    """A version of an object as its store knows it. `sequence` orders the changes of one key."""

    bucket: str
    key: str
    etag: str
    size: int
    at: datetime
    sequence: int


def write_notification(dialect: StoreDialect, stored: StoredObject, *, is_removal: bool) -> bytes:
    """`stored` is the version that was stored, or that was removed."""
    is_aws = dialect is StoreDialect.AWS
    event = "ObjectRemoved:Delete" if is_removal else "ObjectCreated:Put"
    told: dict[str, Any] = {
        "key": quote_plus(stored.key, safe="/" if is_aws else ""),
        "sequencer": f"{stored.sequence:016X}",
    }
    if not is_removal:
        told |= {"eTag": stored.etag, "size": stored.size}
    record = {
        "eventVersion": "2.1" if is_aws else "2.0",
        "eventSource": "aws:s3" if is_aws else "minio:s3",
        "eventName": event if is_aws else f"s3:{event}",
        "eventTime": f"{stored.at:%Y-%m-%dT%H:%M:%S}.{stored.at.microsecond // 1000:03d}Z",
        "s3": {"s3SchemaVersion": "1.0", "bucket": {"name": stored.bucket}, "object": told},
    }
    body: dict[str, Any] = {"Records": [record]}
    if not is_aws:
        body |= {"EventName": record["eventName"], "Key": f"{stored.bucket}/{stored.key}"}
    return json.dumps(body).encode()
