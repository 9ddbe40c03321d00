"""The manifests of deploy/ as data."""

import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


def read_yaml(path: Path) -> list[Any]:
    reader = YAML(typ="safe", pure=True)
    return [document for document in reader.load_all(path.read_text(encoding="utf-8")) if document]


def fill_in(text: str, **values: str) -> str:
    """`text` as compose fills in variables, without any from the environment."""
    return _VARIABLE.sub(lambda found: values.get(found[1], found[2] or ""), text).replace("$$", "$")
