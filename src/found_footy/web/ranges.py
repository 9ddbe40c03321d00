"""Conditional and range requests: which bytes of an object are sent, and with which status. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime

_SINGLE_RANGE_REGEX = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@dataclass(frozen=True)
class ObjectMetadata:
    """Metadata of an object, known before its bytes are read."""

    size: int
    etag: str
    modified: datetime

    @property
    def quoted_etag(self) -> str:
        bare = self.etag.strip('"')
        return f'"{bare}"'

    @property
    def last_modified(self) -> str:
        return format_datetime(self.modified.astimezone(UTC), usegmt=True)


@dataclass(frozen=True)
class RangeResponse:
    """Bytes `start` to `end`, inclusive, are sent; none for 304 and 416."""

    status: int
    start: int = 0
    end: int = -1

    @property
    def length(self) -> int:
        return self.end - self.start + 1


def decide_range_response(headers: Mapping[str, str], metadata: ObjectMetadata) -> RangeResponse:
    """Decide the response to a GET or HEAD. `headers` are looked up in lower case.

    Several ranges, another unit and malformed values are answered with the whole object, as the protocol allows.
    """
    if _is_etag_match(headers.get("if-none-match"), metadata):
        return RangeResponse(304)
    whole = RangeResponse(200, 0, metadata.size - 1)
    wanted = headers.get("range")
    if wanted is None or not _is_if_range_valid(headers.get("if-range"), metadata):
        return whole
    found = _SINGLE_RANGE_REGEX.fullmatch(wanted.strip().lower().replace(" ", ""))
    if found is None or found.groups() == ("", ""):
        return whole
    return _resolve_range(found[1], found[2], metadata.size) or whole


def _resolve_range(first: str, last: str, size: int) -> RangeResponse | None:
    """None for a range that ends before it begins: it is invalid and ignored."""
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    return RangeResponse(206, start, end) if start <= end else RangeResponse(416)


def _is_etag_match(header: str | None, metadata: ObjectMetadata) -> bool:
    if header is None:
        return False
    listed = {tag.strip().removeprefix("W/") for tag in header.split(",")}
    return "*" in listed or metadata.quoted_etag in listed


def _is_if_range_valid(header: str | None, metadata: ObjectMetadata) -> bool:
    """A weak tag does not identify bytes, so only the exact tag or date is valid."""
    return header is None or header.strip() in {metadata.quoted_etag, metadata.last_modified}


def build_media_headers(response: RangeResponse, metadata: ObjectMetadata, content_type: str) -> dict[str, str]:
    headers = {
        "Accept-Ranges": "bytes",
        "ETag": metadata.quoted_etag,
        "Last-Modified": metadata.last_modified,
        # The bytes under a key never change, but a clip may be taken down: caches revalidate, and get a 304 or 410.
        "Cache-Control": "public, max-age=300, must-revalidate",
    }
    if response.status == 416:
        return headers | {"Content-Range": f"bytes */{metadata.size}", "Cache-Control": "no-store"}
    if response.status == 206:
        headers["Content-Range"] = f"bytes {response.start}-{response.end}/{metadata.size}"
    if response.status != 304:
        headers |= {"Content-Type": content_type, "Content-Length": str(response.length)}
    return headers
