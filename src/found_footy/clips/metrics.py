"""Stage three's figures."""

from prometheus_client import Counter, Histogram

FETCHES = Counter(
    "found_footy_clip_fetches_total", "Videos fetched, by outcome; kept means that they go on.", ["outcome"]
)
FETCH_SECONDS = Histogram("found_footy_clip_fetch_seconds", "Time to fetch, check and keep one video.")
BATCHES = Counter("found_footy_clip_batches_total", "Batches handed to the archive.")
