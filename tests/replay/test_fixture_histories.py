"""The recorded runs of stage one go through every one of its steps."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from found_footy.fixtures import steps
from found_footy.platform.temporal import ActivityCall

HISTORIES = Path(__file__).parent / "histories"


def called(event: dict[str, Any]) -> Iterator[str]:
    """The step that an event tells of, whether it went through a task queue or was done on the spot."""
    if scheduled := event.get("activityTaskScheduledEventAttributes"):
        yield scheduled["activityType"]["name"]
    marker = event.get("markerRecordedEventAttributes", {})
    if marker.get("markerName") == "core_local_activity":
        yield json.loads(base64.b64decode(marker["details"]["data"]["payloads"][0]["data"]))["activity_type"]


def test_every_step_of_the_policy_table_occurs_in_a_recorded_run() -> None:
    declared = {value.name for value in vars(steps).values() if isinstance(value, ActivityCall)}
    found = {
        name
        for pattern in ("ingest-*.json", "monitor-*.json")
        for path in HISTORIES.glob(pattern)
        for event in json.loads(path.read_text(encoding="utf-8"))["events"]
        for name in called(event)
    }
    assert found == declared
