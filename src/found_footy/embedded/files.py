"""Small files for other processes: written atomically, readable by the owner only."""

import json
import os
from pathlib import Path
from typing import Any

from found_footy.platform.errors import ConfigError

_OWNER_ONLY_MODE = 0o600


def write_private(path: Path, text: str) -> None:
    """Write atomically: a reader, or a restart after a crash, finds the old content or the new, never a part of it."""
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
    """Read the object in `path`; empty if the file does not exist. Errors name the file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ConfigError(f"{path} is damaged ({error}); restore it, or remove it to have it created again") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path} must contain one JSON object")
    return content
