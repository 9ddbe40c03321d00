"""The recorded runs of stage one go through every one of its steps."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from found_footy.fixtures.steps import FixtureSteps
from tests.support.steps import declared_steps

HISTORIES = Path(__file__).parent / "histories"


def called(event: dict[str, Any]) -> Iterator[str]:
    """The step that an event tells of, through a task queue or as a local activity."""
    if scheduled := event.get("activityTaskScheduledEventAttributes"):
        yield scheduled["activityType"]["name"]
    marker = event.get("markerRecordedEventAttributes", {})
    if marker.get("markerName") == "core_local_activity":
        yield json.loads(base64.b64decode(marker["details"]["data"]["payloads"][0]["data"]))["activity_type"]


def test_every_step_of_stage_one_occurs_in_a_recorded_run() -> None:
    declared = {step.__name__ for step in declared_steps(FixtureSteps)}
    found = {
        name
        for pattern in ("ingest-*.json", "monitor-*.json")
        for path in HISTORIES.glob(pattern)
        for event in json.loads(path.read_text(encoding="utf-8"))["events"]
        for name in called(event)
    }
    assert found == declared
