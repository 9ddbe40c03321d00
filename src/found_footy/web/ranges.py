"""Conditional and partial requests, decided purely: which bytes of an object a request gets, and with which status."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime

_ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@dataclass(frozen=True)
class Facts:
    """What is known of an object before a byte of it is read."""

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
class Answer:
    """Bytes `start` to `end`, inclusive, are sent; none of them for 304 and 416."""

    status: int
    start: int = 0
    end: int = -1

    @property
    def length(self) -> int:
        return self.end - self.start + 1


def answer(headers: Mapping[str, str], facts: Facts) -> Answer:
    """The answer to a GET or HEAD. `headers` are looked up in lower case.

    Several ranges at once, another unit and nonsense are answered with the whole, as the protocol allows.
    """
    if _matches(headers.get("if-none-match"), facts):
        return Answer(304)
    whole = Answer(200, 0, facts.size - 1)
    wanted = headers.get("range")
    if wanted is None or not _still_valid(headers.get("if-range"), facts):
        return whole
    found = _ONE_RANGE.fullmatch(wanted.strip().lower().replace(" ", ""))
    if found is None or found.groups() == ("", ""):
        return whole
    return _span(found[1], found[2], facts.size) or whole


def _span(first: str, last: str, size: int) -> Answer | None:
    """None for a range that ends before it begins, which is no range at all."""
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    return Answer(206, start, end) if start <= end else Answer(416)


def _matches(header: str | None, facts: Facts) -> bool:
    if header is None:
        return False
    listed = {tag.strip().removeprefix("W/") for tag in header.split(",")}
    return "*" in listed or facts.quoted_etag in listed


def _still_valid(header: str | None, facts: Facts) -> bool:
    """A weak tag never vouches for bytes, so only the exact tag or date does."""
    return header is None or header.strip() in {facts.quoted_etag, facts.last_modified}


def media_headers(result: Answer, facts: Facts, content_type: str) -> dict[str, str]:
    headers = {
        "Accept-Ranges": "bytes",
        "ETag": facts.quoted_etag,
        "Last-Modified": facts.last_modified,
        # The bytes behind a name never change, but a person may take them down: caches ask again, and get a 304 or 410.
        "Cache-Control": "public, max-age=300, must-revalidate",
    }
    if result.status == 416:
        return headers | {"Content-Range": f"bytes */{facts.size}", "Cache-Control": "no-store"}
    if result.status == 206:
        headers["Content-Range"] = f"bytes {result.start}-{result.end}/{facts.size}"
    if result.status != 304:
        headers |= {"Content-Type": content_type, "Content-Length": str(result.length)}
    return headers
