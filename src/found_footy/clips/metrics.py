"""Metrics of stage three."""

from prometheus_client import Counter, Histogram

FETCHES = Counter(
    "found_footy_clip_fetches_total", "Videos fetched, by outcome; kept means that they go on.", ["outcome"]
)
FETCH_SECONDS = Histogram("found_footy_clip_fetch_seconds", "Time to fetch, check and keep one video.")
DELIVERED_BATCHES = Counter("found_footy_clip_batches_total", "Batches handed to the archive.")
CHECKS = Counter("found_footy_clip_looks_total", "Clips looked at, by reader and by what it said.", ["reader", "said"])
CHECK_SECONDS = Histogram(
    "found_footy_clip_look_seconds", "Time to take the frames out of one clip and have them read."
)
