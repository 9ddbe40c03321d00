"""Metrics of organization uploads."""

from prometheus_client import Counter, Histogram

INGESTED_EVENTS = Counter(
    "found_footy_upload_events_total", "Events about uploads, by what became of them.", ["result"]
)
STALE_EVENTS = Counter(
    "found_footy_upload_stale_events_total", "Events about a version of an upload that is no longer stored."
)
CLASSIFICATIONS = Counter(
    "found_footy_upload_classifications_total",
    "Classifications of uploads by outcome; a stale one was of a version that is no longer the newest.",
    ["outcome"],
)
RECONCILED = Counter(
    "found_footy_upload_reconciled_total",
    "Differences between bucket and rows that were repaired; organizations that failed.",
    ["difference"],
)
LOAD_SECONDS = Histogram("found_footy_upload_load_seconds", "Time to load and decode one upload.")
CLASSIFY_SECONDS = Histogram("found_footy_upload_classify_seconds", "Time to classify one upload, waiting included.")
