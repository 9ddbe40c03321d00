"""Stage four's figures."""

from prometheus_client import Counter

CLIPS = Counter("found_footy_clips_total", "Clips by what the archive did with them.", ["outcome"])
