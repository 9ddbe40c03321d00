"""Readers for fields of stored documents. A field that is missing or has another type yields a default."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Document = dict[str, Any]

_MAX_TEXT_LENGTH = 120


def get_nested(document: Any, *path: str) -> Any:
    """Return the value under `path`; None where a key is missing or its parent is not a mapping."""
    for step in path:
        if not isinstance(document, Mapping):
            return None
        document = document.get(step)
    return document


def read_text(value: Any, default: str = "", *, limit: int = _MAX_TEXT_LENGTH) -> str:
    """Collapse white space and cut the text to `limit` characters."""
    if not isinstance(value, str):
        return default
    line = " ".join(value.split())
    return line[: limit - 1] + "…" if len(line) > limit else line or default


def read_int(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value)


def read_float(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def read_datetime(value: Any) -> datetime | None:
    """Return an aware datetime; a naive one is taken as UTC, as MongoDB stores it."""
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def read_documents(value: Any) -> list[Document]:
    """Return the mappings of a list and drop all other elements."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return []
    return [row for row in value if isinstance(row, dict)]


def read_strings(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list | tuple) else []
