"""Notifications as stores send them, one function per dialect."""

import base64
from typing import Any
from urllib.parse import quote_plus

BUCKET = "footy-uploads"
ETAG = "9b2cf535f27731c974343645a3985328"
TIME = "2026-11-15T15:42:10.123Z"

Json = dict[str, Any]


def aws_record(key: str, /, *, event: str = "ObjectCreated:Put", bucket: str = BUCKET, **told: Any) -> Json:
    """Slashes stay as they are; a removal tells neither size nor ETag."""
    version = {} if event.startswith("ObjectRemoved") else {"size": 1024, "eTag": ETAG}
    return {
        "eventVersion": "2.5",
        "eventSource": "aws:s3",
        "awsRegion": "eu-west-1",
        "eventTime": TIME,
        "eventName": event,
        "s3": {
            "s3SchemaVersion": "1.0",
            "bucket": {"name": bucket, "arn": f"arn:aws:s3:::{bucket}"},
            "object": {"key": quote_plus(key, safe="/"), "sequencer": "0055AED6DCD90281E5", **version, **told},
        },
    }


def minio_body(key: str, /, *, event: str = "s3:ObjectCreated:Put", bucket: str = BUCKET, **told: Any) -> Json:
    """Slashes are encoded; what is zero or empty is left out."""
    record = aws_record(key, event=event.removeprefix("s3:"), bucket=bucket)
    record |= {"eventVersion": "2.0", "eventSource": "minio:s3", "eventName": event}
    record["s3"]["object"] |= {"key": quote_plus(key), "sequencer": "17D0A1B2C3D4E5F6", **told}
    return {"EventName": event, "Key": f"{bucket}/{key}", "Records": [record]}


def eventbridge_body(key: str, *, kind: str = "Object Created", bucket: str = BUCKET) -> Json:
    version = {"size": 1024, "etag": ETAG} if kind == "Object Created" else {}
    return {
        "version": "0",
        "id": "17793124-05d4-b198-2fde-7ededc63b103",
        "source": "aws.s3",
        "detail-type": kind,
        "time": "2026-11-15T15:42:10Z",
        "detail": {
            "version": "0",
            "bucket": {"name": bucket},
            "object": {"key": key, "sequencer": "0055AED6DCD90281E5", **version},
            "reason": "PutObject",
        },
    }


def r2_body(key: str, *, action: str = "PutObject", bucket: str = BUCKET) -> Json:
    version = {} if action.endswith(("DeleteObject", "Deletion")) else {"size": 1024, "eTag": ETAG}
    return {
        "account": "3f4b7e3dcab231cbfdaa90a6a28bd548",
        "action": action,
        "bucket": bucket,
        "object": {"key": key, **version},
        "eventTime": TIME,
    }


def seaweedfs_entry(name: str, *, etag: str = ETAG, size: int = 1024, **more: Any) -> Json:
    return {
        "name": name,
        "chunks": [{"file_id": "3,01637037d6", "size": size, "modified_ts_ns": 1794757330123456789}],
        "attributes": {"file_size": size, "mtime": 1794757330, "file_mode": 432, "mime": "image/jpeg"},
        "extended": {"Seaweed-X-Amz-ETag": base64.b64encode(etag.encode()).decode()},
        **more,
    }


def seaweedfs_body(key: str, *, kind: str = "create", bucket: str = BUCKET, **entry: Any) -> Json:
    folder, _, name = f"/buckets/{bucket}/{key}".rpartition("/")
    told = seaweedfs_entry(name, **entry)
    change: Json = {"signatures": [1234567]}
    if kind != "delete":
        change |= {"new_entry": told, "new_parent_path": folder}
    if kind in {"delete", "update"}:
        change |= {"old_entry": told}
    return {"key": f"{folder}/{name}", "event_type": kind, "message": change}


def seaweedfs_rename(old_key: str, new_key: str, *, bucket: str = BUCKET) -> Json:
    old_name, (folder, _, new_name) = old_key.rpartition("/")[2], f"/buckets/{bucket}/{new_key}".rpartition("/")
    change = {
        "old_entry": seaweedfs_entry(old_name),
        "new_entry": seaweedfs_entry(new_name),
        "new_parent_path": folder,
    }
    return {"key": f"/buckets/{bucket}/{old_key}", "event_type": "rename", "message": change}
