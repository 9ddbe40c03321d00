"""Metrics of stage four."""

from prometheus_client import Counter, Histogram

ARCHIVED_CLIPS = Counter("found_footy_clips_total", "Clips by what the archive did with them.", ["outcome"])
COMPARE_SECONDS = Histogram("found_footy_compare_seconds", "How long comparing one pool of a batch took.")
