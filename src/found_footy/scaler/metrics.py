"""Metrics of the scaler."""

from prometheus_client import Counter, Gauge

INSTANCES = Gauge("found_footy_scaler_instances", "Running instances of a pool.", ["pool"])
WANTED_INSTANCES = Gauge("found_footy_scaler_wanted_instances", "Instances that a pool should have.", ["pool"])
EXPECTED_LOAD = Gauge(
    "found_footy_scaler_load", "Load of a pool that was decided on: pending tasks or active goals.", ["pool"]
)
BACKLOG = Gauge("found_footy_task_queue_backlog", "Tasks that wait in a Temporal task queue.", ["queue"])
BACKLOG_AGE = Gauge(
    "found_footy_task_queue_backlog_age_seconds", "Age of the oldest task that waits in a task queue.", ["queue"]
)
DECISIONS = Counter("found_footy_scaler_decisions_total", "Decisions by pool and reason.", ["pool", "reason"])
FAILURES = Counter(
    "found_footy_scaler_failures_total", "Checks that could not be completed, by pool and error.", ["pool", "error"]
)
