"""Metrics of stage three."""

from prometheus_client import Counter, Gauge, Histogram

FETCHES = Counter(
    "found_footy_clip_fetches_total", "Videos fetched, by outcome; kept: passed on to the clip check.", ["outcome"]
)
FETCH_SECONDS = Histogram("found_footy_clip_fetch_seconds", "Time to fetch, screen and store one video.")
DELIVERED_BATCHES = Counter("found_footy_clip_batches_total", "Batches handed to the archive.")
CHECKS = Counter("found_footy_clip_looks_total", "Clips checked, by reader and result.", ["reader", "said"])
LEASES_LIMIT = Gauge("found_footy_vision_leases_limit", "Leases for calls to the vision server that there are.")
LEASES_HELD = Gauge("found_footy_vision_leases_held", "Leases for calls to the vision server that this process holds.")
LEASE_WAIT_SECONDS = Histogram(
    "found_footy_vision_lease_wait_seconds",
    "Time until a lease for a call to the vision server was granted.",
    buckets=(0.1, 0.5, 1, 5, 15, 60, 120, 300),
)
CHECK_SECONDS = Histogram("found_footy_clip_look_seconds", "Time to extract and read the frames of one clip.")
