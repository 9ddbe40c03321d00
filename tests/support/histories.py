"""How histories get here: `RECORD_HISTORIES=1 python -m pytest tests/integration` writes those that tests name.

Before the first release a recording replaces the one of the same name. After it, a changed workflow needs another name
for its recording, and the older one stays.
"""

import json
import os
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowHandle

HISTORIES = Path(__file__).parents[1] / "integration" / "replay" / "histories"
# Where and by whom it was recorded plays no part in a replay; which ways of the SDK were in use (`sdkMetadata`) does.
_PRIVATE = {"identity": "recorded", "stackTrace": "", "binaryChecksum": "recorded"}
_DROPPED = {"sdkName", "sdkVersion", "workerVersion", "deploymentVersion", "workerDeploymentName", "meteringMetadata"}


async def record(handle: WorkflowHandle[Any, Any], name: str) -> None:
    """Keep the workflow's history as `name`, if histories are being recorded."""
    if not os.environ.get("RECORD_HISTORIES"):
        return
    history = json.loads((await handle.fetch_history()).to_json())
    text = json.dumps(_impersonal(history), indent=1, sort_keys=True)
    (HISTORIES / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _impersonal(value: Any) -> Any:
    if isinstance(value, list):
        return [_impersonal(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _PRIVATE.get(key, _impersonal(item)) for key, item in value.items() if key not in _DROPPED}
