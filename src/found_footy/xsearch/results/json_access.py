"""Reads untrusted JSON. A missing or malformed part reads as empty; nothing here raises."""

from collections.abc import Mapping
from typing import Any


def dig(value: object, *path: str) -> Any:
    """Return the value at `path` in nested objects, or None if the path does not exist."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def dig_list(value: object, *path: str) -> list[Any]:
    found = dig(value, *path)
    return found if isinstance(found, list) else []


def dig_text(value: object, *path: str) -> str:
    found = dig(value, *path)
    return found if isinstance(found, str) else ""


def dig_int(value: object, *path: str) -> int | None:
    """Return a whole number, which the site sometimes writes as text. True and False are not numbers."""
    found = dig(value, *path)
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) <= 20:
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
