"""Attributes of stored objects, as the answers of an S3-compatible store give them, and what they must fulfil."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from found_footy.platform.errors import BadInput, Unavailable

SYSTEM = "object store"
_MAX_KEY_BYTES = 1024
MD5_PATTERN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class ObjectInfo:
    """Attributes of an object. A listing has neither content type nor metadata; `head` has both.

    `is_etag_md5` says that the ETag is the MD5 of the bytes. It is not for multipart uploads and objects encrypted with
    KMS keys, and a listing does not tell.
    """

    key: str
    size: int
    etag: str
    content_type: str
    metadata: Mapping[str, str]
    modified: datetime
    is_etag_md5: bool = False


@dataclass(frozen=True)
class ObjectStream:
    """A range of an object, read as it is consumed; `end` is inclusive. Must be closed unless `chunks` was
    exhausted.
    """

    info: ObjectInfo
    start: int
    end: int
    total: int
    chunks: AsyncIterator[bytes]
    _close: Callable[[], None] = field(repr=False)

    async def aclose(self) -> None:
        self._close()


def to_object_info(key: str, answer: Mapping[str, Any], total: int | None = None) -> ObjectInfo:
    metadata = {name.lower(): unquote(value) for name, value in answer.get("Metadata", {}).items()}
    size = answer["ContentLength"] if total is None else total
    kind, modified = answer.get("ContentType", ""), answer["LastModified"]
    return ObjectInfo(key, size, read_etag(answer), kind, metadata, modified, is_etag_md5(answer))


def read_etag(answer: Mapping[str, Any]) -> str:
    return str(answer.get("ETag", "")).strip('"')


def is_etag_md5(answer: Mapping[str, Any]) -> bool:
    """The ETag of an object stored in one part is its MD5, unless it is encrypted with KMS or customer keys."""
    encryption = str(answer.get("ServerSideEncryption", ""))
    has_own_keys = encryption.startswith("aws:kms") or "SSECustomerAlgorithm" in answer
    return MD5_PATTERN.fullmatch(read_etag(answer)) is not None and not has_own_keys


def read_total_size(answer: Mapping[str, Any]) -> int:
    """The size of the whole object; a partial answer has it in Content-Range."""
    return int(answer.get("ContentRange", f"/{answer['ContentLength']}").rpartition("/")[2])


def require_portable_key(key: str) -> None:
    """Reject keys that are not plain paths: many stores keep objects as files and fail on those."""
    if not key or len(key.encode()) > _MAX_KEY_BYTES or any(part in ("", ".", "..") for part in key.split("/")):
        raise BadInput(f"{SYSTEM}: {key[:100]!r} is not a key that every object store accepts")


def require_md5(key: str, answer: Mapping[str, Any], md5: str) -> None:
    etag = read_etag(answer)
    if is_etag_md5(answer) and etag != md5:
        raise Unavailable(SYSTEM, f"{key} was stored as {etag}, not as {md5}")


def require_size(info: ObjectInfo, size: int) -> ObjectInfo:
    if info.size != size:
        raise Unavailable(SYSTEM, f"{info.key} was stored with {info.size} bytes, not {size}")
    return info
