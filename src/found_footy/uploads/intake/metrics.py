"""Metrics of the intake."""

from prometheus_client import Counter, Gauge, Histogram

NOTIFICATIONS = Counter(
    "found_footy_upload_notifications_total",
    "Records of notifications about stored objects, by dialect and what became of them.",
    ["dialect", "outcome"],
)
INGESTED_EVENTS = Counter(
    "found_footy_upload_intake_events_total", "Object events taken from the queue, by outcome.", ["outcome"]
)
DEAD_LETTERS = Counter("found_footy_upload_dead_letters_total", "Messages that were parked, by kind.", ["kind"])
INGEST_SECONDS = Histogram("found_footy_upload_ingest_seconds", "Time to ingest one object event.")
BACKLOG = Gauge("found_footy_upload_backlog", "Object events in the queue, those in work included.")
OLDEST_SECONDS = Gauge("found_footy_upload_backlog_oldest_seconds", "Age of the oldest object event in the queue.")
CONNECTED = Gauge("found_footy_upload_queue_connected", "1 while the consumer has a connection to NATS.")
CONSUMER_FAILURES = Counter(
    "found_footy_upload_consumer_failures_total", "Failures of the consumer that it recovered from.", ["cause"]
)
