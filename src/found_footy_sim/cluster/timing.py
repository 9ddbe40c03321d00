"""Time limits of the cluster test."""

from datetime import timedelta

# Many programs start at once, perhaps on a crowded machine.
READY_TIMEOUT = timedelta(minutes=10)
