"""Metrics of stage four."""

from prometheus_client import Counter, Histogram

ARCHIVED_CLIPS = Counter("found_footy_clips_total", "Clips processed by the archive, by outcome.", ["outcome"])
COMPARE_SECONDS = Histogram("found_footy_compare_seconds", "Time to compare one pool of a batch.")
