"""Small JSON files of the embedded servers: written atomically, readable by the owner only."""

import json
from pathlib import Path
from typing import Any

from found_footy.platform.errors import ConfigError
from found_footy.platform.files import write_private


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
