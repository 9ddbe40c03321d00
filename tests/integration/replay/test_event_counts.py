"""History events cost money in a real cluster: what the most frequent runs may have of them."""

import json
from collections import Counter
from pathlib import Path

HISTORIES = Path(__file__).parent / "histories"


def count_events(name: str) -> Counter[str]:
    events = json.loads((HISTORIES / f"{name}.json").read_text(encoding="utf-8"))["events"]
    return Counter(str(event["eventType"]).removeprefix("EVENT_TYPE_") for event in events)


def test_a_quiet_monitor_cycle_queues_one_activity() -> None:
    events = count_events("monitor-quiet")
    assert events["ACTIVITY_TASK_SCHEDULED"] == 1
    assert events.total() <= 15


def test_an_attempt_of_a_search_queues_the_search_alone_and_wakes_twice() -> None:
    """Beside 13 per attempt this search has its start, a look-up of aliases and its end."""
    events = count_events("twitter-exhausted")
    attempts = events["TIMER_FIRED"]
    assert attempts > 1
    assert not events["START_CHILD_WORKFLOW_EXECUTION_INITIATED"]
    assert events.total() <= 13 * attempts + 30


def test_an_ingest_looks_ahead_in_one_activity_per_week() -> None:
    events = count_events("ingest-looks-ahead")
    assert events["ACTIVITY_TASK_SCHEDULED"] <= 6
