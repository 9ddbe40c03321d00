"""Small files that other processes read: written whole or not at all, for the owner's eyes only."""

import json
import os
from pathlib import Path
from typing import Any

from found_footy.platform.errors import ConfigError

_OWNER_ONLY_MODE = 0o600


def write_private(path: Path, text: str) -> None:
    """A reader, or a crash at any moment, meets the old content or the new, never a part of it."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def write_json(path: Path, content: object) -> None:
    write_private(path, json.dumps(content, indent=2) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """The object in `path`; empty if the file does not exist. A file that is not ours to mend is named."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ConfigError(f"{path} is damaged ({error}); restore it, or remove it to have it made anew") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path} should hold one JSON object")
    return content
