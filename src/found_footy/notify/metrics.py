"""Metrics of notifications."""

from prometheus_client import Counter

MOMENTS = Counter("found_footy_notify_moments_total", "Moments of goals that were recorded, by moment.", ["moment"])
MESSAGES = Counter(
    "found_footy_notify_messages_total", "Messages by channel and what became of them.", ["channel", "outcome"]
)
