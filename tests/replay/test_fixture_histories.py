"""The recorded runs of stage one go through every one of its steps."""

import json
from pathlib import Path

from found_footy.fixtures import policies
from found_footy.platform.temporal import Step

HISTORIES = Path(__file__).parent / "histories"


def test_every_step_of_the_policy_table_occurs_in_a_recorded_run() -> None:
    steps = {value.name for value in vars(policies).values() if isinstance(value, Step)}
    called = {
        event["activityTaskScheduledEventAttributes"]["activityType"]["name"]
        for pattern in ("ingest-*.json", "monitor-*.json")
        for path in HISTORIES.glob(pattern)
        for event in json.loads(path.read_text(encoding="utf-8"))["events"]
        if "activityTaskScheduledEventAttributes" in event
    }
    assert called == steps
